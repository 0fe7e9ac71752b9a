#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/io/safetensors.h"

namespace commonplace::detect {

/// Graph diffusion: features averaged with those of the nearest other items, labelled or not, and
/// these with those of theirs, which is a few steps of a walk on the graph of nearest neighbours.
/// Directions in which items vary much are held back first (half of a whitening), for they say
/// little about which items are alike.
struct GraphDiffusionOptions {
  std::int64_t neighbours = 5;      ///< nearest reference rows by cosine
  double share = 0.5;               ///< that neighbours have in an item
  double sharpness = 3;             ///< a neighbour counts by this power of its cosine
  int rounds = 2;                   ///< how far items are from those that reach them, in steps
  double whitening = 0.5;           ///< 0: none, 1: all directions vary alike
  std::int64_t references = 20000;  ///< all items if there are so many or fewer, else a sample
  std::uint64_t seed = 1;           ///< of the sample
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, GraphDiffusionOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("neighbours", options.neighbours, "average with so many nearest items");
  visit("share", options.share, "that neighbours have in an item");
  visit("sharpness", options.sharpness, "a neighbour counts by this power of its cosine");
  visit("rounds", options.rounds, "average so many times over");
  visit("whitening", options.whitening, "0: none, 1: all directions vary alike");
  visit("references", options.references, "look for neighbours among so many items");
  visit("seed", options.seed, "seed of the sample of items");
}

/// Wider features are not whitened: it costs the cube of their number.
inline constexpr std::int64_t kMostWhitened = 4096;

struct GraphDiffusion {
  GraphDiffusionOptions options;
  VectorD mean;                    ///< d, taken off before whitening; empty without
  Matrix whitening;                ///< d x d, symmetric; 0 x 0 without
  Matrix references;               ///< m x d, whitened, of length one (or zero)
  Matrix averaged;                 ///< m x d: references after all rounds but the last
  std::vector<std::int64_t> rows;  ///< m: which item of all ranks each is, ascending

  std::int64_t features() const { return references.cols(); }
};

struct GraphDiffusionFit {
  GraphDiffusion model;
  Convergence report;
};

/// Whitens by the covariance of all ranks' rows, C^(-whitening / 2), and takes the reference rows
/// from them; every rank gets the same ones, in order of the rows of all ranks. When items are more
/// than `references`, those with the least random number, a function of (seed, row among those of
/// all ranks), are taken. Error for a number that is not finite, naming the row.
/// O(n d² + d³ + rounds m² d).
GraphDiffusionFit fit_graph_diffusion(const Eigen::Ref<const Matrix>& rows,
                                      const GraphDiffusionOptions& options, const Run& run);

/// Each row z, whitened and scaled to length one, becomes (1 - share) z + share times the weighted
/// mean of what its nearest references of positive cosine are after all rounds but the last, scaled
/// to length one again: n x d. `items` (n, or empty) says which item of the fit each row is, -1 for
/// a new one, lest a row be its own neighbour; ties go to the lower reference. The same bits for a
/// row alone as among others. O(n m d).
Matrix encode(const GraphDiffusion& model, const Eigen::Ref<const Matrix>& rows,
              std::span<const std::int64_t> items = {}, int jobs = 0);

/// A safetensors file of kind "neighbour-smoothing".
void save(const GraphDiffusion& model, const std::filesystem::path& path);
/// The same file in memory.
std::string to_bytes(const GraphDiffusion& model);
GraphDiffusion load_graph_diffusion(const TensorFile& file);

}  // namespace commonplace::detect
