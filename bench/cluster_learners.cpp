// The learners that run on several ranks: how each is run on made-up items, and what it costs by
// formulas, of which docs/cluster_costs.md speaks. The formulas keep the leading terms.
#include "cluster_learners.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "commonplace/base/rng.h"
#include "commonplace/detect/core/anchor_eigenmaps.h"
#include "commonplace/detect/core/axis_eigenmaps.h"
#include "commonplace/detect/core/graph_diffusion.h"
#include "commonplace/detect/core/lap_rls.h"
#include "commonplace/learn/plsa.h"
#include "commonplace/relate/core/guided_projection.h"
#include "commonplace/search/core/shared_subspace.h"
#include "commonplace/suggest/core/feature_weights.h"
#include "commonplace/suggest/core/softmax_gp.h"
#include "commonplace/suggest/core/sparse_gp.h"
#include "commonplace/suggest/core/tag_prototypes.h"
#include "commonplace/transfer/core/coupled_factors.h"
#include "commonplace/transfer/core/naive_bayes.h"

namespace commonplace {

using namespace search;
using namespace suggest;
using namespace detect;
using namespace relate;
using namespace transfer;
namespace {

constexpr std::uint64_t kGroups = 50;
constexpr double kBins = 50;              ///< of an axis of the eigenmaps
constexpr double kKeysOfAxis = 8194;      ///< by which its numbers are counted
constexpr double kClipped = 0.0009;       ///< of its items share a key with a clip, if Gaussian
constexpr double kFeaturesKept = 2000;    ///< of a sparse prototype
constexpr int kPrototypeIterations = 3;   ///< of k-means in the bench
constexpr double kAnchorIterations = 10;  ///< of k-means, on every rank
constexpr double kCollections = 3;        ///< that are joined in pairs
constexpr double kVectors = 130;          ///< of the space that eigenvectors are sought in
constexpr double kBlock = 15;             ///< by which it is widened a round

std::int64_t whole(double value) { return std::llround(value); }

/// Received of a sum of so many 8-byte values: half is the others' copies of one's share, half
/// their totals.
double summed(double values, const Sizes& sizes) {
  return 16 * values * (sizes.ranks - 1) / sizes.ranks;
}
/// Received of so many floats of all ranks, where each has as many.
double gathered(double floats, const Sizes& sizes) {
  return 4 * floats * (sizes.ranks - 1) / sizes.ranks;
}

std::uint64_t group_of(std::int64_t item) {
  return random_bits(5, static_cast<std::uint64_t>(item), 0) % kGroups;
}

/// Items around the directions of their groups.
Matrix dense_items(const RowRange& own, double width) {
  Matrix rows(own.end - own.begin, whole(width));
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const std::int64_t item = own.begin + i;
    const std::uint64_t group = group_of(item);
    for (Eigen::Index j = 0; j < rows.cols(); ++j) {
      const auto column = static_cast<std::uint64_t>(j);
      rows(i, j) =
          static_cast<float>(random_uniform(1, group, column) +
                             2 * random_uniform(2, static_cast<std::uint64_t>(item), column) - 1.5);
    }
  }
  return rows;
}

/// Items of about `count` of `width` words, half of them of their groups.
Sparse sparse_items(const RowRange& own, double width, double count, std::uint64_t seed) {
  Sparse rows;
  rows.columns = whole(width);
  for (std::int64_t item = own.begin; item < own.end; ++item) {
    Rng rng(seed, static_cast<std::uint64_t>(item));
    std::set<std::int32_t> words;
    for (std::int64_t i = 0; i < whole(count); ++i) {
      const std::uint64_t word = i % 2 == 0 ? rng() : random_bits(3, group_of(item), rng.below(40));
      words.insert(static_cast<std::int32_t>(word % static_cast<std::uint64_t>(rows.columns)));
    }
    for (const std::int32_t word : words) rows.push(word, 1);
    rows.end_row();
  }
  return rows;
}

std::vector<std::int32_t> group_labels(const RowRange& own, double classes) {
  std::vector<std::int32_t> labels;
  for (std::int64_t item = own.begin; item < own.end; ++item)
    labels.push_back(
        static_cast<std::int32_t>(group_of(item) % static_cast<std::uint64_t>(whole(classes))));
  return labels;
}

// Shared subspace: `learn search`.

Fit prepare_subspace(const Sizes& sizes, const RowRange& own) {
  return [=, items = sparse_items(own, sizes.width, sizes.of_item, 1)](Comm& comm, Sizes& done) {
    SharedSubspaceOptions options;
    options.iterations = static_cast<int>(sizes.iterations);
    options.tolerance = 0;
    const SparseView views[] = {items.view()};
    const auto fit =
        fit_shared_subspace(views, {{{0}, static_cast<int>(sizes.parts)}}, options, {comm, 1});
    done.iterations = fit.report.iterations;
  };
}
/// Rows of topics are filled up to multiples of 16 numbers, and travel so.
double padded(double topics) { return 16 * std::ceil(topics / 16); }
double subspace_bytes(const Sizes& s) {
  return summed(s.iterations * s.width * padded(s.parts) + (s.iterations + 1) * s.parts * s.parts,
                s);
}
Cost subspace_flops(const Sizes& s) {
  // Two sparse products; two sweeps of coordinate descent and a Gram matrix of either factor.
  const double dense = 5 * s.parts * s.parts;
  return {s.iterations * s.items * (4 * s.of_item * s.parts + dense),
          s.iterations * s.width * dense};
}
Cost subspace_memory(const Sizes& s) {
  return {s.items * (16 * s.of_item + 8 * s.parts), 12 * s.width * padded(s.parts)};
}

// pLSA: `features --plsa`.

Fit prepare_plsa(const Sizes& sizes, const RowRange& own) {
  return [=, items = sparse_items(own, sizes.width, sizes.of_item, 1)](Comm& comm, Sizes& done) {
    PlsaOptions options;
    options.topics = static_cast<int>(sizes.parts);
    options.iterations = static_cast<int>(sizes.iterations);
    options.tolerance = 0;
    done.iterations = fit_plsa(items.view(), options, {comm, 1}).report.iterations;
  };
}
double plsa_bytes(const Sizes& s) { return summed(s.iterations * s.width * s.parts, s); }
Cost plsa_flops(const Sizes& s) {
  return {6 * s.iterations * s.items * s.of_item * s.parts, 3 * s.iterations * s.width * s.parts};
}
Cost plsa_memory(const Sizes& s) {
  return {s.items * (8 * s.of_item + 8 * s.parts), 16 * s.width * s.parts};
}

// Eigenfunctions of axes, and what labelled items say of concepts: `learn detect`.

Fit prepare_axes(const Sizes& sizes, const RowRange& own) {
  return [=, items = dense_items(own, sizes.width), groups = group_labels(own, sizes.tags)](
             Comm& comm, Sizes& done) {
    AxisEigenmapOptions options;
    options.count = whole(sizes.parts);
    const AxisEigenmapFit fit = fit_axis_eigenmaps(items, options, {comm, 1});
    MatrixD labels = MatrixD::Constant(items.rows(), whole(sizes.tags), -1);
    for (Eigen::Index i = 0; i < labels.rows(); ++i)
      labels(i, groups[static_cast<std::size_t>(i)]) = 1;
    LapRlsStatistics statistics(fit.model.count(), labels.cols());
    add_rows(statistics, encode(fit.model, items, 1), labels, {}, 1);
    sum_over_ranks(statistics, comm);
    done.parts = static_cast<double>(fit.model.count());
    done.sample = sizes.items;
  };
}
double axes_bytes(const Sizes& s) {
  const double axis = kKeysOfAxis + 4 * kBins + 3 * kClipped * s.items;
  return summed(s.width * axis + s.width * s.width + s.parts * (s.parts + s.tags), s);
}
Cost axes_flops(const Sizes& s) {
  const double square = s.width * s.width;
  return {5 * s.items * square + s.sample * (2 * square + s.parts * (s.parts + 2 * s.tags)),
          9 * square * s.width + 10 * s.width * kBins * kBins * kBins};
}
Cost axes_memory(const Sizes& s) {
  // The numbers beside the clips: three doubles each as they travel, two as they are kept.
  return {4 * s.items * s.width, 8 * (s.width * (kKeysOfAxis + 5 * kClipped * s.items) +
                                      3 * s.width * s.width + s.parts * (s.parts + s.tags))};
}

// Eigenmaps of anchors: `learn detect`.

Fit prepare_anchors(const Sizes& sizes, const RowRange& own) {
  return [=, items = dense_items(own, sizes.width)](Comm& comm, Sizes&) {
    AnchorEigenmapOptions options;
    options.count = whole(sizes.parts / 2);
    options.anchors = whole(sizes.parts);
    options.sample = whole(sizes.sample);
    fit_anchor_eigenmaps(items, options, {comm, 1});
  };
}
/// Drawing items: the number and the row of a few more than are wanted, then the rows.
double sample_bytes(const Sizes& s) {
  return summed(2.1 * s.sample, s) + gathered(s.sample * s.width, s);
}
double anchors_bytes(const Sizes& s) { return sample_bytes(s) + summed(s.parts * s.parts, s); }
Cost anchors_flops(const Sizes& s) {
  return {2 * s.items * s.parts * s.width,
          2 * kAnchorIterations * s.sample * s.parts * s.width + 9 * s.parts * s.parts * s.parts};
}
Cost anchors_memory(const Sizes& s) {
  return {4 * s.items * s.width, 4 * s.sample * s.width + 24 * s.parts * s.parts};
}

// Neighbour smoothing: `learn detect`.

Fit prepare_smoothing(const Sizes& sizes, const RowRange& own) {
  return [=, items = dense_items(own, sizes.width)](Comm& comm, Sizes&) {
    GraphDiffusionOptions options;
    options.references = whole(sizes.sample);
    fit_graph_diffusion(items, options, {comm, 1});
  };
}
double smoothing_bytes(const Sizes& s) {
  return sample_bytes(s) + summed(s.width * s.width + 2 * s.width, s);
}
Cost smoothing_flops(const Sizes& s) {
  const double square = s.width * s.width;
  return {s.items * square, 9 * square * s.width + 2 * s.sample * s.sample * s.width};
}
Cost smoothing_memory(const Sizes& s) {
  return {4 * s.items * s.width, 12 * s.sample * s.width + 20 * s.width * s.width};
}

// Weights of features, prototypes and what items say of tags: `learn suggest`.

Fit prepare_suggest(const Sizes& sizes, const RowRange& own) {
  return [=, items = sparse_items(own, sizes.width, sizes.of_item, 1),
          tags = sparse_items(own, sizes.tags, 3, 2)](Comm& comm, Sizes& done) {
    const Sparse rows =
        weigh_rows(items.view(), feature_weights(items.view(), tags.view(), {}, comm), {}, 1);
    TagPrototypeOptions options;
    options.count = whole(sizes.parts);
    options.iterations = kPrototypeIterations;
    const SparseGpBasis basis = make_basis(
        {KernelKind::rbf, 0.7, 1}, tag_prototypes(rows, tags.view(), options, {comm, 1}), 1e-6, 1);
    solve_sparse_gp(gather_statistics(basis, rows, tags.view(), {comm, 1}), 0.1, 1);
    done.iterations = kPrototypeIterations;
  };
}
/// Prototypes beyond the tags are centres of k-means.
double centres(const Sizes& s) { return std::max(0.0, s.parts - s.tags); }
double suggest_bytes(const Sizes& s) {
  const double means = (s.parts - centres(s)) * s.width;
  const double k_means = centres(s) * (s.width * (1 + s.iterations) + s.iterations);
  return summed(s.width * s.tags + means + k_means + s.parts * (s.parts + s.tags), s);
}
Cost suggest_flops(const Sizes& s) {
  const double squares = s.parts * s.parts;
  return {2 * s.items * (s.of_item * (s.parts + s.iterations * centres(s)) + squares),
          squares * (2 * s.parts + 2 * s.tags)};
}
Cost suggest_memory(const Sizes& s) {
  // The first centres are drawn from a list of all items, if there are any.
  const double drawn = centres(s) > 0 ? 8 * s.items : 0;
  return {16 * s.items * s.of_item, drawn + 8 * s.parts * std::min(s.width, kFeaturesKept) +
                                        s.parts * (20 * s.parts + 20 * s.tags)};
}

// Gaussian process of classes: `learn suggest` for exclusive tags.

Fit prepare_softmax(const Sizes& sizes, const RowRange& own) {
  Matrix items = dense_items(own, sizes.parts) / std::sqrt(static_cast<float>(sizes.parts));
  return [=, items = std::move(items), labels = group_labels(own, sizes.tags)](Comm& comm,
                                                                               Sizes& done) {
    SoftmaxGpOptions options;
    const std::int64_t before = comm.use().calls;
    const SoftmaxGpFit fit = fit_softmax_gp(items, labels, whole(sizes.tags), options, {comm, 1});
    done.iterations = fit.report.iterations;
    // What the calls leave: four are made once, and a step makes two beside its products.
    done.products = static_cast<double>(comm.use().calls - before) - 4 - 2 * fit.report.iterations;
  };
}
double softmax_bytes(const Sizes& s) {
  return summed(2 * s.parts * s.parts + (s.iterations + s.products) * s.parts * s.tags, s);
}
Cost softmax_flops(const Sizes& s) {
  return {2 * s.items * s.parts * s.parts +
              4 * s.items * s.parts * s.tags * (s.iterations + s.products),
          2 * s.parts * s.parts * (s.parts + s.tags * s.products)};
}
Cost softmax_memory(const Sizes& s) {
  return {s.items * (4 * s.parts + 12 * s.tags), 24 * s.parts * s.parts + 40 * s.parts * s.tags};
}

// Guided projection: `learn relate`.

Fit prepare_relate(const Sizes& sizes, const RowRange& own) {
  return [=, items = dense_items(own, sizes.width),
          links = sparse_items(own, sizes.tags, sizes.of_item, 2)](Comm& comm, Sizes& done) {
    GuidedProjectionOptions options;
    options.dim = whole(sizes.parts);
    const FeatureRows features(items);
    const RowRange tags = rows_of_rank(links.columns, comm.rank(), comm.size());
    const std::vector<GuidedModality> kinds = {{&features, items.rows(), 0.1},
                                               {nullptr, tags.end - tags.begin, 0.1}};
    const std::vector<Guidance> guidance = {{0, 1, links.view(), 1}};
    done.iterations = fit_guided_projection(kinds, guidance, options, {comm, 1}).report.iterations;
  };
}
double relate_bytes(const Sizes& s) {
  return summed(s.width * s.tags + 5 * s.tags + s.width * s.width + s.width, s);
}
Cost relate_flops(const Sizes& s) {
  // A round: what the matrix makes of a block, and making it orthogonal to the space, twice.
  const double round = kBlock * (4 * s.width * s.tags + 8 * kVectors * (s.width + s.tags));
  return {2 * s.items * s.width * (s.width + s.of_item), s.iterations * round};
}
Cost relate_memory(const Sizes& s) {
  // 64 columns of the features in double at a time; degrees.
  return {s.items * (4 * s.width + 8 * s.of_item + 8 * 64 + 64),
          8 * (2 * s.width * s.tags + 3 * kVectors * (s.width + s.tags))};
}

// Coupled factors: `transfer`. Three collections in two pairs, each with a third of the items.

Fit prepare_coupled(const Sizes& sizes, const RowRange& own) {
  const RowRange third{own.begin / 3, own.end / 3};
  std::vector<Sparse> items;
  for (std::uint64_t which = 0; which < 3; ++which)
    items.push_back(sparse_items(third, sizes.width, sizes.of_item, which + 1));
  return [=, items = std::move(items), labels = group_labels(third, sizes.tags)](Comm& comm,
                                                                                 Sizes& done) {
    CoupledFactorOptions options;
    options.clusters = static_cast<int>(sizes.parts);
    options.iterations = static_cast<int>(sizes.iterations);
    options.tolerance = 0;
    const std::int64_t classes = whole(sizes.tags);
    const MatrixD even =
        MatrixD::Constant(items[0].rows(), classes, 1 / static_cast<double>(classes));
    std::vector<CoupledCollection> collections = {{items[0].view(),
                                                   class_indicators(labels, classes),
                                                   std::vector<std::uint8_t>(labels.size(), 1)}};
    for (const std::size_t which : {1, 2}) collections.push_back({items[which].view(), even, {}});
    const std::array<int, 2> ends[] = {{0, 1}, {1, 2}};
    const auto fit = fit_coupled_factors(
        collections, start_coupled_pairs(ends, whole(sizes.width), classes, options), options,
        {comm, 1});
    done.iterations = fit.report.iterations;
  };
}
double coupled_bytes(const Sizes& s) {
  return summed((s.iterations + 1) * kCollections * s.tags * (s.width + s.tags), s);
}
Cost coupled_flops(const Sizes& s) {
  return {4 * s.iterations * s.items * s.tags * (s.of_item + s.tags),
          24 * s.iterations * s.width * s.parts * s.tags};
}
Cost coupled_memory(const Sizes& s) {
  return {s.items * (16 * s.of_item + 16 * s.tags),
          8 * s.width * ((kCollections - 1) * 1.5 * s.parts + 4 * kCollections * s.tags)};
}

// Classes refined by words: `transfer`.

Fit prepare_mixture(const Sizes& sizes, const RowRange& own) {
  return [=, items = sparse_items(own, sizes.width, sizes.of_item, 1),
          labels = group_labels(own, sizes.tags)](Comm& comm, Sizes& done) {
    NaiveBayesOptions options;
    options.iterations = static_cast<int>(sizes.iterations);
    options.tolerance = 0;
    MatrixD start = class_indicators(labels, whole(sizes.tags));
    start.array() += 1;
    done.iterations = refine_classes(items.view(), start / (sizes.tags + 1), {}, options, {comm, 1})
                          .report.iterations;
  };
}
double mixture_bytes(const Sizes& s) { return summed(s.width * (1 + s.iterations * s.tags), s); }
Cost mixture_flops(const Sizes& s) {
  return {4 * s.iterations * s.items * s.of_item * s.tags,
          20 * s.iterations * s.width * s.tags};  // a logarithm is about 20
}
Cost mixture_memory(const Sizes& s) {
  return {s.items * (16 * s.of_item + 24 * s.tags), 16 * s.width * s.tags};
}

constexpr double kBillion = 1e9;

constexpr Learner kLearners[] = {
    {"search: shared subspace",
     {.items = 160000, .of_item = 20, .width = 5000, .parts = 32, .iterations = 10},
     {.items = kBillion, .of_item = 50, .width = 1e5, .parts = 100, .iterations = 100},
     prepare_subspace,
     subspace_bytes,
     subspace_flops,
     subspace_memory},
    {"features: pLSA",
     {.items = 120000, .of_item = 20, .width = 5000, .parts = 32, .iterations = 10},
     {.items = kBillion, .of_item = 50, .width = 1e5, .parts = 100, .iterations = 100},
     prepare_plsa,
     plsa_bytes,
     plsa_flops,
     plsa_memory},
    {"detect: axis eigenmaps",
     {.items = 160000, .width = 128, .parts = 200, .tags = 10},
     {.items = kBillion, .width = 512, .parts = 500, .tags = 100, .sample = 1e6},
     prepare_axes,
     axes_bytes,
     axes_flops,
     axes_memory},
    {"detect: anchor eigenmaps",
     {.items = 160000, .width = 64, .parts = 300, .sample = 2000},
     {.items = kBillion, .width = 512, .parts = 1000, .sample = 20000},
     prepare_anchors,
     anchors_bytes,
     anchors_flops,
     anchors_memory},
    {"detect: neighbour smoothing",
     {.items = 320000, .width = 128, .sample = 2000},
     {.items = kBillion, .width = 512, .sample = 20000},
     prepare_smoothing,
     smoothing_bytes,
     smoothing_flops,
     smoothing_memory},
    {"suggest: tag functions",
     {.items = 48000, .of_item = 30, .width = 2000, .parts = 300, .tags = 200},
     {.items = kBillion, .of_item = 50, .width = 1e5, .parts = 3000, .tags = 1e4},
     prepare_suggest,
     suggest_bytes,
     suggest_flops,
     suggest_memory},
    {"suggest: softmax process",
     {.items = 80000, .parts = 256, .tags = 4},
     {.items = kBillion, .parts = 3000, .tags = 100, .iterations = 15, .products = 100},
     prepare_softmax,
     softmax_bytes,
     softmax_flops,
     softmax_memory,
     false},
    {"relate: guided projection",
     {.items = 160000, .of_item = 10, .width = 128, .parts = 30, .tags = 2000},
     {.items = kBillion, .of_item = 10, .width = 128, .parts = 30, .tags = 1e4, .iterations = 30},
     prepare_relate,
     relate_bytes,
     relate_flops,
     relate_memory},
    {"transfer: coupled factors",
     {.items = 240000, .of_item = 30, .width = 5000, .parts = 20, .tags = 4, .iterations = 20},
     {.items = kBillion, .of_item = 50, .width = 1e5, .parts = 30, .tags = 10, .iterations = 100},
     prepare_coupled,
     coupled_bytes,
     coupled_flops,
     coupled_memory},
    {"transfer: class mixture",
     {.items = 240000, .of_item = 30, .width = 5000, .tags = 4, .iterations = 20},
     {.items = kBillion, .of_item = 50, .width = 1e5, .tags = 10, .iterations = 20},
     prepare_mixture,
     mixture_bytes,
     mixture_flops,
     mixture_memory},
};

}  // namespace

std::vector<Learner> learners() { return {std::begin(kLearners), std::end(kLearners)}; }

}  // namespace commonplace
