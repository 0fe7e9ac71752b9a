#include <memory>

#include <pybind11/stl.h>

#include "arrays.h"
#include "commonplace/search/core/shared_subspace.h"
#include "module.h"
#include "options.h"
#include "watched.h"

namespace commonplace::python {

using namespace search;
namespace {

/// The model, its objective after each iteration, and whether it converged.
py::tuple fit(const std::vector<const Rows*>& collections, int rank, int auxiliary_rank, int shared,
              const py::dict& options, int jobs, const py::object& progress) {
  std::vector<SparseView> views;
  for (const Rows* rows : collections) views.push_back(rows->sparse());
  const auto parsed = options_from<SharedSubspaceOptions>(options);
  const auto blocks = shared_blocks(static_cast<int>(views.size()), rank, auxiliary_rank, shared);
  SharedSubspaceFit fitted = watched(jobs, progress, [&](const Run& run) {
    return fit_shared_subspace(views, blocks, parsed, run);
  });
  return py::make_tuple(std::move(fitted.model), fitted.report.objective, fitted.report.converged);
}

}  // namespace

void bind_search(py::module_& module) {
  py::class_<SharedSubspace> model(module, "SharedSubspace");
  model
      .def_property_readonly("basis",
                             [](const SharedSubspace& self) { return give(Matrix(self.basis)); })
      .def("topics_of", &SharedSubspace::topics_of, py::arg("collection"))
      .def(
          "encode",
          [](const SharedSubspace& self, int collection, const Rows& items, int jobs) {
            const SparseView view = items.sparse();
            return give(unlocked([&] { return encode(self, collection, view, jobs); }));
          },
          py::arg("collection"), py::arg("items"), py::arg("jobs"));
  make_picklable<SharedSubspace>(
      model, [](const SharedSubspace& self) { return to_bytes(self); },
      [](const TensorFile& file) { return load_shared_subspace(file); });
  module.def("fit_shared_subspace", &fit, py::arg("collections"), py::arg("rank"),
             py::arg("auxiliary_rank"), py::arg("shared"), py::arg("options"), py::arg("jobs"),
             py::arg("progress"));
  module.def("shared_subspace_options", &options_of<SharedSubspaceOptions>);
}

}  // namespace commonplace::python
