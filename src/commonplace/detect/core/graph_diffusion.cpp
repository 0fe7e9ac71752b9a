#include "commonplace/detect/core/graph_diffusion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/detect/core/axis_spread.h"
#include "commonplace/io/tensors.h"
#include "commonplace/learn/row_sample.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/nearest_rows.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace::detect {
namespace {

constexpr const char* kGraphDiffusionKind = "neighbour-smoothing";
constexpr int kGraphDiffusionLayout = 1;
constexpr std::int64_t kProductsAtOnce = 1 << 23;
/// Of the greatest.
constexpr double kLeastVariance = 1e-6;

void check(const GraphDiffusionOptions& options) {
  require(options.neighbours >= 1 && options.neighbours <= 1000, "neighbours is ",
          options.neighbours, "; expected 1 .. 1000");
  require(options.share >= 0 && options.share <= 1, "share is ", options.share,
          "; expected 0 .. 1");
  require(options.sharpness >= 0 && options.sharpness <= 100, "sharpness is ", options.sharpness,
          "; expected 0 .. 100");
  require(options.rounds >= 1 && options.rounds <= 100, "rounds is ", options.rounds,
          "; expected 1 .. 100");
  require(options.whitening >= 0 && options.whitening <= 1, "whitening is ", options.whitening,
          "; expected 0 .. 1");
  require(options.references >= 1, "references is ", options.references, "; expected 1 or more");
}

/// The place of an item among the references, or -1.
std::int64_t place_of(const GraphDiffusion& model, std::span<const std::int64_t> items,
                      std::int64_t row) {
  if (items.empty()) return -1;
  const std::int64_t item = items[static_cast<std::size_t>(row)];
  const auto at = std::lower_bound(model.rows.begin(), model.rows.end(), item);
  return at != model.rows.end() && *at == item ? at - model.rows.begin() : -1;
}

/// Sets mean and whitening. Directions in which items hardly vary are not blown up.
void learn_whitening(const Eigen::Ref<const Matrix>& rows, GraphDiffusion& model, const Run& run) {
  const Spread spread = measure_spread<float>(rows, true, run, [](std::int64_t) {});
  const auto items = static_cast<double>(std::max<std::int64_t>(spread.items, 1));
  model.mean = spread.sum / items;
  const SymmetricEigen eigen = symmetric_eigen(spread.scatter / items);
  const VectorD variance = eigen.values.cwiseMax(kLeastVariance * eigen.values.maxCoeff());
  if (!(variance.maxCoeff() > 0)) {  // all items alike
    model.whitening = Matrix::Identity(model.mean.size(), model.mean.size());
    return;
  }
  const VectorD powers = variance.array().pow(-model.options.whitening / 2);
  model.whitening = (eigen.vectors * powers.asDiagonal() * eigen.vectors.transpose()).cast<float>();
}

Matrix whitened(const GraphDiffusion& model, const Eigen::Ref<const Matrix>& rows, int jobs) {
  Matrix result = rows;
  if (model.whitening.size() > 0) {
    const Eigen::RowVectorXf mean = model.mean.transpose().cast<float>();
    result.rowwise() -= mean;
    result = multiply(result, model.whitening, jobs);
  }
  return unit_rows(std::move(result), jobs);
}

/// (1 - share) of each row and `share` of what `values` its nearest references have.
/// `items` as in encode.
void average(const GraphDiffusion& model, const Matrix& values, std::span<const std::int64_t> items,
             int jobs, Matrix& rows) {
  const auto share = static_cast<float>(model.options.share);
  const std::int64_t block = std::max<std::int64_t>(
      1, kProductsAtOnce / std::max<std::int64_t>(1, model.references.rows()));
  for (std::int64_t first = 0; first < rows.rows(); first += block) {
    auto part = rows.middleRows(first, std::min(block, rows.rows() - first));
    const Matrix cosines = multiply_transposed(part, model.references, jobs);
    std::vector<std::int64_t> skip;
    for (Eigen::Index i = 0; i < part.rows(); ++i)
      skip.push_back(place_of(model, items, first + i));
    const Sparse nearest = greatest_of_rows(cosines, model.options.neighbours, skip, jobs);
    parallel_for(
        static_cast<std::size_t>(part.rows()), jobs, [&](std::size_t begin, std::size_t end) {
          for (auto i = static_cast<Eigen::Index>(begin); i < static_cast<Eigen::Index>(end); ++i) {
            const auto places = nearest.view().row_indices(i);
            std::vector<float> weights;
            double sum = 0;
            for (const float cosine : nearest.view().row_values(i)) {
              weights.push_back(std::pow(cosine, static_cast<float>(model.options.sharpness)));
              sum += static_cast<double>(weights.back());
            }
            if (!(sum > 0)) continue;
            part.row(i) *= 1 - share;
            for (std::size_t j = 0; j < weights.size(); ++j)
              part.row(i) += share * static_cast<float>(static_cast<double>(weights[j]) / sum) *
                             values.row(places[j]);
          }
        });
  }
}

}  // namespace

GraphDiffusionFit fit_graph_diffusion(const Eigen::Ref<const Matrix>& rows,
                                      const GraphDiffusionOptions& options, const Run& run) {
  const auto begin = Clock::now();
  const double waited = run.comm.seconds();
  check(options);
  const std::int64_t columns = check_features(rows, run.comm);
  require(columns > 0, "the items have no features; expected 1 or more");
  RowSample sample = sample_rows(rows, options.references, options.seed, run.comm);
  require(!sample.items.empty(), "there are no items to be neighbours; expected 1 or more");
  GraphDiffusionFit result;
  GraphDiffusion& model = result.model;
  model.options = options;
  model.rows = std::move(sample.items);
  if (options.whitening > 0 && columns <= kMostWhitened) learn_whitening(rows, model, run);
  model.references = whitened(model, sample.rows, run.jobs);
  model.averaged = model.references;
  for (int round = 1; round < options.rounds; ++round) {
    run.progress({"averaging with neighbours", static_cast<std::uint64_t>(round - 1),
                  static_cast<std::uint64_t>(options.rounds - 1), "rounds"});
    Matrix next = model.references;
    average(model, model.averaged, model.rows, run.jobs, next);
    model.averaged = std::move(next);
  }
  result.report.iterations = options.rounds;
  result.report.converged = true;
  result.report.communication_seconds = run.comm.seconds() - waited;
  result.report.compute_seconds = seconds_since(begin) - result.report.communication_seconds;
  return result;
}

Matrix encode(const GraphDiffusion& model, const Eigen::Ref<const Matrix>& rows,
              std::span<const std::int64_t> items, int jobs) {
  require(rows.cols() == model.features(), "the rows have ", rows.cols(), " features, the model ",
          model.features(), "; give the features it was fitted on");
  require(items.empty() || std::ssize(items) == rows.rows(), "there are ", items.size(),
          " item numbers for ", rows.rows(), " rows; give one each, or none");
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    require(rows.row(row).allFinite(), "row ", row + 1,
            " has a feature that is not a finite number; expected only finite ones");
  Matrix result = whitened(model, rows, jobs);
  average(model, model.averaged, items, jobs, result);
  return unit_rows(std::move(result), jobs);
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, GraphDiffusion>
static void visit_tensors(Self& model, Visit&& visit) {
  visit("references", model.references);
  const std::int64_t columns = model.references.cols();
  visit("averaged", model.averaged, TensorShape{model.references.rows(), columns});
  visit("rows", model.rows, TensorShape{model.references.rows()});
  visit("whitening", model.whitening);
  visit("mean", model.mean);
}

void save(const GraphDiffusion& model, const std::filesystem::path& path) {
  model_writer(model, kGraphDiffusionKind, kGraphDiffusionLayout).write(path);
}

std::string to_bytes(const GraphDiffusion& model) {
  return model_writer(model, kGraphDiffusionKind, kGraphDiffusionLayout).bytes();
}

GraphDiffusion load_graph_diffusion(const TensorFile& file) {
  GraphDiffusion model =
      read_model<GraphDiffusion>(file, kGraphDiffusionKind, kGraphDiffusionLayout,
                                 [](const GraphDiffusionOptions& options) { check(options); });
  const Eigen::Index columns = model.references.cols();
  require(model.whitening.size() == 0 ||
              (model.whitening.rows() == columns && model.whitening.cols() == columns &&
               model.mean.size() == columns),
          file.name(), ": the parts of the smoothing do not fit; the file is damaged");
  require(!model.rows.empty() && model.rows[0] >= 0 &&
              std::is_sorted(model.rows.begin(), model.rows.end()),
          file.name(), ": the item numbers are out of order; the file is damaged");
  return model;
}

}  // namespace commonplace::detect
