#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/features/tokens.h"
#include "commonplace/formats/item.h"
#include "commonplace/library/library.h"

namespace commonplace::transfer {

/// How collections become rows over one set of features.
struct ReadOptions {
  /// By commas: text, tags, or the name of stored features; empty: text, tags where two
  /// collections have them, and stored features that two of them have under one name.
  std::string features{};
  std::string label_field{};   ///< the labels to transfer; empty: the only ones of the source
  std::int64_t min_items = 3;  ///< that must have a word or tag, over all collections
  TokenOptions tokens{};       ///< of text
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ReadOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("features", options.features, "text, tags or stored features, by commas; default: all");
  visit("label_field", options.label_field, "the label to transfer, such as sentiment");
  visit("min_documents|min", options.min_items, "items that must have a word or tag");
  visit_options(options.tokens, visit);
}

/// Items one after the other: false at the end.
using ItemStream = std::function<bool(Item& item)>;

/// Features that are not words: a row an item; rows that are missing at the end are zero.
struct NumberBlock {
  std::string name;
  Matrix dense;
  Sparse sparse;
  bool is_sparse = false;
  std::vector<std::string> columns;  ///< names of sparse ones, or empty

  std::int64_t width() const { return is_sparse ? sparse.columns : dense.cols(); }
};

/// A collection that has not been read yet.
struct Input {
  std::string name;
  std::function<ItemStream()> open;  ///< may be called several times
  std::vector<NumberBlock> blocks;
};

/// Of a library; its stored features that `features` names or, if that is empty, all of them.
Input transfer_input(const Library& library, const std::string& collection,
                     const std::string& features);
/// Of a file that 'commonplace add' can read, or of numbers: "X.npy:Y.npy", rows and classes.
Input transfer_input(const std::string& file);

struct Set {
  std::string name;
  std::vector<std::string> ids;
  Sparse rows;                       ///< items x features, nonnegative
  std::vector<std::int32_t> labels;  ///< -1: none, or none of the classes
};

/// Features that belong together: first .. first + count - 1.
struct FeatureBlock {
  std::string name;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

struct Data {
  std::vector<Set> collections;
  std::string field;                 ///< of the labels
  std::vector<std::string> classes;  ///< the labels of the first `sources` collections, ascending
  std::vector<FeatureBlock> blocks;
  std::vector<std::string> features;  ///< names, where they have any

  std::int64_t columns() const {
    return blocks.empty() ? 0 : blocks.back().first + blocks.back().count;
  }
};

/// Reads the collections, of which the first `sources` say what the classes are (0: no labels are
/// read). Words are weighed by tf-idf over all of them together; the rows of each block are of
/// length one. Numbers below 0 become positive ones in a second half of their block. Error, saying
/// what there is, if something is not there or nothing is left. Collective.
Data read_data(const std::vector<Input>& inputs, std::size_t sources, const ReadOptions& options,
               const Run& run);

/// Error on every rank unless all have read the same. Collective.
void require_same_data(const Data& data, Comm& comm);

}  // namespace commonplace::transfer
