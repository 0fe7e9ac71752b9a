// Learns what tag suggestion is made of, each rank from
// its own items, and compares the result with that of one process and with every other rank's.
#include <string>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/suggest/core/feature_weights.h"
#include "commonplace/suggest/core/sparse_gp.h"
#include "commonplace/suggest/core/tag_categories.h"
#include "commonplace/suggest/core/tag_prototypes.h"
#include "tests/mpi/frame.h"

namespace commonplace {
namespace tag_latents_on_ranks {

using namespace suggest;

constexpr std::int64_t kItems = 97;
constexpr std::int32_t kTopics = 5;
constexpr std::int32_t kWords = 40;

/// Items begin .. end-1 with words and tags of one topic each.
struct Items {
  Sparse words;
  Sparse tags;

  explicit Items(RowRange range) {
    words.columns = kWords;
    tags.columns = 2 * kTopics;
    for (std::int64_t item = range.begin; item < range.end; ++item) {
      const auto row = static_cast<std::uint64_t>(item);
      const auto topic = static_cast<std::int32_t>(item % kTopics);
      for (std::int32_t word = 0; word < kWords; ++word) {
        const double draw = random_uniform(1, row, static_cast<std::uint64_t>(word));
        if (draw < (word / 8 == topic ? 0.8 : 0.1))
          words.push(word, static_cast<float>(1 + 10 * draw));
      }
      words.end_row();
      tags.push(2 * topic, 1);
      const double draw = random_uniform(2, row, 0);
      if (draw < 0.7) tags.push(2 * topic + 1, draw < 0.4 ? 1.F : -1.F);
      tags.end_row();
    }
  }
};

struct Learned {
  std::vector<float> feature_weights;
  StoredRows prototypes;
  SparseGp gp;
  TagCategories categories;
};

Learned learn(Comm& comm) {
  const Items items(rows_of_rank(kItems, comm.rank(), comm.size()));
  Learned result;
  result.feature_weights =
      feature_weights(items.words.view(), items.tags.view(), {.rarity = 1, .telling = 0.5}, comm);
  const Sparse rows = weigh_rows(items.words.view(), result.feature_weights);
  TagPrototypeOptions options;
  options.count = 16;
  result.prototypes = tag_prototypes(rows, items.tags.view(), options, {comm, 1});
  const SparseGpBasis basis = make_basis({KernelKind::rbf, 0.7, 1}, result.prototypes, 1e-6, 1);
  result.gp = solve_sparse_gp(gather_statistics(basis, rows, items.tags.view(), {comm, 1}), 0.1, 1);
  result.categories = make_categories(items.tags.view(), 6, comm);
  return result;
}

Matrix dense(const Sparse& rows) {
  Matrix result = Matrix::Zero(rows.rows(), rows.columns);
  for (std::int64_t row = 0; row < rows.rows(); ++row)
    for (std::size_t i = 0; i < rows.view().row_indices(row).size(); ++i)
      result(row, rows.view().row_indices(row)[i]) = rows.view().row_values(row)[i];
  return result;
}

void compare(Comm& comm) {
  SelfComm self;
  const Learned alone = learn(self);
  const Learned together = learn(comm);
  const auto agree = [&](const char* what, const Matrix& found, const Matrix& expected) {
    test::require_agreement(what, found, expected, 1e-3, comm);
  };
  require(together.feature_weights == alone.feature_weights, "the features' weights differ");
  agree("the prototypes", dense(together.prototypes.sparse), dense(alone.prototypes.sparse));
  agree("the latents", together.gp.weights, alone.gp.weights);
  agree("the inverses", together.gp.inverse.cast<float>(), alone.gp.inverse.cast<float>());
  require(together.categories.tags == alone.categories.tags, "the categories differ");
  agree("the categories' tags", together.categories.shares, alone.categories.shares);
}

}  // namespace tag_latents_on_ranks
}  // namespace commonplace
