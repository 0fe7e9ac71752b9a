#include "commonplace/search/core/shared_subspace.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/tensors.h"
#include "commonplace/search/core/shared_subspace_solver.h"
#include "commonplace/search/core/topic_blocks.h"

namespace commonplace::search {
namespace {

constexpr const char* kSubspaceKind = "shared-subspace";
constexpr int kSubspaceLayout = 1;
/// Of the largest product of an item with a topic.
constexpr double kEncodeAccuracy = 1e-10;

void check(const SharedSubspaceOptions& options) {
  require(options.solver == "hals" || options.solver == "mu", "solver is '", options.solver,
          "'; expected hals or mu");
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected 0 or more");
}

int collections_in(const std::vector<TopicBlock>& blocks) {
  int most = -1;
  for (const TopicBlock& block : blocks)
    for (const int member : block.members) most = std::max(most, member);
  return most + 1;
}

Matrix start_basis(std::int64_t terms, std::int64_t topics, std::uint64_t seed) {
  Matrix basis(terms, topics);
  for (std::int64_t w = 0; w < terms; ++w)
    for (std::int64_t k = 0; k < topics; ++k)
      basis(w, k) = static_cast<float>(
          random_uniform(seed, static_cast<std::uint64_t>(w), static_cast<std::uint64_t>(k)));
  return basis;
}

MatrixD gram_of_columns(const Matrix& basis, const std::vector<int>& columns) {
  constexpr std::int64_t at_once = 256;
  GramSum<double> sum(std::ssize(columns));
  PaddedRows<double> rows(at_once, std::ssize(columns));
  for (std::int64_t first = 0; first < basis.rows(); first += at_once) {
    const std::int64_t count = std::min(at_once, basis.rows() - first);
    for (std::int64_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < columns.size(); ++k)
        rows.row(i)[k] = static_cast<double>(basis(first + i, columns[k]));
    sum.add(rows, 0, count);
  }
  return sum.result();
}

std::vector<int> checked_topics(const SharedSubspace& model, int collection) {
  require(collection >= 0 && collection < model.collections(), "there is no collection ",
          collection, "; the model has 0 .. ", model.collections() - 1);
  return model.topics_of(collection);
}

}  // namespace

int SharedSubspace::collections() const { return collections_in(blocks); }

std::vector<int> SharedSubspace::topics_of(int collection) const {
  return search::topics_of(blocks, collection);
}

SharedSubspaceFit fit_shared_subspace(std::span<const SparseView> collections,
                                      std::vector<TopicBlock> blocks,
                                      const SharedSubspaceOptions& options, const Run& run) {
  check(options);
  check_blocks(blocks, static_cast<int>(collections.size()));
  FactoriseOptions how;
  how.multiplicative = options.solver == "mu";
  how.iterations = options.iterations;
  how.tolerance = options.tolerance;
  how.checkpoint = options.checkpoint;
  Factors<float> start;
  start.basis = start_basis(collections[0].columns, topic_count(blocks), options.seed);
  Factorisation<float> found = factorise(collections, blocks, std::move(start), how, run);
  return {{std::move(found.factors.basis), std::move(blocks), options},
          std::move(found.factors.codes),
          std::move(found.report)};
}

SharedSubspaceEncoder::SharedSubspaceEncoder(const SharedSubspace& model, int collection)
    : model_(&model),
      topics_(checked_topics(model, collection)),
      quadratic_(gram_of_columns(model.basis, topics_)) {}

Matrix SharedSubspaceEncoder::encode(const SparseView& items, int jobs) const {
  const Matrix& basis = model_->basis;
  require(items.columns == basis.rows(), "the items have ", items.columns, " terms, the model ",
          basis.rows(), "; count them with the vocabulary the model was fitted on");
  check_items(items, "those to encode");
  Matrix codes(items.rows, quadratic_.size());
  parallel_for(static_cast<std::size_t>(items.rows), jobs, [&](std::size_t begin, std::size_t end) {
    std::vector<double> linear(topics_.size());
    std::vector<double> x(linear.size());
    for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end); ++row) {
      std::fill(linear.begin(), linear.end(), 0.0);
      std::fill(x.begin(), x.end(), 0.0);
      for (std::size_t i = 0; i < items.row_indices(row).size(); ++i)
        for (std::size_t k = 0; k < topics_.size(); ++k)
          linear[k] += static_cast<double>(items.row_values(row)[i]) *
                       static_cast<double>(basis(items.row_indices(row)[i], topics_[k]));
      quadratic_.solve(linear.data(), x.data(), kEncodeAccuracy);
      for (Eigen::Index k = 0; k < codes.cols(); ++k)
        codes(row, k) = static_cast<float>(x[static_cast<std::size_t>(k)]);
    }
  });
  return codes;
}

Matrix encode(const SharedSubspace& model, int collection, const SparseView& items, int jobs) {
  return SharedSubspaceEncoder(model, collection).encode(items, jobs);
}

void check(const SharedSubspace& model, const std::string& name) {
  check(model.options);
  check_blocks(model.blocks, model.collections());
  require(model.basis.cols() == topic_count(model.blocks), name, ": the basis has ",
          model.basis.cols(), " topics, the blocks ", topic_count(model.blocks),
          "; the file is damaged");
  require(model.basis.allFinite() && (model.basis.array() >= 0).all(), name,
          ": the basis has entries that are not 0 or more; the file is damaged");
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, SharedSubspace>
static void visit_tensors(Self& model, Visit&& visit) { visit("basis", model.basis); }

static TensorWriter writer_of(const SharedSubspace& model) {
  TensorWriter writer = model_writer(model, kSubspaceKind, kSubspaceLayout);
  writer.set("blocks", to_text(model.blocks));
  return writer;
}

void save(const SharedSubspace& model, const std::filesystem::path& path) {
  writer_of(model).write(path);
}

std::string to_bytes(const SharedSubspace& model) { return writer_of(model).bytes(); }

SharedSubspace load_shared_subspace(const TensorFile& file) {
  auto model = read_model<SharedSubspace>(file, kSubspaceKind, kSubspaceLayout,
                                          [](const SharedSubspaceOptions&) {});
  model.blocks = blocks_from_text(file.metadata("blocks"));
  check(model, file.name());
  return model;
}

}  // namespace commonplace::search
