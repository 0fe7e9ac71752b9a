#include "commonplace/transfer/core/same_items.h"

#include <algorithm>
#include <unordered_map>

#include "commonplace/comm/serialise.h"
#include "commonplace/io/xxhash64.h"

namespace commonplace::transfer {
namespace {

constexpr std::int64_t kLeastFeatures = 8;
/// Pairs that count before any is seen, and those of them that agree.
constexpr double kPairsBefore = 10;
constexpr double kAgreeBefore = 9;
constexpr double kMostReliable = 0.99;

/// Digests a row; 0 if it says too little.
std::uint64_t digest_of(const SparseView& items, std::int64_t row) {
  const auto columns = items.row_indices(row);
  if (std::ssize(columns) < kLeastFeatures) return 0;
  Xxh64 digest;
  digest.update(std::as_bytes(columns));
  digest.update(std::as_bytes(items.row_values(row)));
  return digest.digest();
}

using LabelCounts = std::unordered_map<std::uint64_t, std::vector<std::int64_t>>;

/// Counts the labels of each item that is labelled anywhere.
LabelCounts count_labels(std::span<const LabelledItems> labelled, std::size_t classes, Comm& comm) {
  std::vector<std::uint64_t> own_items;
  std::vector<std::int32_t> own_labels;
  for (const LabelledItems& each : labelled)
    for (std::size_t row = 0; row < each.labels.size(); ++row) {
      if (each.labels[row] < 0) continue;
      const std::uint64_t item = digest_of(each.items, static_cast<std::int64_t>(row));
      if (item == 0) continue;
      own_items.push_back(item);
      own_labels.push_back(each.labels[row]);
    }
  const auto items = all_gather_numbers(comm, std::span<const std::uint64_t>(own_items));
  const auto labels = all_gather_numbers(comm, std::span<const std::int32_t>(own_labels));
  LabelCounts counts;
  for (std::size_t which = 0; which < items.size(); ++which) {
    std::vector<std::int64_t>& of = counts[items[which]];
    of.resize(classes);
    ++of[static_cast<std::size_t>(labels[which])];
  }
  return counts;
}

/// Estimates how often equal items are labelled alike.
double reliability_of(const LabelCounts& counts) {
  double pairs = kPairsBefore;
  double agree = kAgreeBefore;
  for (const auto& [item, of] : counts) {
    double items = 0;
    for (const std::int64_t count : of) {
      items += static_cast<double>(count);
      agree += static_cast<double>(count * (count - 1)) / 2;
    }
    pairs += items * (items - 1) / 2;
  }
  return std::min(kMostReliable, agree / pairs);
}

}  // namespace

SameItems take_labels_of_same_items(std::span<const LabelledItems> labelled,
                                    const LabelledItems& target, MatrixD& probabilities,
                                    const Run& run) {
  const LabelCounts counts =
      count_labels(labelled, static_cast<std::size_t>(probabilities.cols()), run.comm);
  SameItems same{.reliability = reliability_of(counts)};
  for (Eigen::Index row = 0; row < probabilities.rows(); ++row) {
    if (!target.labels.empty() && target.labels[static_cast<std::size_t>(row)] >= 0) continue;
    const auto known = counts.find(digest_of(target.items, row));
    if (known == counts.end()) continue;
    double items = 0;
    for (const std::int64_t count : known->second) items += static_cast<double>(count);
    for (Eigen::Index label = 0; label < probabilities.cols(); ++label)
      probabilities(row, label) =
          same.reliability * static_cast<double>(known->second[static_cast<std::size_t>(label)]) /
              items +
          (1 - same.reliability) * probabilities(row, label);
    ++same.found;
  }
  run.comm.sum(std::span<std::int64_t>(&same.found, 1));
  return same;
}

}  // namespace commonplace::transfer
