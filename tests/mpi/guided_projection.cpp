// Run under mpirun: `mpi_guided_projection <ranks>` puts photos with features and tags without into
// one space, each rank from its own photos, tags and links, and compares it with that of one
// process and with every other rank's.
#include "commonplace/relate/core/guided_projection.h"

#include <cstdio>
#include <string>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/mpi/mpi_comm.h"

namespace commonplace {
namespace {

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

GuidedProjection learn(Comm& comm, int rank, int size, const std::string& constraint) {
  const RowRange range = rows_of_rank(kPhotos, rank, size);
  const RowRange tags = rows_of_rank(kTags, rank, size);
  const Matrix rows = photos_in(range);
  const FeatureRows features(rows);
  const Sparse links = links_in(range);
  const std::vector<GuidedModality> modalities = {{&features, rows.rows(), 0.1},
                                                  {nullptr, tags.end - tags.begin, 2}};
  const std::vector<Guidance> guidance = {{0, 1, links.view(), 1}};
  GuidedProjectionOptions options;
  options.dim = 5;
  options.constraint = constraint;
  options.jobs = 1;
  return fit_guided_projection(modalities, guidance, options, comm).model;
}

/// Error unless all ranks hold the same bits, and about what one process finds.
void check(const std::string& constraint, const GuidedProjection& together,
           const GuidedProjection& alone, Comm& comm) {
  const std::string bytes = to_bytes(together);
  std::string first = bytes;
  comm.broadcast(std::span<char>(first), 0);
  require(first == bytes, constraint, ": rank ", comm.rank(), " holds another model than rank 0");
  for (std::size_t modality = 0; modality < 2; ++modality) {
    const double difference =
        (together.modalities[modality].projection - alone.modalities[modality].projection)
            .cwiseAbs()
            .maxCoeff() /
        alone.modalities[modality].projection.cwiseAbs().maxCoeff();
    require(difference < 1e-6, constraint, ": the projections of kind ", modality, " differ by ",
            difference);
  }
}

int run(int argc, char** argv, Comm& comm) {
  require(argc == 2, "give the number of ranks");
  require(comm.size() == std::stoi(argv[1]), "there are ", comm.size(), " ranks");
  for (const std::string constraint : {"all", "identity", "first"}) {
    SelfComm self;
    const GuidedProjection alone = learn(self, 0, 1, constraint);
    check(constraint, learn(comm, comm.rank(), comm.size(), constraint), alone, comm);
  }
  return 0;
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  return commonplace::run_mpi(
      argc, argv, [&](commonplace::Comm& comm) { return commonplace::run(argc, argv, comm); },
      [](int rank, const std::string& message) {
        std::fprintf(stderr, "rank %d failed: %s\n", rank, message.c_str());
      });
}
