#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/features/term_table.h"
#include "commonplace/features/tokens.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace::suggest {

/// What tags are told from.
struct EvidenceOptions {
  std::string features = "auto";   ///< text, tags and names of stored features, by commas
  std::int64_t min_items = 2;      ///< leave out words that fewer items have
  std::int64_t max_words = 50000;  ///< keep so many words, those of most items
  TokenOptions tokens;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, EvidenceOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("features", options.features,
        "what tags are told from: text, tags (other tags), stored features, by commas; or auto");
  visit("min_documents|min_items", options.min_items, "leave out words that fewer items have");
  visit("max_words", options.max_words, "keep so many words, those of most items");
  visit_options(options.tokens, visit);
}

/// How items become rows: kinds of features side by side.
struct Evidence {
  struct Source {
    std::string name;  ///< "text", "tags", or of a stored feature
    std::int64_t columns = 0;
    TermTable terms;                 ///< of text: words; of tags: their keys
    std::vector<std::string> names;  ///< what columns are shown as, if other than the terms
    std::vector<float> means;        ///< of a dense stored feature, taken off
    bool dense = false;

    bool is_text() const { return name == "text"; }
    bool is_tags() const { return name == "tags"; }
  };
  std::vector<Source> sources;
  TokenOptions tokens;

  std::int64_t columns() const;
  /// Rows are sparse unless every source is dense.
  bool is_sparse() const;
  /// The first column of each source.
  std::vector<std::int64_t> blocks() const;
  /// What a column stands for, such as "harbour", "tag owl" or, for all of a dense source, "clip".
  std::string column_name(std::int64_t column) const;
};

/// What is known of something that need not be in the library.
struct EvidenceOf {
  std::string text;
  std::vector<std::string> tags;
  /// Dense features by name. Those that are missing are made of text and picture, where they can
  /// be.
  std::map<std::string, std::vector<float>> vectors;
  /// Sparse features by name: (column, value), ascending.
  std::map<std::string, std::vector<std::pair<std::int32_t, float>>> sparse{};
  std::string picture{};         ///< the bytes of its file, if it has one
  std::string picture_called{};  ///< what errors call that
};

/// Which features `options` mean in this collection: with "auto" the text if there is any, and all
/// stored dense features that came from elsewhere. Error if there is neither, for a name that the
/// collection does not have, and for features made of the tags. Collective.
Evidence choose_evidence(const Library& library, const Collection& collection,
                         const EvidenceOptions& options, const Run& run);

/// The rows of all items. With `hide`, half of each item's tags are left out of its evidence, those
/// that tag_is_hidden names: what a model of tags from tags is taught with. Collective.
StoredRows evidence_rows(const Library& library, const Collection& collection,
                         const Evidence& evidence, bool hide, const Run& run);

/// Reads what is known of single items of a collection, without reading the others.
class EvidenceReader {
 public:
  /// Error if stored features are gone or are not as the model knows them.
  EvidenceReader(const Library& library, const Collection& collection, const Evidence& evidence);

  /// Nothing if there is no such item. With `hide` as for all items.
  std::optional<EvidenceOf> find(const std::string& id, bool hide = false);

 private:
  ItemReader items_;
  std::map<std::string, NpyMatrix> dense_;
  std::map<std::string, SparseFeatures> sparse_;
};

/// Rows of things that need not be in the library; what a thing lacks is empty. Error if a vector
/// has another length than the model knows.
StoredRows evidence_rows(const Evidence& evidence, std::span<const EvidenceOf> things);

/// Whether a tag of an item is kept from its evidence while learning: a coin that falls the same
/// each time.
bool tag_is_hidden(const std::string& item, const std::string& tag_key);

void add_evidence(TensorWriter& writer, const Evidence& evidence);
Evidence load_evidence(const TensorFile& file);

}  // namespace commonplace::suggest
