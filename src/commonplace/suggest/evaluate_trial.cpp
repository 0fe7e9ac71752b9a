#include "commonplace/suggest/evaluate_trial.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "commonplace/base/error.h"
#include "commonplace/eval/split.h"
#include "commonplace/formats/import.h"
#include "commonplace/library/items/items.h"
#include "commonplace/suggest/targets.h"

namespace commonplace::suggest {
namespace {

/// Gathers the records of one file, tags and features by number.
struct FileRows {
  Sparse features;
  std::vector<std::vector<std::string>> tags;
};

FileRows read_rows(const std::filesystem::path& file) {
  FileRows rows;
  std::int64_t width = 0;
  Sink sink;
  sink.record = [&](Record&& record) {
    for (const auto& [column, value] : record.features) {
      rows.features.push(column, value);
      width = std::max<std::int64_t>(width, column + 1);
    }
    rows.features.end_row();
    auto& tags = rows.tags.emplace_back();
    for (const ItemTag& tag : record.item.tags) tags.push_back(tag.name);
  };
  sink.bad = [](const Where& where, const std::string& message) {
    fail(to_string(where), ": ", message);
  };
  sink.feature_names = [&](std::vector<std::string>&& names) {
    width = std::max(width, std::ssize(names));
  };
  const std::string format = recognise_format(file);
  require(format == "xc" || format == "svmlight", file.string(), " is ", format,
          "; expected sparse features with tags (xc or svmlight)");
  read_source(file, format, {}, sink);
  require(!rows.tags.empty(), file.string(), " has no items");
  rows.features.columns = width;
  return rows;
}

Sparse without_rejected(const SparseView& targets) {
  Sparse result;
  result.columns = targets.columns;
  for (std::int64_t row = 0; row < targets.rows; ++row) {
    for (const auto& [tag, value] : row_of(targets, row))
      if (value > 0) result.push(tag, value);
    result.end_row();
  }
  return result;
}

/// Which rows are for learning: the oldest, or a random share. In time the test is in its order.
Split split_of(const Collection& collection, const std::vector<std::string>& times,
               const SparseView& targets, const SplitOptions& options, std::uint64_t seed) {
  std::vector<std::int64_t> tagged;
  for (std::int64_t row = 0; row < targets.rows; ++row)
    if (!targets.row_indices(row).empty()) tagged.push_back(row);
  Split split;
  if (options.split == "random") {
    const double share = options.test_share > 0 ? options.test_share : 0.3;
    for (const std::int64_t row : tagged)
      (is_test_row(seed, row, share) ? split.test : split.train).push_back(row);
    return split;
  }
  require(options.split == "time", "the split '", options.split,
          "' is not known; give random or time");
  std::erase_if(tagged, [&](auto row) { return times[static_cast<std::size_t>(row)].empty(); });
  require(tagged.size() >= 2, "collection '", collection.name,
          "' has no two tagged items with times; give --split random");
  std::ranges::stable_sort(tagged, {},
                           [&](auto row) { return times[static_cast<std::size_t>(row)]; });
  const double share = options.test_share > 0 ? options.test_share : 0.5;
  const auto asked = static_cast<std::ptrdiff_t>(
      std::max(1.0, std::floor(share * static_cast<double>(tagged.size()))));
  split.train.assign(tagged.begin(), tagged.end() - asked);
  split.test.assign(tagged.end() - asked, tagged.end());
  std::sort(split.train.begin(), split.train.end());
  return split;
}

/// Leaves out of the rows what none of those to learn from has: learning from these would not know
/// it.
void forget_unseen(const SparseView& train, Sparse& rows) {
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(train.columns));
  for (const std::int32_t column : train.indices) seen[static_cast<std::size_t>(column)] = 1;
  Sparse kept;
  kept.columns = rows.columns;
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    for (const auto& [column, value] : row_of(rows.view(), row))
      if (seen[static_cast<std::size_t>(column)] != 0) kept.push(column, value);
    kept.end_row();
  }
  rows = std::move(kept);
}

/// Keeps the tags that enough of the rows for learning have.
Sparse kept_targets(const SparseView& targets, std::span<const std::int64_t> rows,
                    const std::vector<std::int32_t>& place, std::int64_t width) {
  Sparse result;
  result.columns = width;
  for (const std::int64_t row : rows) {
    for (const std::int32_t tag : targets.row_indices(row))
      if (const std::int32_t to = place[static_cast<std::size_t>(tag)]; to >= 0) result.push(to, 1);
    result.end_row();
  }
  return result;
}

}  // namespace

Trial read_trial(const std::filesystem::path& train, const std::filesystem::path& test) {
  FileRows first = read_rows(train);
  FileRows second = read_rows(test);
  const std::int64_t width = std::max(first.features.columns, second.features.columns);
  first.features.columns = second.features.columns = width;
  std::map<std::string, std::int32_t> numbers;
  for (const auto& tags : first.tags)
    for (const std::string& tag : tags) numbers.emplace(tag, 0);
  std::int32_t next = 0;
  for (auto& [tag, number] : numbers) number = next++;
  require(next > 0, train.string(), " has no tags");

  const auto numbered = [&](const std::vector<std::string>& tags) {
    std::vector<std::int32_t> result;
    for (const std::string& tag : tags)
      if (const auto found = numbers.find(tag); found != numbers.end())
        result.push_back(found->second);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  };
  Trial trial;
  trial.train.is_sparse = trial.test.is_sparse = true;
  trial.train.sparse.columns = trial.test.sparse.columns = width;
  trial.train_tags.columns = trial.test_tags.columns = next;
  for (std::size_t i = 0; i < first.tags.size(); ++i) {
    const std::vector<std::int32_t> tags = numbered(first.tags[i]);
    if (tags.empty()) continue;
    trial.train.sparse.push_row(first.features.view(), static_cast<std::int64_t>(i));
    for (const std::int32_t tag : tags) trial.train_tags.push(tag, 1);
    trial.train_tags.end_row();
  }
  for (std::size_t i = 0; i < second.tags.size(); ++i) {
    if (second.tags[i].empty()) {
      ++trial.untagged;
      continue;
    }
    trial.test.sparse.push_row(second.features.view(), static_cast<std::int64_t>(i));
    for (const std::int32_t tag : numbered(second.tags[i])) trial.test_tags.push(tag, 1);
    trial.test_tags.end_row();
  }
  require(trial.test_tags.rows() > 0, test.string(), " has no tags");
  return trial;
}

Trial split_collection(const Library& library, const std::string& collection_name,
                       const ModelOptions& options, const SplitOptions& how, const Run& run) {
  require(how.test_share >= 0 && how.test_share < 1, "test_share is ", how.test_share,
          "; expected a share between 0 and 1, or 0 for the usual one");
  const ReadSnapshot snapshot = read_snapshot(library);
  const Collection source = collection(library, collection_name);
  TagControl control = read_tag_control(options.tags);
  const std::int64_t min_uses = control.min_uses;
  control.min_uses = 1;
  merge_leaves(library, source, control);
  Tags tags = read_tags(library, source, control);
  require_tags(tags, collection_name);
  tags.targets = without_rejected(tags.targets.view());
  const std::vector<std::string> times = item_times(library, source);
  Split split = split_of(source, times, tags.targets.view(), how, options.suggester.seed);

  std::vector<std::int64_t> uses(tags.names.size());
  for (const std::int64_t row : split.train)
    for (const std::int32_t tag : tags.targets.view().row_indices(row))
      ++uses[static_cast<std::size_t>(tag)];
  std::vector<std::int32_t> place;
  std::int32_t next = 0;
  for (const std::int64_t count : uses) place.push_back(count >= min_uses ? next++ : -1);
  require(next > 0, "no tag is used by ", min_uses,
          " of the items to learn from; give a smaller --min-uses");

  const Evidence evidence = choose_evidence(library, source, options.evidence, run);
  require(!uses_tags(evidence),
          "an evaluation with other tags as evidence is not possible: they are what is asked for");
  const StoredRows rows = evidence_rows(library, source, evidence, false, run);
  Trial trial;
  trial.min_uses = min_uses;
  const auto is_strange = [&](std::int64_t row) {
    return std::ranges::none_of(tags.targets.view().row_indices(row), [&](std::int32_t tag) {
      return place[static_cast<std::size_t>(tag)] >= 0;
    });
  };
  std::vector<std::int64_t> strange;
  std::ranges::copy_if(split.train, std::back_inserter(strange), is_strange);
  std::erase_if(split.train, is_strange);
  if (how.split == "time") {
    for (const std::int64_t row : split.train)
      trial.times.push_back(times[static_cast<std::size_t>(row)]);
    for (const std::int64_t row : strange)
      trial.strange_times.push_back(times[static_cast<std::size_t>(row)]);
  }
  trial.strange = take_rows(rows.view(), strange);
  trial.blocks = evidence.blocks();
  trial.train = take_rows(rows.view(), split.train);
  trial.test = take_rows(rows.view(), split.test);
  if (trial.test.is_sparse) forget_unseen(trial.train.sparse.view(), trial.test.sparse);
  trial.train_tags = kept_targets(tags.targets.view(), split.train, place, next);
  trial.test_tags = kept_targets(tags.targets.view(), split.test, place, next);
  std::vector<std::string> kept(static_cast<std::size_t>(next));
  for (std::size_t tag = 0; tag < place.size(); ++tag)
    if (place[tag] >= 0) kept[static_cast<std::size_t>(place[tag])] = tags.names[tag];
  Naming naming;
  trial.names = read_names(library, source, evidence, kept, naming, run);
  return trial;
}

}  // namespace commonplace::suggest
