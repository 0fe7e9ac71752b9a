// Puts photos with features and tags without into
// one space, each rank from its own photos, tags and links, and compares it with that of one
// process and with every other rank's.
#include "commonplace/relate/core/guided_projection.h"

#include <string>
#include <vector>

#include "commonplace/base/rng.h"
#include "tests/mpi/frame.h"

namespace commonplace {
namespace guided_projection_on_ranks {

using namespace relate;

constexpr std::int64_t kPhotos = 203;
constexpr std::int64_t kTags = 170;
constexpr std::int64_t kColumns = 20;

double draw(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  return random_uniform(seed, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column));
}

Matrix photos_in(RowRange range) {
  Matrix rows(range.end - range.begin, kColumns);
  for (std::int64_t item = range.begin; item < range.end; ++item)
    for (std::int64_t j = 0; j < kColumns; ++j)
      rows(item - range.begin, j) =
          static_cast<float>(draw(1, item, j) + (item % 6 == j ? 1.0 : 0.0));
  return rows;
}

/// Photos have tags of their group (item % 6), and some do not have one of another.
Sparse links_in(RowRange range) {
  Sparse links;
  links.columns = kTags;
  for (std::int64_t item = range.begin; item < range.end; ++item) {
    for (std::int64_t tag = 0; tag < kTags; ++tag) {
      const double chance = draw(2, item, tag);
      if (chance < (tag % 6 == item % 6 ? 0.3 : 0.02))
        links.push(static_cast<std::int32_t>(tag), 1);
      else if (chance > 0.97)
        links.push(static_cast<std::int32_t>(tag), -0.5F);
    }
    links.end_row();
  }
  return links;
}

GuidedProjection learn(Comm& comm, const std::string& constraint) {
  const RowRange range = rows_of_rank(kPhotos, comm.rank(), comm.size());
  const RowRange tags = rows_of_rank(kTags, comm.rank(), comm.size());
  const Matrix rows = photos_in(range);
  const FeatureRows features(rows);
  const Sparse links = links_in(range);
  const std::vector<GuidedModality> modalities = {{&features, rows.rows(), 0.1},
                                                  {nullptr, tags.end - tags.begin, 2}};
  const std::vector<Guidance> guidance = {{0, 1, links.view(), 1}};
  GuidedProjectionOptions options;
  options.dim = 5;
  options.constraint = constraint;
  return fit_guided_projection(modalities, guidance, options, {comm, 1}).model;
}

void compare(Comm& comm) {
  for (const std::string constraint : {"all", "identity", "first"}) {
    SelfComm self;
    const GuidedProjection alone = learn(self, constraint);
    const GuidedProjection together = learn(comm, constraint);
    test::require_same_on_all(constraint + ": the models", to_bytes(together), comm);
    for (std::size_t kind = 0; kind < 2; ++kind)
      test::require_near(constraint + ": the projections of kind " + std::to_string(kind),
                         together.modalities[kind].projection, alone.modalities[kind].projection,
                         1e-6);
  }
}

}  // namespace guided_projection_on_ranks
}  // namespace commonplace
