#include <filesystem>
#include <string>
#include <vector>

#include <pybind11/stl.h>

#include "arrays.h"
#include "commonplace/encode/encoder.h"
#include "commonplace/encode/models.h"
#include "commonplace/encode/worker.h"
#include "commonplace/features/picture.h"
#include "module.h"
#include "watched.h"

namespace commonplace::python {
namespace {

/// So many texts or pictures are computed between two looks for Ctrl-C.
constexpr std::size_t kBatch = 256;

/// An encoder that was added to the models' folder, or a folder of one.
class OpenEncoder {
 public:
  OpenEncoder(const std::string& named, const std::string& runtime, int jobs)
      : encoder_(find_encoder(named, models_folder()),
                 EncoderOptions{.runtime = runtime, .models = {}, .jobs = jobs}) {}

  std::string name() const { return encoder_.model().name; }
  std::int64_t dimensions(bool of_pictures) {
    return encoder_.dimensions(of_pictures ? Medium::picture : Medium::text);
  }

  py::array texts(const std::vector<std::string>& texts, int jobs, const py::object& progress) {
    return in_batches(texts, jobs, progress, Medium::text, "texts",
                      [&](const std::string& text) { return encoder_.prepare(text); });
  }
  py::array pictures(const std::vector<std::string>& files, int jobs, const py::object& progress) {
    const PictureOptions decoding = encoder_.decoding();
    return in_batches(files, jobs, progress, Medium::picture, "pictures",
                      [&](const std::string& bytes) {
                        return encoder_.prepare(decode_picture(bytes, "the picture", decoding));
                      });
  }

 private:
  template <class Prepare>
  py::array in_batches(const std::vector<std::string>& things, int jobs, const py::object& progress,
                       Medium medium, const char* unit, Prepare prepare) {
    return give(watched(jobs, progress, [&](const Run& run) {
      Matrix vectors(static_cast<Eigen::Index>(things.size()), encoder_.dimensions(medium));
      for (std::size_t begin = 0; begin < things.size(); begin += kBatch) {
        run.progress({"encoding", begin, things.size(), unit});
        const std::size_t end = std::min(things.size(), begin + kBatch);
        std::vector<decltype(prepare(things[0]))> batch;
        for (std::size_t i = begin; i < end; ++i) batch.push_back(prepare(things[i]));
        vectors.middleRows(static_cast<Eigen::Index>(begin),
                           static_cast<Eigen::Index>(end - begin)) = encoder_.encode(batch, [&] {
          run.progress({"encoding", begin, things.size(), unit});
        });
      }
      return vectors;
    }));
  }

  Encoder encoder_;
};

}  // namespace

void bind_encode(py::module_& module) {
  py::class_<OpenEncoder>(module, "Encoder")
      .def(py::init<const std::string&, const std::string&, int>(), py::arg("model"),
           py::arg("runtime"), py::arg("jobs"))
      .def_property_readonly("name", &OpenEncoder::name)
      .def("dimensions", &OpenEncoder::dimensions, py::arg("of_pictures"))
      .def("texts", &OpenEncoder::texts, py::arg("texts"), py::arg("jobs"), py::arg("progress"))
      .def("pictures", &OpenEncoder::pictures, py::arg("files"), py::arg("jobs"),
           py::arg("progress"));
  module.def(
      "set_worker_program",
      [](const std::string& program) { set_worker_program(std::filesystem::path(program)); },
      py::arg("program"));
  module.def("installed_encoders", [] {
    std::vector<std::string> names;
    for (const EncoderModel& model : installed_models(models_folder()).models)
      names.push_back(model.name);
    return names;
  });
}

}  // namespace commonplace::python
