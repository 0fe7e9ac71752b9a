#include "commonplace/transfer/core/coupled_factors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/transfer/core/coupled_updates.h"

namespace commonplace::transfer {
namespace {

/// What is kept of a collection between iterations.
struct Collection {
  SparseView items;
  Sparse transposed;   ///< features x items, so that sums over items need no locks
  double scale = 1;    ///< of all entries, so that they add up to one
  double squares = 0;  ///< of the scaled entries, over all ranks
  MatrixD classes;
  std::vector<std::uint8_t> given;
  MatrixD evidence;  ///< Xᵀ G, features x classes, over all ranks
  MatrixD gram;      ///< Gᵀ G, over all ranks
};

void check_options(const CoupledFactorOptions& options) {
  require(options.clusters >= 2, "the number of clusters must be 2 or more, not ",
          options.clusters);
  require(options.shared > 0 && options.shared < 1,
          "the share of clusters that are shared must be between 0 and 1, not ", options.shared);
  require(options.iterations >= 1, "the number of iterations must be 1 or more, not ",
          options.iterations);
  require(options.tolerance >= 0, "the tolerance must be 0 or more, not ", options.tolerance);
}

void check_collection(const CoupledCollection& collection, std::size_t which, std::int64_t features,
                      std::int64_t classes) {
  require(collection.items.columns == features, "collection ", which, " has ",
          collection.items.columns, " features, the pairs have ", features);
  require(
      collection.classes.rows() == collection.items.rows && collection.classes.cols() == classes,
      "collection ", which, " needs a start of ", collection.items.rows, " items x ", classes,
      " classes, not ", collection.classes.rows(), " x ", collection.classes.cols());
  require(collection.given.empty() || std::ssize(collection.given) == collection.items.rows,
          "collection ", which, " needs a mark for each of its ", collection.items.rows,
          " items, not ", collection.given.size());
  require(collection.classes.allFinite() &&
              (collection.classes.size() == 0 || collection.classes.minCoeff() >= 0),
          "collection ", which, " has a start that is below 0 or not finite");
  for (std::int64_t row = 0; row < collection.items.rows; ++row)
    for (const float value : collection.items.row_values(row))
      require(value >= 0 && std::isfinite(value), "collection ", which, ", item ", row,
              " has the value ", value, "; only numbers of 0 or more can be factorised");
}

void check_pairs(const std::vector<CoupledPair>& pairs, std::size_t collections) {
  require(!pairs.empty(), "there are no pairs of collections to factorise");
  std::vector<std::uint8_t> used(collections, 0);
  for (const CoupledPair& pair : pairs)
    for (const int end : pair.ends) {
      require(end >= 0 && static_cast<std::size_t>(end) < collections, "a pair names collection ",
              end, " of ", collections);
      used[static_cast<std::size_t>(end)] = 1;
    }
  for (std::size_t which = 0; which < collections; ++which)
    require(used[which] != 0, "collection ", which, " is in no pair");
}

/// Sums over the ranks decide the scales, so that all ranks have the same.
std::vector<Collection> prepare(std::span<const CoupledCollection> from, Comm& comm) {
  std::vector<double> sums;
  for (const CoupledCollection& collection : from) {
    double sum = 0;
    double squares = 0;
    for (std::int64_t row = 0; row < collection.items.rows; ++row)
      for (const float value : collection.items.row_values(row)) {
        sum += static_cast<double>(value);
        squares += static_cast<double>(value) * static_cast<double>(value);
      }
    sums.insert(sums.end(), {sum, squares});
  }
  comm.sum(sums);
  std::vector<Collection> collections;
  for (std::size_t which = 0; which < from.size(); ++which) {
    require(sums[2 * which] > 0, "collection ", which, " has no features at all");
    const double scale = 1 / sums[2 * which];
    collections.push_back({from[which].items,
                           transpose(from[which].items),
                           scale,
                           sums[2 * which + 1] * scale * scale,
                           from[which].classes,
                           from[which].given,
                           {},
                           {}});
  }
  return collections;
}

/// Xᵀ G and Gᵀ G of all collections, with one sum over the ranks.
void gather_evidence(std::vector<Collection>& collections, const Run& run) {
  std::vector<double> all;
  for (Collection& collection : collections) {
    collection.evidence = multiply(collection.transposed.view(), collection.classes, run.jobs);
    collection.evidence *= collection.scale;
    collection.gram = collection.classes.transpose() * collection.classes;
    for (const MatrixD* part : {&collection.evidence, &collection.gram})
      all.insert(all.end(), part->data(), part->data() + part->size());
  }
  run.comm.sum(all);
  const double* from = all.data();
  for (Collection& collection : collections)
    for (MatrixD* part : {&collection.evidence, &collection.gram}) {
      std::copy(from, from + part->size(), part->data());
      from += part->size();
    }
}

double objective_of(const std::vector<Collection>& collections,
                    const std::vector<PairFactors>& pairs) {
  double objective = 0;
  for (const PairFactors& pair : pairs)
    for (const std::size_t end : {0, 1}) {
      const Collection& collection = collections[pair.ends[end]];
      const MatrixD explained = pair.explained(end);
      const MatrixD gram = explained.transpose() * explained;
      objective += collection.squares - 2 * collection.evidence.cwiseProduct(explained).sum() +
                   gram.cwiseProduct(collection.gram).sum();
    }
  return objective;
}

std::vector<std::array<EndEvidence, 2>> evidence_of(const std::vector<Collection>& collections,
                                                    const std::vector<PairFactors>& pairs) {
  std::vector<std::array<EndEvidence, 2>> result;
  for (const PairFactors& pair : pairs) {
    std::array<EndEvidence, 2>& both = result.emplace_back();
    for (const std::size_t end : {0, 1})
      both[end] = {&collections[pair.ends[end]].evidence, &collections[pair.ends[end]].gram};
  }
  return result;
}

/// The sum over the pairs of a collection of S and of SᵀS.
struct Explained {
  MatrixD sum;
  MatrixD gram;
};

Explained explained_of(std::size_t which, const std::vector<PairFactors>& pairs) {
  Explained result;
  for (const PairFactors& pair : pairs)
    for (const std::size_t end : {0, 1}) {
      if (pair.ends[end] != which) continue;
      const MatrixD explained = pair.explained(end);
      const MatrixD gram = explained.transpose() * explained;
      if (result.sum.size() == 0) {
        result = {explained, gram};
      } else {
        result.sum += explained;
        result.gram += gram;
      }
    }
  return result;
}

/// The mean move of an item's classes over all ranks.
double update_all_classes(std::vector<Collection>& collections,
                          const std::vector<PairFactors>& pairs, const Run& run) {
  std::array<double, 2> moved_of{};
  for (std::size_t which = 0; which < collections.size(); ++which) {
    Collection& collection = collections[which];
    const Explained explained = explained_of(which, pairs);
    moved_of[0] +=
        update_item_classes(collection.items, collection.scale, explained.sum, explained.gram,
                            collection.given, collection.classes, run.jobs);
    moved_of[1] += static_cast<double>(collection.classes.rows());
  }
  run.comm.sum(moved_of);
  return moved_of[0] / moved_of[1];
}

}  // namespace

std::vector<CoupledPair> start_coupled_pairs(std::span<const std::array<int, 2>> ends,
                                             std::int64_t features, std::int64_t classes,
                                             const CoupledFactorOptions& options) {
  check_options(options);
  const auto common = std::clamp<std::int64_t>(std::llround(options.clusters * options.shared), 1,
                                               options.clusters - 1);
  std::uint64_t part = 0;
  const auto random_clusters = [&](std::int64_t clusters) {
    const std::uint64_t seed = mix(options.seed) + 2 * part++;
    const auto draw = [&](std::uint64_t stream, std::int64_t rows) {
      return MatrixD::NullaryExpr(rows, clusters, [=](Eigen::Index row, Eigen::Index column) {
        return 0.5 + random_uniform(seed + stream, static_cast<std::uint64_t>(row),
                                    static_cast<std::uint64_t>(column));
      });
    };
    FeatureClusters result{draw(0, features), draw(1, classes)};
    for (Eigen::Index column = 0; column < result.features.cols(); ++column)
      result.features.col(column) /= result.features.col(column).sum();
    return result;
  };
  std::vector<CoupledPair> pairs;
  for (const std::array<int, 2>& pair : ends) {
    CoupledPair made{pair, random_clusters(common), {}};
    for (FeatureClusters& own : made.own) own = random_clusters(options.clusters - common);
    pairs.push_back(std::move(made));
  }
  return pairs;
}

CoupledFit fit_coupled_factors(std::span<const CoupledCollection> from,
                               std::vector<CoupledPair> start, const CoupledFactorOptions& options,
                               const Run& run, const WatchClasses& watch) {
  check_options(options);
  check_pairs(start, from.size());
  const std::int64_t features = start.front().common.features.rows();
  const std::int64_t classes = start.front().common.weights.rows();
  for (std::size_t which = 0; which < from.size(); ++which)
    check_collection(from[which], which, features, classes);
  const auto begin = Clock::now();
  const double waited = run.comm.seconds();

  std::vector<Collection> collections = prepare(from, run.comm);
  std::vector<PairFactors> pairs;
  for (const CoupledPair& pair : start) {
    const auto factor = [&](const FeatureClusters& clusters) {
      require(clusters.features.rows() == features && clusters.weights.rows() == classes &&
                  clusters.features.cols() == clusters.weights.cols(),
              "the parts of a pair do not fit together");
      return ClusterFactor(clusters.features, clusters.weights);
    };
    pairs.push_back(
        {{static_cast<std::size_t>(pair.ends[0]), static_cast<std::size_t>(pair.ends[1])},
         factor(pair.common),
         {factor(pair.own[0]), factor(pair.own[1])}});
  }

  CoupledFit fit;
  gather_evidence(collections, run);
  while (fit.report.iterations < options.iterations && !fit.report.converged) {
    update_clusters(pairs, evidence_of(collections, pairs), run.jobs);
    const double moved = update_all_classes(collections, pairs, run);
    normalise_clusters(pairs, run.jobs);
    gather_evidence(collections, run);
    fit.report.objective.push_back(objective_of(collections, pairs));
    ++fit.report.iterations;
    fit.report.converged = moved < options.tolerance;
    if (watch) {
      std::vector<MatrixD> now;
      for (const Collection& collection : collections) now.push_back(collection.classes);
      watch(fit.report.iterations, fit.report.objective.back(), now);
    }
    run.progress({"factorising", static_cast<std::uint64_t>(fit.report.iterations),
                  static_cast<std::uint64_t>(options.iterations), "iterations"});
  }

  for (Collection& collection : collections) fit.classes.push_back(std::move(collection.classes));
  for (std::size_t which = 0; which < pairs.size(); ++which) {
    const auto clusters = [](const ClusterFactor& factor) {
      return FeatureClusters{factor.features.leftCols(factor.clusters),
                             factor.weights.leftCols(factor.clusters)};
    };
    fit.pairs.push_back({start[which].ends,
                         clusters(pairs[which].common),
                         {clusters(pairs[which].own[0]), clusters(pairs[which].own[1])}});
  }
  fit.report.communication_seconds = run.comm.seconds() - waited;
  fit.report.compute_seconds = seconds_since(begin) - fit.report.communication_seconds;
  return fit;
}

}  // namespace commonplace::transfer
