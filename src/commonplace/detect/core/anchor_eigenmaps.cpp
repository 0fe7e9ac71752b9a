// Symbols as in Liu, He and Chang (2010):
//   Z     items x anchors, rows sum to one          Λ   diag of the column sums of Z
//   M     Λ^-½ Zᵀ Z Λ^-½, anchors x anchors         V, s  its eigenvectors and eigenvalues
// The graph W = Z Λ⁻¹ Zᵀ has the eigenvalues s and the eigenvectors U = Z Λ^-½ V S^-½. M always has
// the eigenvector Λ^½ 1 of eigenvalue 1, which makes U constant.
#include "commonplace/detect/core/anchor_eigenmaps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/io/tensors.h"
#include "commonplace/learn/row_means.h"
#include "commonplace/learn/row_sample.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/k_means.h"

namespace commonplace::detect {
namespace {

constexpr const char* kAnchorEigenmapsKind = "anchor-eigenmaps";
constexpr int kAnchorEigenmapsLayout = 1;
constexpr std::int64_t kBlockRows = 2048;
constexpr std::int64_t kMostAnchors = 20000;
constexpr double kLeastEigenvalue = 1e-9;
constexpr int kEmbeddingSteps = 200;

void check(const AnchorEigenmapOptions& options) {
  require(options.count >= 1, "count is ", options.count, "; expected 1 or more");
  require(options.anchors >= 2 && options.anchors <= kMostAnchors, "anchors is ", options.anchors,
          "; expected 2 .. ", kMostAnchors);
  require(options.nearest >= 1 && options.nearest <= 100, "nearest is ", options.nearest,
          "; expected 1 .. 100");
  require(options.weights == "rbf" || options.weights == "lae", "weights is '", options.weights,
          "'; expected rbf or lae");
  require(options.sample >= 2, "sample is ", options.sample, "; expected 2 or more");
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
}

struct Near {
  std::int32_t anchor;
  double squared_distance;
};

/// The `count` least entries' places, ascending in value; ties go to the lower place.
void least(const float* values, std::int64_t size,
           std::vector<std::pair<float, std::int32_t>>& found, std::size_t count) {
  found.clear();
  for (std::int64_t i = 0; i < size; ++i) {
    if (found.size() == count && values[i] >= found.back().first) continue;
    if (found.size() == count) found.pop_back();
    const std::pair<float, std::int32_t> entry(values[i], static_cast<std::int32_t>(i));
    found.insert(std::upper_bound(found.begin(), found.end(), entry), entry);
  }
}

/// Calls visit(row, nearest anchors, nearest first) for each row, from several threads.
template <class Visit>
void for_each_near(const Matrix& anchors, const Eigen::Ref<const Matrix>& rows, std::int64_t count,
                   int jobs, const Visit& visit) {
  const Eigen::RowVectorXf squares = anchors.rowwise().squaredNorm();
  const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(count, anchors.rows()));
  parallel_for(
      static_cast<std::size_t>(rows.rows()), jobs,
      [&](std::size_t begin, std::size_t end) {
        const auto first = static_cast<Eigen::Index>(begin);
        const auto part = rows.middleRows(first, static_cast<Eigen::Index>(end - begin));
        Matrix distances = multiply_transposed(part, anchors, 1);
        std::vector<std::pair<float, std::int32_t>> found;
        std::vector<Near> near;
        for (Eigen::Index i = 0; i < part.rows(); ++i) {
          distances.row(i) = squares - 2 * distances.row(i);
          least(distances.row(i).data(), distances.cols(), found, wanted);
          near.clear();
          for (const auto& entry : found)
            near.push_back(
                {entry.second,
                 (part.row(i) - anchors.row(entry.second)).template cast<double>().squaredNorm()});
          visit(first + i, part.row(i), near);
        }
      },
      static_cast<std::size_t>(kBlockRows / 8));
}

/// The nearest point of the simplex (Duchi et al. 2008).
void project_to_simplex(VectorD& z) {
  VectorD sorted = z;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double shift = 0;
  for (Eigen::Index i = 0; i < sorted.size(); ++i) {
    sum += sorted(i);
    const double candidate = (sum - 1) / static_cast<double>(i + 1);
    if (sorted(i) > candidate) shift = candidate;
  }
  z = (z.array() - shift).cwiseMax(0);
}

/// The convex combination of the anchors that is nearest to the row, by accelerated descent.
template <class Row>
VectorD embed(const Matrix& anchors, const Row& row, const std::vector<Near>& near) {
  const auto count = std::ssize(near);
  MatrixD apart(count, row.size());
  for (Eigen::Index j = 0; j < count; ++j)
    apart.row(j) =
        (anchors.row(near[static_cast<std::size_t>(j)].anchor) - row).template cast<double>();
  const MatrixD gram = apart * apart.transpose();
  VectorD z = VectorD::Constant(count, 1 / static_cast<double>(count));
  const double step = gram.trace();
  if (step <= 0) return z;
  VectorD ahead = z;
  double momentum = 1;
  for (int i = 0; i < kEmbeddingSteps; ++i) {
    VectorD next = ahead - gram * ahead / step;
    project_to_simplex(next);
    const double more = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    ahead = next + (momentum - 1) / more * (next - z);
    momentum = more;
    z = next;
  }
  return z;
}

/// One item's weights of its anchors, which sum to one.
template <class Row>
VectorD weights_of(const AnchorEigenmaps& model, const Row& row, const std::vector<Near>& near) {
  if (model.options.weights == "lae") return embed(model.anchors, row, near);
  VectorD z(std::ssize(near));
  // The nearest has weight 1 before they are scaled, so that none is lost far from all anchors.
  for (Eigen::Index j = 0; j < z.size(); ++j)
    z(j) =
        std::exp((near[0].squared_distance - near[static_cast<std::size_t>(j)].squared_distance) /
                 (2 * model.bandwidth * model.bandwidth));
  return z / z.sum();
}

/// The mean distance to the farthest of the `nearest` anchors.
double mean_reach(const Matrix& anchors, const Matrix& rows, std::int64_t nearest, int jobs) {
  VectorD reach(rows.rows());
  for_each_near(anchors, rows, nearest, jobs, [&](Eigen::Index row, const auto&, const auto& near) {
    reach(row) = std::sqrt(near.back().squared_distance);
  });
  const double mean = reach.mean();
  return mean > 0 ? mean : 1;
}

/// Weights of a block of rows, `nearest` a row.
struct Ties {
  std::vector<std::int32_t> anchor;
  std::vector<double> weight;
  std::size_t each = 0;
};

Ties tie(const AnchorEigenmaps& model, const Eigen::Ref<const Matrix>& rows, int jobs) {
  Ties ties;
  ties.each =
      static_cast<std::size_t>(std::min<std::int64_t>(model.options.nearest, model.anchors.rows()));
  ties.anchor.resize(static_cast<std::size_t>(rows.rows()) * ties.each);
  ties.weight.resize(ties.anchor.size());
  for_each_near(model.anchors, rows, model.options.nearest, jobs,
                [&](Eigen::Index row, const auto& values, const std::vector<Near>& near) {
                  const VectorD z = weights_of(model, values, near);
                  for (std::size_t j = 0; j < ties.each; ++j) {
                    const std::size_t at = static_cast<std::size_t>(row) * ties.each + j;
                    ties.anchor[at] = near[j].anchor;
                    ties.weight[at] = z(static_cast<Eigen::Index>(j));
                  }
                });
  return ties;
}

/// gram += Zᵀ Z, degree += Zᵀ 1.
void add_ties(const Ties& ties, MatrixD& gram, VectorD& degree) {
  for (std::size_t first = 0; first < ties.anchor.size(); first += ties.each)
    for (std::size_t i = first; i < first + ties.each; ++i) {
      degree(ties.anchor[i]) += ties.weight[i];
      for (std::size_t j = first; j < first + ties.each; ++j)
        gram(ties.anchor[i], ties.anchor[j]) += ties.weight[i] * ties.weight[j];
    }
}

/// Leaves out anchors that no item is tied to.
void drop_unused(AnchorEigenmaps& model, MatrixD& gram, VectorD& degree) {
  std::vector<Eigen::Index> used;
  for (Eigen::Index i = 0; i < degree.size(); ++i)
    if (degree(i) > 0) used.push_back(i);
  if (std::ssize(used) == degree.size()) return;
  model.anchors = model.anchors(used, Eigen::all).eval();
  gram = gram(used, used).eval();
  degree = degree(used).eval();
}

void solve(AnchorEigenmaps& model, const MatrixD& gram, const VectorD& degree) {
  const VectorD scale = degree.cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd reduced = scale.asDiagonal() * gram * scale.asDiagonal();
  const VectorD constant = degree.cwiseSqrt().normalized();
  reduced -= constant * constant.transpose();
  const SymmetricEigen eigen = symmetric_eigen(reduced);
  const VectorD s = eigen.values.reverse();
  Eigen::Index count = 0;
  while (count < std::min<Eigen::Index>(s.size(), model.options.count) &&
         s(count) > kLeastEigenvalue)
    ++count;
  model.eigenvalues = (1 - s.head(count).array()).cwiseMax(0);
  model.projection = scale.asDiagonal() * eigen.vectors.rowwise().reverse().leftCols(count) *
                     s.head(count).cwiseSqrt().cwiseInverse().asDiagonal();
  for (Eigen::Index i = 0; i < count; ++i) {
    Eigen::Index greatest = 0;
    model.projection.col(i).cwiseAbs().maxCoeff(&greatest);
    if (model.projection(greatest, i) < 0) model.projection.col(i) *= -1;
  }
}

void check_rows(const AnchorEigenmaps& model, const Eigen::Ref<const Matrix>& rows) {
  require(rows.cols() == model.features(), "the rows have ", rows.cols(), " features, the model ",
          model.features(), "; give the features it was fitted on");
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    require(rows.row(row).allFinite(), "row ", row + 1,
            " has a feature that is not a finite number; expected only finite ones");
}

}  // namespace

AnchorEigenmapFit fit_anchor_eigenmaps(const Eigen::Ref<const Matrix>& rows,
                                       const AnchorEigenmapOptions& options, const Run& run) {
  const auto begin = Clock::now();
  const double waited = run.comm.seconds();
  check(options);
  require(check_features(rows, run.comm) > 0, "the items have no features; expected 1 or more");
  AnchorEigenmapFit result;
  AnchorEigenmaps& model = result.model;
  model.options = options;
  model.items = global_rows(rows.rows(), run.comm).count;
  require(model.items >= 2, "there are ", model.items,
          " items to learn eigenmaps from; expected 2 or more");
  const Matrix sample = sample_rows(rows, options.sample, options.seed, run.comm).rows;
  KMeansOptions clusters;
  clusters.clusters = std::min<std::int64_t>(options.anchors, sample.rows());
  clusters.iterations = options.iterations;
  clusters.seed = options.seed;
  clusters.jobs = run.jobs;
  model.anchors = k_means(sample, clusters, run.progress);
  model.bandwidth = mean_reach(model.anchors, sample, options.nearest, run.jobs);
  MatrixD gram = MatrixD::Zero(model.anchors.rows(), model.anchors.rows());
  VectorD degree = VectorD::Zero(model.anchors.rows());
  for (std::int64_t first = 0; first < rows.rows(); first += kBlockRows) {
    const auto part = rows.middleRows(first, std::min(kBlockRows, rows.rows() - first));
    add_ties(tie(model, part, run.jobs), gram, degree);
    run.progress({"tying items to anchors", static_cast<std::uint64_t>(first + part.rows()),
                  static_cast<std::uint64_t>(rows.rows()), "rows"});
  }
  run.comm.sum(gram);
  run.comm.sum(std::span<double>(degree.data(), static_cast<std::size_t>(degree.size())));
  drop_unused(model, gram, degree);
  solve(model, gram, degree);
  result.report.iterations = 1;
  result.report.converged = true;
  result.report.communication_seconds = run.comm.seconds() - waited;
  result.report.compute_seconds = seconds_since(begin) - result.report.communication_seconds;
  return result;
}

Sparse anchor_weights(const AnchorEigenmaps& model, const Eigen::Ref<const Matrix>& rows,
                      int jobs) {
  check_rows(model, rows);
  const Ties ties = tie(model, rows, jobs);
  Sparse result;
  result.columns = model.anchors.rows();
  std::vector<std::pair<std::int32_t, float>> entries;
  for (std::size_t first = 0; first < ties.anchor.size(); first += ties.each) {
    entries.clear();
    for (std::size_t i = first; i < first + ties.each; ++i)
      entries.emplace_back(ties.anchor[i], static_cast<float>(ties.weight[i]));
    std::sort(entries.begin(), entries.end());
    for (const auto& [anchor, weight] : entries) result.push(anchor, weight);
    result.end_row();
  }
  return result;
}

Matrix encode(const AnchorEigenmaps& model, const Eigen::Ref<const Matrix>& rows, int jobs) {
  check_rows(model, rows);
  Matrix result(rows.rows(), model.count());
  const Matrix projection = model.projection.cast<float>();
  for_each_near(model.anchors, rows, model.options.nearest, jobs,
                [&](Eigen::Index row, const auto& values, const std::vector<Near>& near) {
                  const VectorD z = weights_of(model, values, near);
                  result.row(row).setZero();
                  for (std::size_t j = 0; j < near.size(); ++j)
                    result.row(row) += static_cast<float>(z(static_cast<Eigen::Index>(j))) *
                                       projection.row(near[j].anchor);
                });
  return result;
}

namespace {}  // namespace

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, AnchorEigenmaps>
static void visit_tensors(Self& model, Visit&& visit) {
  visit("items", model.items);
  visit("bandwidth", model.bandwidth);
  visit("anchors", model.anchors);
  visit("eigenvalues", model.eigenvalues);
  visit("projection", model.projection,
        TensorShape{model.anchors.rows(), model.eigenvalues.size()});
}

void save(const AnchorEigenmaps& model, const std::filesystem::path& path) {
  model_writer(model, kAnchorEigenmapsKind, kAnchorEigenmapsLayout).write(path);
}

std::string to_bytes(const AnchorEigenmaps& model) {
  return model_writer(model, kAnchorEigenmapsKind, kAnchorEigenmapsLayout).bytes();
}

AnchorEigenmaps load_anchor_eigenmaps(const TensorFile& file) {
  AnchorEigenmaps model =
      read_model<AnchorEigenmaps>(file, kAnchorEigenmapsKind, kAnchorEigenmapsLayout,
                                  [](const AnchorEigenmapOptions& options) { check(options); });
  require(model.items >= 0 && model.bandwidth > 0 && model.anchors.rows() > 0 &&
              (model.eigenvalues.array() >= 0).all(),
          file.name(), ": its anchors or eigenvalues cannot be; the file is damaged");
  return model;
}

}  // namespace commonplace::detect
