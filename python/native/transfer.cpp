#include <tuple>
#include <utility>

#include <pybind11/stl.h>

#include "arrays.h"
#include "commonplace/transfer/core/base_classifiers.h"
#include "commonplace/transfer/core/transitive_transfer.h"
#include "module.h"
#include "options.h"
#include "watched.h"

namespace commonplace::python {

using namespace transfer;
namespace {

using Labelled = std::pair<const Rows*, std::vector<std::int32_t>>;

std::vector<TransferCollection> collections_of(const std::vector<Labelled>& from) {
  std::vector<TransferCollection> result;
  for (const auto& [rows, labels] : from) result.push_back({rows->sparse(), labels});
  return result;
}

/// The probabilities of the path's collections, and a dictionary for each of how it was reached.
py::tuple carry(const std::vector<Labelled>& sources, const std::vector<Labelled>& path,
                std::int64_t classes, const py::dict& options, int jobs,
                const py::object& progress) {
  const auto parsed = options_from<Options>(options);
  const auto from = collections_of(sources);
  const auto along = collections_of(path);
  Transfer transfer = watched(jobs, progress, [&](const Run& run) {
    return transfer_classes(from, along, classes, parsed, run);
  });
  py::list found;
  for (MatrixD& each : transfer.classes) found.append(give(std::move(each)));
  py::list stages;
  for (const Stage& stage : transfer.stages) {
    py::dict told;
    told["answer"] = stage.answer;
    told["told_by"] = stage.told_by;
    told["expected"] = stage.expected;
    told["shared_features"] = stage.shared_features;
    told["clustered"] = stage.clustered;
    told["collapsed"] = stage.collapsed;
    told["iterations"] = stage.report.iterations;
    stages.append(told);
  }
  return py::make_tuple(found, stages);
}

/// How naive Bayes and logistic regression are pooled, and the cost of the latter.
using Pool = std::tuple<double, double, double>;

Pool choose(const Rows& teachers, const py::array& classes, const std::string& kind, int jobs,
            const py::object& progress) {
  const SparseView items = teachers.sparse();
  const MatrixD known = view<double>(classes);
  return watched(jobs, progress, [&](const Run& run) {
    const ClassifierPool pool =
        choose_pool(items, known, features_in_use(items, run.comm), kind, {}, run);
    return Pool{pool.naive_bayes, pool.regression, pool.cost};
  });
}

/// What the pool, learned from items of known classes, says of others.
py::array tell(const Rows& teachers, const py::array& classes, const Rows& items, const Pool& pool,
               int jobs, const py::object& progress) {
  const SparseView from = teachers.sparse();
  const SparseView of = items.sparse();
  const MatrixD known = view<double>(classes);
  return give(watched(jobs, progress, [&](const Run& run) {
    ClassifierPool pooled;
    std::tie(pooled.naive_bayes, pooled.regression, pooled.cost) = pool;
    return class_probabilities(
        pooled_evidence(pooled, from, known, features_in_use(from, run.comm), of, {}, run));
  }));
}

}  // namespace

void bind_transfer(py::module_& module) {
  module.def("transfer_classes", &carry, py::arg("sources"), py::arg("path"), py::arg("classes"),
             py::arg("options"), py::arg("jobs"), py::arg("progress"));
  module.def("choose_pool", &choose, py::arg("teachers"), py::arg("classes"), py::arg("kind"),
             py::arg("jobs"), py::arg("progress"));
  module.def("tell_classes", &tell, py::arg("teachers"), py::arg("classes"), py::arg("items"),
             py::arg("pool"), py::arg("jobs"), py::arg("progress"));
  module.def("transfer_options", &options_of<Options>);
}

}  // namespace commonplace::python
