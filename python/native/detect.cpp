#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <pybind11/stl.h>

#include "arrays.h"
#include "commonplace/detect/core/axis_eigenmaps.h"
#include "commonplace/detect/core/axis_eigenmaps_file.h"
#include "commonplace/detect/core/detector.h"
#include "commonplace/eval/confidence.h"
#include "commonplace/learn/label_propagation.h"
#include "commonplace/learn/neighbour_graph.h"
#include "module.h"
#include "options.h"
#include "watched.h"

namespace commonplace::python {

using namespace detect;
namespace {

/// Axis eigenmaps with the statistics that new items are added to.
struct AxisEigenmapsWithStatistics {
  AxisEigenmaps model;
  AxisStatistics statistics;
};

bool is_double(const py::array& rows) { return py::isinstance<py::array_t<double>>(rows); }

/// Calls work(view of the rows) for float32 or float64.
template <class Work>
auto with_view(const py::array& rows, Work work) {
  if (is_double(rows)) return work(view<double>(rows));
  return work(view<float>(rows));
}

AxisEigenmapsWithStatistics fit_axes(const py::array& rows, const py::dict& options, int jobs,
                                     const py::object& progress) {
  const auto parsed = options_from<AxisEigenmapOptions>(options);
  return with_view(rows, [&](const auto& matrix) {
    AxisEigenmapFit fitted = watched(
        jobs, progress, [&](const Run& run) { return fit_axis_eigenmaps(matrix, parsed, run); });
    return AxisEigenmapsWithStatistics{std::move(fitted.model), std::move(fitted.statistics)};
  });
}

void add_items(AxisEigenmapsWithStatistics& self, const py::array& rows, int jobs,
               const py::object& progress) {
  with_view(rows, [&](const auto& matrix) {
    AxisEigenmapsWithStatistics next = watched(jobs, progress, [&](const Run& run) {
      AxisEigenmapsWithStatistics more{{}, self.statistics};
      add_rows(more.statistics, self.model, matrix, run);
      more.model = refresh(self.model, more.statistics, run.jobs);
      return more;
    });
    self = std::move(next);
  });
}

py::array encode_axes(const AxisEigenmapsWithStatistics& self, const py::array& rows, int jobs) {
  return with_view(rows, [&](const auto& matrix) {
    return give(unlocked([&] { return encode(self.model, matrix, jobs); }));
  });
}

void bind_axis_eigenmaps(py::module_& module) {
  using Self = AxisEigenmapsWithStatistics;
  py::class_<Self> model(module, "AxisEigenmaps");
  model.def("encode", &encode_axes, py::arg("rows"), py::arg("jobs"))
      .def("add", &add_items, py::arg("rows"), py::arg("jobs"), py::arg("progress"))
      .def_property_readonly("eigenvalues",
                             [](const Self& self) { return give(VectorD(self.model.eigenvalues)); })
      .def_property_readonly("items", [](const Self& self) { return self.statistics.items; });
  model.def(py::pickle(
      [](const Self& self) {
        return py::make_tuple(py::bytes(to_bytes(self.model)),
                              py::bytes(to_bytes(self.statistics)));
      },
      [](const py::tuple& state) {
        Self self;
        self.model =
            load_axis_eigenmaps(TensorFile(state[0].cast<std::string>(), "the pickled eigenmaps"));
        self.statistics = load_axis_statistics(
            TensorFile(state[1].cast<std::string>(), "the pickled statistics"), self.model);
        return self;
      }));
  module.def("fit_axis_eigenmaps", &fit_axes, py::arg("rows"), py::arg("options"), py::arg("jobs"),
             py::arg("progress"));
  module.def("axis_eigenmap_options", &options_of<AxisEigenmapOptions>);
}

/// A space in which concepts are linear; how they are learned there; how sure a score is.
struct ConceptSpace {
  Space space;
  std::string representation;
  HeadSetting head;
  ConfidenceMap confidence;
  /// Share of the labelled items whose class was the best scored while they were held out; after
  /// the fit alone, -1 where none were.
  double held_accuracy = -1;

  Matrix coordinates(const MatrixView& rows, bool known, int jobs) const {
    return encode(space, std::span(&rows, 1), 0, rows.rows(), known, jobs);
  }
};

/// Concepts learned in a space.
struct Heads {
  ConceptHeads heads;
};

/// The labelled items on which choices are made.
LabelledItems some_of(const std::vector<std::int64_t>& labelled, const MatrixD& labels,
                      const DetectorOptions& options) {
  require(std::ssize(labelled) == labels.rows(), labelled.size(),
          " labelled items do not fit labels of ", labels.rows());
  std::vector<std::int64_t> places(labelled.size());
  std::iota(places.begin(), places.end(), 0);
  places = sample_labelled(places, options.choose_on, options.space.seed).rows;
  LabelledItems some{{}, labels(places, Eigen::all)};
  for (const std::int64_t place : places)
    some.rows.push_back(labelled[static_cast<std::size_t>(place)]);
  return some;
}

/// Share of items whose greatest score is the one of a concept that they show; -1 without scores.
double share_right(const Matrix& scores, const MatrixD& labels) {
  std::int64_t right = 0;
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    Eigen::Index best = 0;
    scores.row(row).maxCoeff(&best);
    right += labels(row, best) > 0 ? 1 : 0;
  }
  return scores.rows() == 0 ? -1 : static_cast<double>(right) / static_cast<double>(scores.rows());
}

double held_accuracy(const Detector& detector, const MatrixD& labels) {
  if (std::ssize(detector.held_scores) != labels.size()) return -1;
  using Columns = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
  const Eigen::Map<const Columns> scores(detector.held_scores.data(), labels.rows(), labels.cols());
  return share_right(scores, labels);
}

ConceptSpace fit_space(const Rows& items, const std::vector<std::int64_t>& labelled,
                       const py::array& labels, const py::dict& options, int jobs,
                       const py::object& progress) {
  const MatrixView rows = items.dense();
  const auto parsed = options_from<DetectorOptions>(options);
  const LabelledItems known = some_of(labelled, view<double>(labels), parsed);
  return watched(jobs, progress, [&](const Run& run) {
    Detector detector = fit_detector(std::span(&rows, 1), known, parsed, run);
    return ConceptSpace{std::move(detector.space), detector.representation, detector.head,
                        fit_confidence(detector.held_scores, detector.held_outcomes),
                        held_accuracy(detector, known.labels)};
  });
}

/// What labels spread to over the graph of nearest items: scores of the labelled items, each held
/// out with the others of its part (`folds`), and of all items by all labels.
py::tuple propagate(const Rows& items, const std::vector<std::int64_t>& labelled,
                    const py::array& labels, const std::vector<int>& folds, int jobs,
                    const py::object& progress) {
  const MatrixView rows = items.dense();
  const MatrixD known = view<double>(labels);
  require(folds.size() == labelled.size() && std::ssize(labelled) == known.rows(), labelled.size(),
          " labelled items do not fit ", folds.size(), " parts and labels of ", known.rows());
  auto [held, all] = watched(jobs, progress, [&](const Run& run) {
    const NeighbourGraph graph = neighbour_graph(rows, {.metric = "euclidean"}, run.jobs);
    const auto spread = [&](int without) {
      MatrixD start = MatrixD::Zero(rows.rows(), known.cols());
      for (std::size_t i = 0; i < labelled.size(); ++i)
        if (folds[i] != without)
          start.row(labelled[i]) = known.row(static_cast<Eigen::Index>(i)).cwiseMax(0);
      return propagate_labels(graph.weights.view(), start, {.alpha = 0.9}, run).scores;
    };
    Matrix scores = Matrix::Zero(known.rows(), known.cols());
    for (int fold = 0; fold <= *std::max_element(folds.begin(), folds.end()); ++fold) {
      const Matrix found = spread(fold);
      for (std::size_t i = 0; i < labelled.size(); ++i)
        if (folds[i] == fold) scores.row(static_cast<Eigen::Index>(i)) = found.row(labelled[i]);
    }
    return std::pair(std::move(scores), spread(-1));
  });
  return py::make_tuple(give(std::move(held)), give(std::move(all)));
}

void bind_concepts(py::module_& module) {
  py::class_<ConceptSpace> space(module, "ConceptSpace");
  space.def_readonly("representation", &ConceptSpace::representation)
      .def_readonly("held_accuracy", &ConceptSpace::held_accuracy)
      .def_property_readonly(
          "head", [](const ConceptSpace& self) { return self.head.svm ? "svm" : "laprls"; })
      .def(
          "encode",
          [](const ConceptSpace& self, const Rows& items, bool known, int jobs) {
            const MatrixView rows = items.dense();
            return give(unlocked([&] { return self.coordinates(rows, known, jobs); }));
          },
          py::arg("items"), py::arg("known"), py::arg("jobs"))
      .def(
          "teach",
          [](const ConceptSpace& self, const py::array& coordinates, const py::array& labels,
             int jobs) {
            const auto rows = view<float>(coordinates);
            const MatrixD of_rows = view<double>(labels);
            return unlocked([&] { return Heads{fit_heads(rows, of_rows, self.head, jobs)}; });
          },
          py::arg("coordinates"), py::arg("labels"), py::arg("jobs"))
      .def(
          "confidence",
          [](const ConceptSpace& self, const py::array& scores) {
            Matrix sure = view<float>(scores);
            for (float& each : sure.reshaped())
              each = static_cast<float>(confidence(self.confidence, static_cast<double>(each)));
            return give(std::move(sure));
          },
          py::arg("scores"));
  make_picklable<ConceptSpace>(
      space,
      [](const ConceptSpace& self) {
        TensorWriter writer;
        add_space(writer, self.space);
        writer.set("representation", self.representation);
        const std::vector<double> head = {self.head.svm ? 1.0 : 0.0, self.head.lambda,
                                          self.head.cost};
        writer.add("head", std::span<const double>(head));
        writer.add("confidence.score", std::span<const double>(self.confidence.score));
        writer.add("confidence.probability", std::span<const double>(self.confidence.probability));
        return writer.bytes();
      },
      [](const TensorFile& file) {
        ConceptSpace self;
        self.space = read_space(file);
        self.representation = file.metadata("representation");
        const auto head = file.doubles("head");
        require(head.size() == 3, file.name(), " is damaged");
        self.head = {head[0] != 0, head[1], head[2]};
        const auto scores = file.doubles("confidence.score");
        const auto probabilities = file.doubles("confidence.probability");
        self.confidence = {{scores.begin(), scores.end()},
                           {probabilities.begin(), probabilities.end()}};
        check(self.confidence);
        return self;
      });
  py::class_<Heads> heads(module, "ConceptHeads");
  heads.def(
      "score",
      [](const Heads& self, const py::array& coordinates, int jobs) {
        const auto rows = view<float>(coordinates);
        return give(unlocked([&] { return score(self.heads, rows, jobs); }));
      },
      py::arg("coordinates"), py::arg("jobs"));
  make_picklable<Heads>(
      heads,
      [](const Heads& self) {
        TensorWriter writer;
        writer.add("weights", self.heads.weights);
        writer.add("offsets",
                   std::span<const double>(self.heads.offsets.data(),
                                           static_cast<std::size_t>(self.heads.offsets.size())));
        return writer.bytes();
      },
      [](const TensorFile& file) {
        Heads self;
        self.heads.weights = file.matrix_d("weights");
        const auto offsets = file.doubles("offsets");
        require(std::ssize(offsets) == self.heads.weights.cols(), file.name(), " is damaged");
        self.heads.offsets =
            Eigen::Map<const VectorD>(offsets.data(), static_cast<Eigen::Index>(offsets.size()));
        return self;
      });
  module.def("fit_concept_space", &fit_space, py::arg("items"), py::arg("labelled"),
             py::arg("labels"), py::arg("options"), py::arg("jobs"), py::arg("progress"));
  module.def("propagate", &propagate, py::arg("items"), py::arg("labelled"), py::arg("labels"),
             py::arg("folds"), py::arg("jobs"), py::arg("progress"));
  module.def("detector_options", &options_of<DetectorOptions>);
}

}  // namespace

void bind_detect(py::module_& module) {
  bind_axis_eigenmaps(module);
  bind_concepts(module);
}

}  // namespace commonplace::python
