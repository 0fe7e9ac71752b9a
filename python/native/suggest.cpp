#include <optional>

#include <pybind11/stl.h>

#include "arrays.h"
#include "commonplace/suggest/core/gp_hyperparameters.h"
#include "commonplace/suggest/core/learn_suggester.h"
#include "commonplace/suggest/core/prototypes.h"
#include "commonplace/suggest/core/softmax_gp.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"
#include "commonplace/suggest/core/suggester.h"
#include "module.h"
#include "options.h"
#include "watched.h"

namespace commonplace::python {

using namespace suggest;
namespace {

/// A Gaussian process for classes, with the prototypes that it stands on.
struct SparseGpClassifier {
  SparseGpBasis basis;
  SoftmaxGp gp;

  Matrix probabilities(const FeatureRows& items, int jobs) const {
    return mode_probabilities(predict_latents(gp, whiten(basis, items, jobs),
                                              kernel_diagonal(basis.kernel, items), jobs));
  }
};

SparseGpClassifier fit_classifier(const Rows& items, const std::vector<std::int32_t>& labels,
                                  std::int64_t classes, const std::string& kernel,
                                  std::optional<double> length_scale, double variance,
                                  const py::dict& prototypes, const py::dict& tuning, int jobs,
                                  const py::object& progress) {
  const FeatureRows rows = items.rows();
  const auto choice = options_from<PrototypeOptions>(prototypes);
  const auto tune = options_from<HyperparameterOptions>(tuning);
  const KernelKind kind = kernel_kind(kernel);
  require(std::ssize(labels) == rows.rows(), "there are ", rows.rows(), " items but ",
          labels.size(), " labels");
  return watched(jobs, progress, [&](const Run& run) {
    const Kernel used = length_scale ? Kernel{kind, *length_scale, variance}
                                     : tune_kernel(kind, rows, labels, classes, tune, run).kernel;
    check(used);
    SparseGpClassifier model;
    model.basis = make_basis(used, select_prototypes(rows, labels, classes, used, choice, run).rows,
                             1e-6, run.jobs);
    model.gp = fit_softmax_gp(whiten(model.basis, rows, run.jobs), labels, classes,
                              SoftmaxGpOptions{}, run)
                   .model;
    return model;
  });
}

void bind_classifier(py::module_& module) {
  py::class_<SparseGpClassifier> model(module, "SparseGpClassifier");
  model
      .def_property_readonly(
          "length_scale",
          [](const SparseGpClassifier& self) { return self.basis.kernel.length_scale; })
      .def_property_readonly(
          "variance", [](const SparseGpClassifier& self) { return self.basis.kernel.variance; })
      .def_property_readonly("prototypes",
                             [](const SparseGpClassifier& self) { return self.basis.size(); })
      .def(
          "probabilities",
          [](const SparseGpClassifier& self, const Rows& items, int jobs) {
            const FeatureRows rows = items.rows();
            return give(unlocked([&] { return self.probabilities(rows, jobs); }));
          },
          py::arg("items"), py::arg("jobs"));
  make_picklable<SparseGpClassifier>(
      model,
      [](const SparseGpClassifier& self) {
        TensorWriter writer;
        add_basis(writer, self.basis);
        add_softmax_gp(writer, self.gp);
        return writer.bytes();
      },
      [](const TensorFile& file) {
        return SparseGpClassifier{read_basis(file), read_softmax_gp(file)};
      });
  module.def("fit_sparse_gp_classifier", &fit_classifier, py::arg("items"), py::arg("labels"),
             py::arg("classes"), py::arg("kernel"), py::arg("length_scale"), py::arg("variance"),
             py::arg("prototypes"), py::arg("tuning"), py::arg("jobs"), py::arg("progress"));
  module.def("prototype_options", &options_of<PrototypeOptions>);
  module.def("tuning_options", &options_of<HyperparameterOptions>);
}

Matrix scores_of(const Suggester& suggester, const FeatureRows& raw, int jobs) {
  return score(suggester, prepare(suggester, raw, jobs).view(), {}, jobs);
}

Matrix confidence_of(const Suggester& suggester, Matrix scores) {
  for (float& each : scores.reshaped())
    each = static_cast<float>(confidence(suggester.confidence, static_cast<double>(each)));
  return scores;
}

py::tuple fit_suggester(const Rows& items, const Rows& targets, const py::dict& options, int jobs,
                        const py::object& progress) {
  const SuggesterData data{.features = items.rows(), .blocks = {}, .targets = targets.sparse()};
  const auto parsed = options_from<SuggesterOptions>(options);
  LearnedSuggester learned =
      watched(jobs, progress, [&](const Run& run) { return learn_suggester(data, parsed, run); });
  return py::make_tuple(std::move(learned.suggester), to_json(learned.report));
}

void bind_suggester(py::module_& module) {
  py::class_<Suggester> model(module, "Suggester");
  model.def_readonly("threshold", &Suggester::threshold)
      .def_property_readonly("tags", &Suggester::tags)
      .def(
          "score",
          [](const Suggester& self, const Rows& items, int jobs) {
            const FeatureRows rows = items.rows();
            return give(unlocked([&] { return scores_of(self, rows, jobs); }));
          },
          py::arg("items"), py::arg("jobs"))
      .def(
          "confidence",
          [](const Suggester& self, const Rows& items, int jobs) {
            const FeatureRows rows = items.rows();
            return give(unlocked([&] { return confidence_of(self, scores_of(self, rows, jobs)); }));
          },
          py::arg("items"), py::arg("jobs"));
  make_picklable<Suggester>(
      model,
      [](const Suggester& self) {
        TensorWriter writer;
        add_suggester(writer, self);
        return writer.bytes();
      },
      [](const TensorFile& file) { return read_suggester(file); });
  module.def("fit_suggester", &fit_suggester, py::arg("items"), py::arg("targets"),
             py::arg("options"), py::arg("jobs"), py::arg("progress"));
  module.def("suggester_options", &options_of<SuggesterOptions>);
}

}  // namespace

void bind_suggest(py::module_& module) {
  bind_classifier(module);
  bind_suggester(module);
}

}  // namespace commonplace::python
