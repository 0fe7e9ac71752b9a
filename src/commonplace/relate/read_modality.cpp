#include "commonplace/relate/read_modality.h"

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/rows/rank_words.h"

namespace commonplace::relate {
namespace {

/// Places closer than about a metre are one.
constexpr double kPlaceGrid = 1e5;

/// One node an item: node r is item r, unless its row is empty.
void one_each(ModalityRows& modality, std::int64_t items, std::int64_t rows,
              const std::function<bool(std::int64_t)>& is_there) {
  modality.nodes = rows;
  modality.has.columns = rows;
  for (std::int64_t row = 0; row < items; ++row) {
    if (row < rows && is_there(row)) modality.has.push(static_cast<std::int32_t>(row), 1);
    modality.has.end_row();
  }
}

void read_items(ModalityRows& modality, const Library& library, const Collection& source) {
  if (modality.kernel == "identity") {
    one_each(modality, source.items, source.items, [](std::int64_t) { return true; });
    return;
  }
  if (modality.features.empty()) {
    std::vector<std::string> dense;
    for (const FeatureRecord& record : feature_records(library, source))
      if (!record.sparse) dense.push_back(record.name);
    require(!dense.empty(), "collection '", source.name,
            "' has no dense features to relate its items by; make some ('commonplace features'), "
            "or relate ",
            source.name, "/text instead");
    modality.features = dense.front();
  }
  const FeatureRecord record = feature_record(library, source, modality.features);
  if (record.sparse) {
    const SparseFeatures stored(record);
    modality.rows.is_sparse = true;
    modality.rows.sparse = copy(stored.matrix());
    const SparseView rows = modality.rows.sparse.view();
    one_each(modality, source.items, rows.rows,
             [&](std::int64_t row) { return !rows.row_indices(row).empty(); });
    return;
  }
  modality.mapped = dense_features(record);
  modality.mapped_rows = modality.mapped.view().rows();
  one_each(modality, source.items, modality.mapped_rows,
           [&](std::int64_t row) { return modality.mapped.view().row(row).squaredNorm() > 0; });
}

void read_text(ModalityRows& modality, const Library& library, const Collection& source,
               const Run& run) {
  modality.rows.is_sparse = true;
  if (modality.text.idf.empty()) {
    TfidfOptions options;
    options.weights.sublinear = true;
    options.terms.min_documents = 2;
    TfidfFit fit = fit_tfidf(count_words(library, source, options.tokens, run), options);
    modality.text = std::move(fit.model);
    modality.rows.sparse = std::move(fit.matrix);
  } else {
    modality.rows.sparse = count_known_words(modality.text.vocabulary.terms, library, source,
                                             modality.text.options.tokens, run);
    weigh(modality.rows.sparse, modality.text.idf, modality.text.options.weights);
  }
  const SparseView rows = modality.rows.sparse.view();
  require(rows.columns > 0, "the items of collection '", source.name,
          "' have no words that two of them use");
  one_each(modality, source.items, rows.rows,
           [&](std::int64_t row) { return !rows.row_indices(row).empty(); });
}

/// Gives the names that occur often enough numbers, and `modality.has` its rows.
void keep_common(ModalityRows& modality, const std::vector<std::string>& names, const Sparse& uses,
                 std::int64_t min_uses) {
  std::vector<std::int64_t> counts(names.size());
  for (std::size_t i = 0; i < uses.indices.size(); ++i)
    if (uses.values[i] > 0) ++counts[static_cast<std::size_t>(uses.indices[i])];
  std::vector<std::int32_t> number(names.size(), -1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (counts[i] < min_uses) continue;
    number[i] = static_cast<std::int32_t>(modality.names.size());
    modality.names.push_back(names[i]);
  }
  modality.nodes = std::ssize(modality.names);
  modality.has.columns = modality.nodes;
  for (std::int64_t row = 0; row < uses.rows(); ++row) {
    const SparseView view = uses.view();
    for (std::size_t i = 0; i < view.row_indices(row).size(); ++i) {
      const std::int32_t column = number[static_cast<std::size_t>(view.row_indices(row)[i])];
      if (column >= 0) modality.has.push(column, view.row_values(row)[i] > 0 ? 1.0F : -1.0F);
    }
    modality.has.end_row();
  }
}

void read_tags(ModalityRows& modality, const Library& library, const Collection& source,
               std::int64_t min_uses) {
  TagMatrix tags = tag_matrix(library, source);
  std::unordered_map<std::string, std::int32_t> numbers;
  for (std::size_t i = 0; i < tags.names.size(); ++i)
    numbers.emplace(tag_key(tags.names[i]), static_cast<std::int32_t>(i));
  // What was rejected is known of no matrix of tags.
  std::unordered_map<std::string, std::vector<std::int32_t>> rejected;
  for (const Decision& decision : decisions_in_force(library, source.name))
    if (decision.verdict == Verdict::rejected)
      if (const auto found = numbers.find(tag_key(decision.tag)); found != numbers.end())
        rejected[decision.item].push_back(found->second);
  if (!rejected.empty()) {
    const std::vector<std::string> ids = item_ids(library, source);
    Sparse both;
    both.columns = tags.counts.columns;
    for (std::int64_t row = 0; row < tags.counts.rows(); ++row) {
      std::map<std::int32_t, float> entries;
      for (const std::int32_t tag : tags.counts.view().row_indices(row)) entries[tag] = 1;
      if (const auto found = rejected.find(ids[static_cast<std::size_t>(row)]);
          found != rejected.end())
        for (const std::int32_t tag : found->second) entries[tag] = -1;
      for (const auto& [tag, value] : entries) both.push(tag, value);
      both.end_row();
    }
    tags.counts = std::move(both);
  }
  keep_common(modality, tags.names, tags.counts, min_uses);
}

/// Places and labels are in the items themselves.
void read_labels(ModalityRows& modality, const Library& library, const Collection& source,
                 std::int64_t min_uses) {
  std::map<std::string, std::int32_t> numbers;
  std::vector<std::string> names;
  Sparse uses;
  ItemReader reader(library, source);
  Item item;
  while (reader.next(item)) {
    std::set<std::int32_t> of_item;
    for (const auto& [field, value] : item.labels) {
      if (field != modality.what.field) continue;
      const auto [place, is_new] = numbers.emplace(value, static_cast<std::int32_t>(names.size()));
      if (is_new) names.push_back(value);
      of_item.insert(place->second);
    }
    for (const std::int32_t each : of_item) uses.push(each, 1);
    uses.end_row();
  }
  require(!names.empty(), "no item of collection '", source.name, "' has a label '",
          modality.what.field, "'");
  uses.columns = std::ssize(names);
  keep_common(modality, names, uses, min_uses);
}

void read_places(ModalityRows& modality, const Library& library, const Collection& source) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> numbers;
  ItemReader reader(library, source);
  Item item;
  while (reader.next(item)) {
    if (item.place) {
      const std::pair key{std::llround(item.place->latitude * kPlaceGrid),
                          std::llround(item.place->longitude * kPlaceGrid)};
      const auto [place, is_new] =
          numbers.emplace(key, static_cast<std::int32_t>(modality.places.size()));
      if (is_new) modality.places.push_back(*item.place);
      modality.has.push(place->second, 1);
    }
    modality.has.end_row();
  }
  require(!modality.places.empty(), "no item of collection '", source.name, "' has a place");
  modality.nodes = std::ssize(modality.places);
  modality.has.columns = modality.nodes;
  if (modality.kernel != "identity") modality.rows.dense = place_rows(modality.places);
}

}  // namespace

void read_modality(ModalityRows& modality, const Library& library, const Collection& source,
                   std::int64_t min_uses, const Run& run) {
  switch (modality.what.of) {
    case NodeType::items:
      return read_items(modality, library, source);
    case NodeType::text:
      return read_text(modality, library, source, run);
    case NodeType::tags:
      return read_tags(modality, library, source, min_uses);
    case NodeType::places:
      return read_places(modality, library, source);
    case NodeType::label:
      return read_labels(modality, library, source, min_uses);
  }
}

}  // namespace commonplace::relate
