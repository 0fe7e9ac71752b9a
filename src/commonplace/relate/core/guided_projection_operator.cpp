#include "commonplace/relate/core/guided_projection_operator.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "commonplace/base/error.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::relate {
namespace {

/// Sparse features of no more columns than this have a dense block of B.
constexpr std::int64_t kMostSparseColumns = 3000;
/// Z D Zᵀ of dense features with more columns than this is quicker through the items.
constexpr std::int64_t kMostDegreeColumns = 1600;
constexpr std::int64_t kColumnsAtOnce = 64;
/// Vectors that A is expected to be applied to, for each coordinate wanted.
constexpr double kVectorsExpected = 20;
/// What a multiplication with a sparse number costs beside one in a dense product.
constexpr double kSparseCost = 8;

/// Multiplications to apply the features to a vector, in those of dense products.
double feature_cost(const GuidedItems& modality) {
  if (modality.identity()) return 0;
  return modality.numbers * (modality.sparse() ? kSparseCost : 1);
}

/// Multiplications to form the block of two modalities from the columns of one side.
double cost_of_forming(const GuidedLinks& links, const GuidedItems& side,
                       const GuidedItems& other) {
  return static_cast<double>(side.columns) * (kSparseCost * links.count + feature_cost(other));
}

/// Whether that is cheaper from the side of `from`. Unit vectors are no side to begin from.
bool form_by_from(const GuidedLinks& links, const GuidedItems& from, const GuidedItems& to) {
  if (from.identity() || to.identity()) return to.identity();
  return cost_of_forming(links, from, to) < cost_of_forming(links, to, from);
}

bool has_matrix(const GuidedItems& modality) {
  return !modality.identity() && (!modality.sparse() || modality.columns <= kMostSparseColumns);
}

}  // namespace

GuidedOperator::GuidedOperator(std::span<const GuidedModality> modalities,
                               std::span<const Guidance> guidance,
                               const GuidedProjectionOptions& options, const Run& run,
                               std::int64_t most_formed)
    : options_(options), run_(run), most_formed_(most_formed) {
  require(!modalities.empty(), "there are no kinds of items; give one or more");
  for (std::size_t k = 0; k < modalities.size(); ++k) {
    modalities_.push_back(guided_items(modalities[k], k, run.comm));
    modalities_.back().first_column = features_;
    features_ += modalities_.back().columns;
    gammas_.push_back(modalities[k].gamma);
  }
  graph_ = guided_graph(modalities_, guidance, options.balanced, run.comm);
  for (std::size_t k = 0; k < modalities_.size(); ++k) {
    const bool all = options.constraint == "identity";
    require(all || run.comm.sum(graph_.degrees[k].absolute.sum()) > 0, "no link touches kind ", k,
            "; leave it out");
    if (!options.centre) continue;
    modalities_[k].mean =
        weighted_mean(modalities_[k],
                      all ? VectorD::Ones(modalities_[k].items) : graph_.degrees[k].absolute, run);
  }
  make_grams();
  for (const GuidedLinks& links : graph_.links) {
    if (worth_forming(links)) {
      formed_bytes_ += modalities_[links.from].columns * modalities_[links.to].columns * 8;
      formed_.push_back({links.from, links.to, form(links)});
    } else {
      unformed_.push_back(&links);
    }
  }
}

VectorD GuidedOperator::weights_of_b(std::size_t modality) const {
  if (options_.constraint == "identity") return VectorD::Ones(modalities_[modality].items);
  if (options_.constraint == "all") return graph_.degrees[modality].absolute;
  return graph_.degrees[modality].given;
}

void GuidedOperator::make_grams() {
  for (std::size_t k = 0; k < modalities_.size(); ++k) {
    const bool held = k == 0 || options_.constraint != "first";
    b_grams_.push_back(std::make_unique<WeightedGram>(modalities_[k], weights_of_b(k),
                                                      held && has_matrix(modalities_[k]), run_));
    if (held) metric_.emplace_back(modalities_[k], *b_grams_[k], gammas_[k], k, run_.jobs);
    const VectorD& degrees = graph_.degrees[k].resulting;
    const bool none = run_.comm.sum(degrees.cwiseAbs().sum()) == 0;
    const bool same = graph_.degrees_equal && options_.constraint != "identity";
    if (!none && !same)
      own_degree_grams_.push_back(std::make_unique<WeightedGram>(
          modalities_[k], degrees,
          has_matrix(modalities_[k]) && modalities_[k].columns <= kMostDegreeColumns, run_));
    degree_grams_.push_back(none   ? nullptr
                            : same ? b_grams_[k].get()
                                   : own_degree_grams_.back().get());
  }
}

double GuidedOperator::ridge(std::size_t modality) const {
  return gammas_[modality] * b_grams_[modality]->diagonal().cwiseAbs().mean();
}

MatrixD GuidedOperator::part(const MatrixD& p, std::size_t modality) const {
  return p.middleRows(modalities_[modality].first_column, modalities_[modality].columns);
}

/// Compares the multiplications a vector takes, with the making shared by all vectors.
bool GuidedOperator::worth_forming(const GuidedLinks& links) const {
  const GuidedItems& from = modalities_[links.from];
  const GuidedItems& to = modalities_[links.to];
  if (from.identity() && to.identity()) return false;
  const double size = static_cast<double>(from.columns) * static_cast<double>(to.columns);
  if (size * 8 > static_cast<double>(most_formed_ - formed_bytes_)) return false;
  const double through = feature_cost(from) + feature_cost(to) + kSparseCost * links.count;
  const double making = form_by_from(links, from, to) ? cost_of_forming(links, from, to)
                                                      : cost_of_forming(links, to, from);
  const double vectors = kVectorsExpected * static_cast<double>(options_.dim);
  return 2 * size + making / vectors < 2 * through;
}

/// Yᵀ M Y, some columns of one side's features at a time.
MatrixD GuidedOperator::form(const GuidedLinks& links) const {
  const GuidedItems& from = modalities_[links.from];
  const GuidedItems& to = modalities_[links.to];
  const bool by_from = form_by_from(links, from, to);
  const GuidedItems& side = by_from ? from : to;
  MatrixD result(from.columns, to.columns);
  for (std::int64_t first = 0; first < side.columns; first += kColumnsAtOnce) {
    const std::int64_t count = std::min(kColumnsAtOnce, side.columns - first);
    const MatrixD own = feature_columns(side, first, count);
    if (!by_from) {
      const MatrixD all = project_all(to, MatrixD(0, count), own, run_.comm);
      MatrixD columns = project_back(from, apply_links(links, all, run_.jobs), run_.jobs);
      run_.comm.sum(columns);
      result.middleCols(first, count) = -columns;
      continue;
    }
    MatrixD rows = apply_links_back(links, own, run_.jobs);
    if (!to.identity()) run_.comm.sum(rows);
    rows = to.identity() ? project_back_all(to, rows)
                         : project_back(to, rows.middleRows(to.first_item, to.items), run_.jobs);
    run_.comm.sum(rows);
    result.middleRows(first, count) = -rows.transpose();
  }
  return result;
}

void GuidedOperator::add_formed(const MatrixD& p, MatrixD& result) const {
  for (const Formed& formed : formed_) {
    const GuidedItems& from = modalities_[formed.from];
    const GuidedItems& to = modalities_[formed.to];
    result.middleRows(from.first_column, from.columns) +=
        multiply(formed.matrix, part(p, formed.to), run_.jobs);
    result.middleRows(to.first_column, to.columns) +=
        multiply(MatrixD(part(p, formed.from).transpose()), formed.matrix, run_.jobs).transpose();
  }
}

/// −Z W Zᵀ p for the links without a matrix, of all ranks.
MatrixD GuidedOperator::through_items(const MatrixD& p) const {
  std::vector<std::optional<MatrixD>> own(modalities_.size());
  std::vector<MatrixD> received(modalities_.size());
  MatrixD result = MatrixD::Zero(p.rows(), p.cols());
  for (const GuidedLinks* links : unformed_)
    for (const std::size_t k : {links->from, links->to}) {
      if (own[k]) continue;
      own[k] = project(modalities_[k], part(p, k), run_.jobs);
      received[k] = MatrixD::Zero(modalities_[k].items, p.cols());
    }
  for (const GuidedLinks* links : unformed_) {
    const GuidedItems& to = modalities_[links->to];
    const bool alone = run_.comm.size() == 1 && !to.identity();
    const MatrixD all =
        alone ? MatrixD() : project_all(to, part(p, links->to), *own[links->to], run_.comm);
    received[links->from] -= apply_links(*links, alone ? *own[links->to] : all, run_.jobs);
    MatrixD back = apply_links_back(*links, *own[links->from], run_.jobs);
    if (to.identity()) {
      result.middleRows(to.first_column, to.columns) -= project_back_all(to, back);
    } else {
      run_.comm.sum(back);
      received[links->to] -= back.middleRows(to.first_item, to.items);
    }
  }
  for (std::size_t k = 0; k < modalities_.size(); ++k)
    if (own[k])
      result.middleRows(modalities_[k].first_column, modalities_[k].columns) +=
          project_back(modalities_[k], received[k], run_.jobs);
  run_.comm.sum(result);
  return result;
}

MatrixD GuidedOperator::multiply_a(const MatrixD& p) const {
  MatrixD result = multiply_degrees(p);
  if (!unformed_.empty()) result += through_items(p);
  add_formed(p, result);
  return result;
}

MatrixD GuidedOperator::multiply_degrees(const MatrixD& p) const {
  MatrixD result = MatrixD::Zero(p.rows(), p.cols());
  for (std::size_t k = 0; k < modalities_.size(); ++k)
    if (degree_grams_[k] != nullptr)
      result.middleRows(modalities_[k].first_column, modalities_[k].columns) =
          degree_grams_[k]->multiply(part(p, k));
  return result;
}

MatrixD GuidedOperator::multiply_b(const MatrixD& p) const {
  MatrixD result = MatrixD::Zero(p.rows(), p.cols());
  for (std::size_t k = 0; k < metric_.size(); ++k)
    result.middleRows(modalities_[k].first_column, modalities_[k].columns) =
        metric_[k].multiply(part(p, k));
  return result;
}

MatrixD GuidedOperator::solve_b(const MatrixD& p) const {
  MatrixD result = MatrixD::Zero(p.rows(), p.cols());
  for (std::size_t k = 0; k < metric_.size(); ++k)
    result.middleRows(modalities_[k].first_column, modalities_[k].columns) =
        metric_[k].solve(part(p, k));
  return result;
}

}  // namespace commonplace::relate
