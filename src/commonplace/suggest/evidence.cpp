#include "commonplace/suggest/evidence.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/features/term_counts.h"
#include "commonplace/features/vocabulary.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"
#include "commonplace/io/tensors.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/rows/item_texts.h"
#include "commonplace/rows/rank_words.h"

namespace commonplace::suggest {
namespace {

using Source = Evidence::Source;

/// Features that `commonplace features` made of the tags themselves (rows/text_features.cpp): they
/// hold the answer, and a new item has none.
bool made_of_tags(const FeatureRecord& record) {
  return record.source.starts_with("tags by ") || record.source.starts_with("pLSA of tags");
}
/// Features that it made of the text, which is evidence by itself.
bool made_of_text(const FeatureRecord& record) {
  return record.source.starts_with("tfidf by ") || record.source.starts_with("pLSA of text");
}

std::vector<std::string> usual_sources(const Library& library, const Collection& collection) {
  std::vector<std::string> names;
  if (facts_of(library, collection).text) names.push_back("text");
  for (const FeatureRecord& record : feature_records(library, collection))
    if (!made_of_tags(record) && !made_of_text(record) && (!record.sparse || names.empty()))
      names.push_back(record.name);
  require(
      !names.empty(), "collection '", collection.name,
      "' has neither texts nor features to tell tags from: make some by 'commonplace features',",
      " or give --features tags to tell an item's further tags from those that it has, which",
      " gives an item without tags none");
  return names;
}

Source source_of_terms(std::string name, TermCounts counted, const EvidenceOptions& options) {
  Source source;
  source.name = std::move(name);
  SelectedTerms selected = select_terms(
      std::move(counted),
      {.min_documents = options.min_items, .max_share = 1, .max_terms = options.max_words});
  source.terms = std::move(selected.vocabulary.terms);
  source.names = std::move(selected.vocabulary.shown);
  source.columns = source.terms.size();
  return source;
}

TagSource tags_of(ItemReader& reader) {
  return [&reader, item = Item()](std::vector<TagCount>& tags) mutable {
    if (!reader.next(item)) return false;
    tags.clear();
    for (ItemTag& tag : item.tags) tags.push_back({std::move(tag.name), 1});
    return true;
  };
}

std::vector<float> means_of(const MatrixView& rows) {
  std::vector<double> sums(static_cast<std::size_t>(rows.cols()));
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    for (Eigen::Index column = 0; column < rows.cols(); ++column)
      sums[static_cast<std::size_t>(column)] += static_cast<double>(rows(row, column));
  std::vector<float> means;
  for (const double sum : sums)
    means.push_back(static_cast<float>(sum / std::max(1.0, static_cast<double>(rows.rows()))));
  return means;
}

Source source_of_features(const FeatureRecord& record) {
  Source source;
  source.name = record.name;
  source.columns = record.columns;
  source.dense = !record.sparse;
  if (source.dense)
    source.means = means_of(dense_features(record).view());
  else
    source.names = SparseFeatures(record).names();
  return source;
}

Source make_source(const std::string& name, const Library& library, const Collection& collection,
                   const EvidenceOptions& options, const Run& run) {
  if (name == "text") {
    require(facts_of(library, collection).text, "collection '", collection.name,
            "' has neither titles nor texts; give --features another name");
    return source_of_terms(name, count_words(library, collection, options.tokens, run), options);
  }
  if (name == "tags") {
    ItemReader reader(library, collection);
    return source_of_terms(name, count_tags(tags_of(reader), run.progress), options);
  }
  const FeatureRecord record = feature_record(library, collection, name);
  require(!made_of_tags(record), "the features '", name,
          "' are made of the tags that are to be told; give --features tags to tell some tags by",
          " others");
  return source_of_features(record);
}

/// A dense row, centred and of length one.
std::vector<float> centred(const Source& source, std::span<const float> values) {
  require(static_cast<std::int64_t>(values.size()) == source.columns, "a vector of '", source.name,
          "' has ", values.size(), " numbers; the model knows ", source.columns);
  std::vector<float> row(values.begin(), values.end());
  double squares = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] -= source.means[i];
    require(std::isfinite(row[i]), "a vector of '", source.name, "' holds what is not a number");
    squares += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  }
  const auto scale = static_cast<float>(squares > 0 ? 1 / std::sqrt(squares) : 0);
  for (float& value : row) value *= scale;
  return row;
}

/// Puts rows together from what each source says of them.
class RowBuilder {
 public:
  RowBuilder(const Evidence& evidence, std::int64_t rows)
      : sparse_(evidence.is_sparse()), blocks_(evidence.blocks()) {
    result_.is_sparse = sparse_;
    result_.sparse.columns = evidence.columns();
    if (!sparse_)
      result_.dense = Matrix::Zero(rows, evidence.columns());
    else
      parts_.resize(static_cast<std::size_t>(rows));
  }
  void add(std::size_t source, std::int64_t row, std::span<const std::int32_t> columns,
           std::span<const float> values) {
    for (std::size_t i = 0; i < columns.size(); ++i) put(source, row, columns[i], values[i]);
  }
  void add(std::size_t source, std::int64_t row, std::span<const float> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      put(source, row, static_cast<std::int32_t>(i), values[i]);
  }
  StoredRows finish() && {
    for (const auto& part : parts_) {
      for (const auto& [column, value] : part) result_.sparse.push(column, value);
      result_.sparse.end_row();
    }
    return std::move(result_);
  }

 private:
  void put(std::size_t source, std::int64_t row, std::int32_t column, float value) {
    const std::int64_t place = blocks_[source] + column;
    if (sparse_)
      parts_[static_cast<std::size_t>(row)].emplace_back(static_cast<std::int32_t>(place), value);
    else
      result_.dense(row, place) = value;
  }
  bool sparse_;
  std::vector<std::int64_t> blocks_;
  std::vector<std::vector<std::pair<std::int32_t, float>>> parts_;
  StoredRows result_;
};

void add_sparse(RowBuilder& builder, std::size_t source, const SparseView& rows,
                std::int64_t most) {
  for (std::int64_t row = 0; row < std::min(rows.rows, most); ++row)
    builder.add(source, row, rows.row_indices(row), rows.row_values(row));
}

/// Tags without those that are hidden while learning.
TagSource shown_tags(ItemReader& reader, bool hide) {
  return [&reader, hide, item = Item()](std::vector<TagCount>& tags) mutable {
    if (!reader.next(item)) return false;
    tags.clear();
    for (ItemTag& tag : item.tags)
      if (!hide || !tag_is_hidden(item.id, tag_key(tag.name)))
        tags.push_back({std::move(tag.name), 1});
    return true;
  };
}

/// The stored features that the source stands for.
FeatureRecord record_of(const Library& library, const Collection& collection,
                        const Source& source) {
  FeatureRecord record = feature_record(library, collection, source.name);
  require(record.columns == source.columns && record.sparse != source.dense, "the features '",
          source.name, "' have changed since the model was learned; learn it again");
  return record;
}

void add_stored(RowBuilder& builder, std::size_t number, const Source& source,
                const FeatureRecord& record, std::int64_t items) {
  if (!source.dense) {
    add_sparse(builder, number, SparseFeatures(record).matrix(), items);
    return;
  }
  const NpyMatrix matrix = dense_features(record);
  const MatrixView rows = matrix.view();
  for (Eigen::Index row = 0; row < std::min<Eigen::Index>(rows.rows(), items); ++row)
    builder.add(number, row,
                centred(source, {rows.row(row).data(), static_cast<std::size_t>(rows.cols())}));
}

/// The same for one thing, which may lack them.
void add_stored(RowBuilder& builder, std::size_t number, const Source& source,
                const EvidenceOf& thing, std::int64_t row) {
  if (const auto found = thing.vectors.find(source.name);
      source.dense && found != thing.vectors.end())
    builder.add(number, row, centred(source, found->second));
  if (const auto found = thing.sparse.find(source.name);
      !source.dense && found != thing.sparse.end())
    for (const auto& [column, value] : found->second)
      builder.add(number, row, std::span(&column, 1), std::span(&value, 1));
}

}  // namespace

std::int64_t Evidence::columns() const {
  std::int64_t sum = 0;
  for (const Source& source : sources) sum += source.columns;
  return sum;
}

bool Evidence::is_sparse() const {
  return std::any_of(sources.begin(), sources.end(),
                     [](const Source& source) { return !source.dense; });
}

std::vector<std::int64_t> Evidence::blocks() const {
  std::vector<std::int64_t> result;
  std::int64_t next = 0;
  for (const Source& source : sources) {
    result.push_back(next);
    next += source.columns;
  }
  return result;
}

std::string Evidence::column_name(std::int64_t column) const {
  for (const Source& source : sources) {
    if (column >= source.columns) {
      column -= source.columns;
      continue;
    }
    if (source.dense) return source.name;
    const auto place = static_cast<std::size_t>(column);
    const std::string name = place < source.names.size() ? source.names[place]
                             : column < source.terms.size()
                                 ? std::string(source.terms[static_cast<std::int32_t>(column)])
                                 : std::to_string(column);
    return source.is_text() ? name : (source.is_tags() ? "tag " : source.name + " ") + name;
  }
  return "?";
}

Evidence choose_evidence(const Library& library, const Collection& collection,
                         const EvidenceOptions& options, const Run& run) {
  require(options.min_items >= 1, "min_documents is ", options.min_items, "; expected 1 or more");
  require(options.max_words >= 1, "max_words is ", options.max_words, "; expected 1 or more");
  Evidence evidence;
  evidence.tokens = options.tokens;
  const std::vector<std::string> names =
      options.features == "auto" ? usual_sources(library, collection) : split(options.features);
  require(!names.empty(), "no features are named; give --features text, tags or stored ones");
  for (const std::string& name : names) {
    require(std::none_of(evidence.sources.begin(), evidence.sources.end(),
                         [&](const Source& source) { return source.name == name; }),
            "the features '", name, "' are named twice");
    evidence.sources.push_back(make_source(name, library, collection, options, run));
  }
  return evidence;
}

StoredRows evidence_rows(const Library& library, const Collection& collection,
                         const Evidence& evidence, bool hide, const Run& run) {
  RowBuilder builder(evidence, collection.items);
  for (std::size_t i = 0; i < evidence.sources.size(); ++i) {
    const Source& source = evidence.sources[i];
    if (source.is_text()) {
      add_sparse(builder, i,
                 count_known_words(source.terms, library, collection, evidence.tokens, run).view(),
                 collection.items);
    } else if (source.is_tags()) {
      ItemReader reader(library, collection);
      add_sparse(builder, i,
                 count_known_tags(source.terms, shown_tags(reader, hide), run.progress).view(),
                 collection.items);
    } else {
      add_stored(builder, i, source, record_of(library, collection, source), collection.items);
    }
  }
  return std::move(builder).finish();
}

EvidenceReader::EvidenceReader(const Library& library, const Collection& collection,
                               const Evidence& evidence)
    : items_(library, collection) {
  for (const Source& source : evidence.sources) {
    if (source.is_text() || source.is_tags()) continue;
    const FeatureRecord record = record_of(library, collection, source);
    if (source.dense)
      dense_.emplace(source.name, dense_features(record));
    else
      sparse_.emplace(source.name, record);
  }
}

std::optional<EvidenceOf> EvidenceReader::find(const std::string& id, bool hide) {
  const std::optional<Item> item = items_.find(id);
  if (!item) return std::nullopt;
  EvidenceOf thing;
  thing.text = item_text(*item);
  for (const ItemTag& tag : item->tags)
    if (!hide || !tag_is_hidden(id, tag_key(tag.name))) thing.tags.push_back(tag.name);
  if (dense_.empty() && sparse_.empty()) return thing;
  const std::int64_t row = items_.row();
  // Items added after the features were made have none.
  for (const auto& [name, matrix] : dense_)
    if (row < matrix.view().rows()) {
      const auto values = matrix.view().row(row);
      thing.vectors[name].assign(values.data(), values.data() + values.size());
    }
  for (const auto& [name, features] : sparse_)
    if (const SparseView matrix = features.matrix(); row < matrix.rows) {
      const auto columns = matrix.row_indices(row);
      const auto values = matrix.row_values(row);
      for (std::size_t i = 0; i < columns.size(); ++i)
        thing.sparse[name].emplace_back(columns[i], values[i]);
    }
  return thing;
}

StoredRows evidence_rows(const Evidence& evidence, std::span<const EvidenceOf> things) {
  RowBuilder builder(evidence, std::ssize(things));
  for (std::size_t i = 0; i < evidence.sources.size(); ++i) {
    const Source& source = evidence.sources[i];
    std::size_t next = 0;
    if (source.is_text()) {
      const TextSource texts = [&](std::string& text) {
        if (next == things.size()) return false;
        text = things[next++].text;
        return true;
      };
      add_sparse(builder, i, count_known_words(source.terms, texts, evidence.tokens, 1).view(),
                 std::ssize(things));
    } else if (source.is_tags()) {
      const TagSource tags = [&](std::vector<TagCount>& into) {
        if (next == things.size()) return false;
        into.clear();
        for (const std::string& tag : things[next].tags) into.push_back({tag, 1});
        ++next;
        return true;
      };
      add_sparse(builder, i, count_known_tags(source.terms, tags).view(), std::ssize(things));
    } else {
      for (std::size_t row = 0; row < things.size(); ++row)
        add_stored(builder, i, source, things[row], static_cast<std::int64_t>(row));
    }
  }
  return std::move(builder).finish();
}

bool tag_is_hidden(const std::string& item, const std::string& tag_key) {
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(item)));
  const char parting = '\0';
  hash.update(std::as_bytes(std::span(&parting, 1)));
  hash.update(std::as_bytes(std::span(tag_key)));
  return (hash.digest() & 1U) != 0;
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Source>
static void visit_tensors(Self& source, std::size_t number, Visit&& visit) {
  const std::string prefix = concat("evidence.", number);
  visit(prefix + ".terms", source.terms);
  visit(prefix + ".names", source.names);
  visit(prefix + ".means", source.means, TensorShape{source.dense ? source.columns : -1});
}

void add_evidence(TensorWriter& writer, const Evidence& evidence) {
  nlohmann::json sources = nlohmann::json::array();
  for (std::size_t i = 0; i < evidence.sources.size(); ++i) {
    const Source& source = evidence.sources[i];
    sources.push_back(
        {{"name", source.name}, {"columns", source.columns}, {"dense", source.dense}});
    visit_tensors(source, i, TensorSaver{writer});
  }
  writer.set("evidence", json_text(sources));
  writer.set("tokens", options_to_json(evidence.tokens));
}

Evidence load_evidence(const TensorFile& file) {
  Evidence evidence;
  evidence.tokens = options_from_json<TokenOptions>(file.metadata("tokens"));
  try {
    for (const auto& json : json_from(file.metadata("evidence"))) {
      Source& source = evidence.sources.emplace_back();
      json.at("name").get_to(source.name);
      json.at("columns").get_to(source.columns);
      json.at("dense").get_to(source.dense);
      require(source.columns >= 0, file.name(), ": '", source.name, "' has ", source.columns,
              " columns; the file is damaged");
      visit_tensors(source, evidence.sources.size() - 1, TensorLoader{file});
      require(source.dense || source.terms.size() == 0 || source.terms.size() == source.columns,
              file.name(), ": the features '", source.name,
              "' do not fit together; the file is damaged");
    }
  } catch (const nlohmann::json::exception& error) {
    fail(file.name(), ": its list of features cannot be read (", error.what(),
         "); the file is damaged");
  }
  return evidence;
}

}  // namespace commonplace::suggest
