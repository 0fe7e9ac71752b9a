#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/features/term_table.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/search/model.h"

namespace commonplace::search {

/// Which items have each word, and how often.
struct WordPostings {
  TermTable words;
  Sparse items;                ///< words x items: counts
  std::vector<float> lengths;  ///< per item: its words
  double mean_length = 0;      ///< of the items that have words
};

/// A collection made ready for being searched; derived data, made again when it is out of date.
struct Index {
  std::string state;  ///< of the collection, from before it was read
  std::int64_t items = 0;
  WordPostings tag_words;
  WordPostings text_words;
  TermTable tags;                   ///< keys of tags and of the levels above them
  Sparse tag_items;                 ///< tags x items
  std::vector<std::int64_t> times;  ///< per item: seconds since 1970, or kNoTime
  // With a model:
  TermTable term_words;  ///< the words of the model's terms
  Sparse word_terms;     ///< term_words x terms: which terms have the word
  Sparse rejected;       ///< terms x items: "not this tag" was decided
  CodedItems coded;

  static constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
};

/// Reads the collection, as it is now, and codes its items with the model, if there is one.
/// O(items).
Index make_index(const Library& library, const Collection& opened, const Model* model,
                 const Run& run);

/// The index of `collection` under a model (null: by words alone): the stored one if it is up to
/// date, otherwise one made now. `progress` tells if it is made.
Index open_index(const Library& library, const Collection& collection, const ModelRecord* record,
                 const Model* model, const Run& run);

/// Keeps the index of a model's collection beside the model, so that searching starts at once.
void store_index(Library& library, const ModelRecord& record, Index index);

/// Keeps the index of a collection that is searched by words alone.
void store_index(Library& library, const Collection& collection, const Index& index);

/// Removes a model of any kind, and the index that it has if it is for search or detecting; Error
/// if there is none of that name.
void remove_model_and_index(Library& library, const std::string& model);

/// A safetensors file of kind "search-index".
void save(const Index& index, const std::filesystem::path& path);
Index load_index(const TensorFile& file);

}  // namespace commonplace::search
