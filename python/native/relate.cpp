#include <optional>
#include <tuple>

#include <pybind11/stl.h>

#include "arrays.h"
#include "commonplace/relate/core/guided_projection.h"
#include "commonplace/relate/core/nystrom_features.h"
#include "module.h"
#include "options.h"
#include "watched.h"

namespace commonplace::python {

using namespace relate;
namespace {

/// A modality: its features, or nothing and how many items it has; and its ridge.
using View = std::tuple<const Rows*, std::int64_t, double>;
/// Links between modalities, by number: items of one x items of the other; and their weight.
using Links = std::tuple<std::size_t, std::size_t, const Rows*, double>;

GuidedProjection fit(const std::vector<View>& views, const std::vector<Links>& links,
                     const py::dict& options, int jobs, const py::object& progress) {
  const auto parsed = options_from<GuidedProjectionOptions>(options);
  std::vector<FeatureRows> features;
  features.reserve(views.size());
  std::vector<GuidedModality> modalities;
  for (const auto& [rows, items, gamma] : views) {
    const FeatureRows* own = rows != nullptr ? &features.emplace_back(rows->rows()) : nullptr;
    modalities.push_back({own, own != nullptr ? own->rows() : items, gamma});
  }
  std::vector<Guidance> guidance;
  for (const auto& [from, to, weights, weight] : links)
    guidance.push_back({from, to, weights->sparse(), weight});
  return watched(jobs, progress, [&](const Run& run) {
    return fit_guided_projection(modalities, guidance, parsed, run).model;
  });
}

}  // namespace

void bind_relate(py::module_& module) {
  py::class_<GuidedProjection> model(module, "GuidedProjection");
  model
      .def(
          "encode",
          [](const GuidedProjection& self, std::size_t modality, const Rows& items, int jobs) {
            const FeatureRows rows = items.rows();
            return give(unlocked([&] { return encode(self, modality, rows, jobs); }));
          },
          py::arg("modality"), py::arg("items"), py::arg("jobs"))
      .def(
          "encode_identity",
          [](const GuidedProjection& self, std::size_t modality,
             const std::vector<std::int64_t>& items) {
            return give(encode_identity(self, modality, items));
          },
          py::arg("modality"), py::arg("items"))
      .def_property_readonly(
          "eigenvalues",
          [](const GuidedProjection& self) { return give(VectorD(self.eigenvalues)); })
      .def_property_readonly(
          "strength", [](const GuidedProjection& self) { return give(VectorD(self.strength)); });
  make_picklable<GuidedProjection>(
      model, [](const GuidedProjection& self) { return to_bytes(self); },
      [](const TensorFile& file) { return load_guided_projection(file); });
  module.def("fit_guided_projection", &fit, py::arg("views"), py::arg("links"), py::arg("options"),
             py::arg("jobs"), py::arg("progress"));
  module.def("guided_projection_options", &options_of<GuidedProjectionOptions>);

  py::class_<NystromFeatures> nystrom(module, "NystromFeatures");
  nystrom
      .def(
          "encode",
          [](const NystromFeatures& self, const Rows& items, int jobs) {
            const FeatureRows rows = items.rows();
            return give(unlocked([&] { return encode(self, rows, jobs); }));
          },
          py::arg("items"), py::arg("jobs"))
      .def_property_readonly("count", &NystromFeatures::count)
      .def_property_readonly("width",
                             [](const NystromFeatures& self) { return self.options.width; });
  make_picklable<NystromFeatures>(
      nystrom, [](const NystromFeatures& self) { return to_bytes(self); },
      [](const TensorFile& file) { return load_nystrom_features(file); });
  module.def(
      "fit_nystrom_features",
      [](const Rows& items, const py::dict& options, int jobs) {
        const FeatureRows rows = items.rows();
        const auto parsed = options_from<NystromOptions>(options);
        return unlocked([&] { return fit_nystrom_features(rows, parsed, jobs); });
      },
      py::arg("items"), py::arg("options"), py::arg("jobs"));
  module.def("nystrom_options", &options_of<NystromOptions>);
}

}  // namespace commonplace::python
