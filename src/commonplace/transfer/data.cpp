#include "commonplace/transfer/data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/features/tfidf.h"
#include "commonplace/formats/import.h"
#include "commonplace/formats/json_text.h"
#include "commonplace/io/npy.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/rows/item_texts.h"
#include "commonplace/rows/rank_words.h"

namespace commonplace::transfer {
namespace {

constexpr std::string_view kText = "text";
constexpr std::string_view kTags = "tags";

/// What is kept of a collection's items beside their words.
struct ReadItems {
  std::vector<std::string> ids;
  std::vector<std::map<std::string, std::string>> labels;  ///< the first of each field
  bool has_text = false;
  bool has_tags = false;
};

ReadItems read_items(const Input& input) {
  ReadItems read;
  const ItemStream next = input.open();
  Item item;
  while (next(item)) {
    read.ids.push_back(item.id);
    auto& labels = read.labels.emplace_back();
    for (const Label& label : item.labels) labels.emplace(label.field, label.value);
    read.has_text = read.has_text || !item.title.empty() || !item.text.empty();
    read.has_tags = read.has_tags || !item.tags.empty();
  }
  require(!read.ids.empty(), "collection '", input.name, "' is empty");
  return read;
}

/// The items of all collections, one after the other.
ItemStream all_items(const std::vector<Input>& inputs) {
  const auto which = std::make_shared<std::size_t>(0);
  const auto stream = std::make_shared<ItemStream>();
  return [&inputs, which, stream](Item& item) {
    while (*which < inputs.size()) {
      if (!*stream) *stream = inputs[*which].open();
      if ((*stream)(item)) return true;
      *stream = {};
      ++*which;
    }
    return false;
  };
}

std::string the_label_field(const std::vector<ReadItems>& items, std::size_t sources,
                            const std::string& asked) {
  std::set<std::string> fields;
  for (std::size_t which = 0; which < sources; ++which)
    for (const auto& labels : items[which].labels)
      for (const auto& [field, value] : labels) fields.insert(field);
  const std::string known = join(std::vector<std::string>(fields.begin(), fields.end()));
  require(!fields.empty(), "the source has no labels to transfer");
  if (asked.empty()) {
    require(fields.size() == 1, "the source has several labels (", known,
            "); say which with --label-field");
    return *fields.begin();
  }
  require(fields.contains(asked), "the source has no label '", asked, "'; it has: ", known);
  return asked;
}

/// Fills in the classes and the labels of the collections.
void number_labels(const std::vector<ReadItems>& items, std::size_t sources, Data& data) {
  std::set<std::string> classes;
  for (std::size_t which = 0; which < sources; ++which)
    for (const auto& labels : items[which].labels)
      if (const auto found = labels.find(data.field); found != labels.end())
        classes.insert(found->second);
  require(classes.size() >= 2, "all labels '", data.field, "' of the source are the same ('",
          classes.empty() ? "" : *classes.begin(), "'); two or more are needed");
  data.classes.assign(classes.begin(), classes.end());
  for (std::size_t which = 0; which < items.size(); ++which)
    for (const auto& labels : items[which].labels) {
      const auto found = labels.find(data.field);
      const auto place =
          found == labels.end()
              ? data.classes.end()
              : std::lower_bound(data.classes.begin(), data.classes.end(), found->second);
      const bool known = place != data.classes.end() && *place == found->second;
      data.collections[which].labels.push_back(
          known ? static_cast<std::int32_t>(place - data.classes.begin()) : -1);
    }
}

/// Adds a block of columns, given for all items of all collections one below the other.
void add_block(Data& data, const std::string& name, const SparseView& all,
               const std::vector<std::string>& names) {
  if (all.columns == 0) return;
  const std::int64_t first = data.columns();
  data.blocks.push_back({name, first, all.columns});
  data.features.insert(data.features.end(), names.begin(), names.end());
  data.features.resize(static_cast<std::size_t>(first + all.columns));
  std::int64_t row = 0;
  for (Set& set : data.collections) {
    Sparse joined;
    for (std::int64_t item = 0; item < std::ssize(set.ids); ++item, ++row) {
      if (first > 0) joined.push_row(set.rows.view(), item), joined.starts.pop_back();
      const auto columns = all.row_indices(row);
      const auto values = all.row_values(row);
      for (std::size_t i = 0; i < columns.size(); ++i)
        joined.push(static_cast<std::int32_t>(first + columns[i]), values[i]);
      joined.end_row();
    }
    joined.columns = first + all.columns;
    set.rows = std::move(joined);
  }
}

TfidfOptions word_options(const ReadOptions& options) {
  TfidfOptions result;
  result.tokens = options.tokens;
  result.terms.min_documents = options.min_items;
  return result;
}

void add_text(const std::vector<Input>& inputs, const ReadOptions& options, const Run& run,
              Data& data) {
  const ItemStream next = all_items(inputs);
  Item item;
  std::int64_t items = 0;
  for (const Set& set : data.collections) items += std::ssize(set.ids);
  const TextSource texts = [&](std::string& text) {
    if (!next(item)) return false;
    text = item_text(item);
    return true;
  };
  const TfidfFit fit = fit_tfidf(together(count_words(own_texts(texts, items, run.comm),
                                                      options.tokens, run.jobs, run.progress),
                                          run.comm),
                                 word_options(options));
  add_block(data, std::string(kText), fit.matrix.view(), fit.model.vocabulary.terms.strings());
}

void add_tags(const std::vector<Input>& inputs, const ReadOptions& options,
              const Progress& progress, Data& data) {
  const ItemStream next = all_items(inputs);
  Item item;
  const TfidfFit fit = fit_tags(
      [&](std::vector<TagCount>& tags) {
        if (!next(item)) return false;
        tags.clear();
        for (const ItemTag& tag : item.tags) tags.push_back({tag.name, tag.count});
        return true;
      },
      word_options(options), progress);
  std::vector<std::string> names;
  for (const std::string& name : fit.model.vocabulary.terms.strings()) names.push_back("#" + name);
  add_block(data, std::string(kTags), fit.matrix.view(), names);
}

/// A row of numbers, those below 0 turned into positive ones `width` columns further on.
void push_numbers(Sparse& all, const NumberBlock& block, std::int64_t row, std::int64_t width) {
  std::vector<std::pair<std::int32_t, float>> below;
  const auto push = [&](std::int64_t column, float value) {
    if (value > 0)
      all.push(static_cast<std::int32_t>(column), value);
    else if (value < 0)
      below.emplace_back(static_cast<std::int32_t>(column + width), -value);
  };
  if (block.is_sparse) {
    const SparseView view = block.sparse.view();
    for (std::size_t i = 0; i < view.row_indices(row).size(); ++i)
      push(view.row_indices(row)[i], view.row_values(row)[i]);
  } else {
    for (std::int64_t column = 0; column < width; ++column) push(column, block.dense(row, column));
  }
  for (const auto& [column, value] : below) all.push(column, value);
}

void add_numbers(const std::vector<Input>& inputs, const std::string& name, Data& data) {
  Sparse all;
  std::int64_t width = -1;
  bool negative = false;
  for (const Input& input : inputs)
    for (const NumberBlock& block : input.blocks) {
      if (block.name != name) continue;
      require(width < 0 || width == block.width(), "the features '", name, "' of '", input.name,
              "' have ", block.width(), " columns, those of another collection ", width,
              "; make them with one model ('commonplace features --model')");
      width = block.width();
      negative = negative || (block.is_sparse ? std::any_of(block.sparse.values.begin(),
                                                            block.sparse.values.end(),
                                                            [](float v) { return v < 0; })
                                              : (block.dense.array() < 0).any());
    }
  for (std::size_t which = 0; which < inputs.size(); ++which) {
    const auto& blocks = inputs[which].blocks;
    const auto found = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const NumberBlock& block) { return block.name == name; });
    for (std::int64_t row = 0; row < std::ssize(data.collections[which].ids); ++row) {
      if (found != blocks.end() &&
          row < (found->is_sparse ? found->sparse.rows() : found->dense.rows()))
        push_numbers(all, *found, row, width);
      all.end_row();
    }
  }
  all.columns = negative ? 2 * width : width;
  normalise_rows(all);
  add_block(data, name, all.view(), {});
}

/// Text and tags that some collections have, and stored features that two have.
std::vector<std::string> usual_features(const std::vector<Input>& inputs,
                                        const std::vector<ReadItems>& items) {
  const auto count = [&](auto&& has) { return std::count_if(items.begin(), items.end(), has); };
  std::vector<std::string> result;
  if (count([](const ReadItems& each) { return each.has_text; }) >= 2) result.emplace_back(kText);
  if (count([](const ReadItems& each) { return each.has_tags; }) >= 2) result.emplace_back(kTags);
  std::map<std::string, int> stored;
  for (const Input& input : inputs)
    for (const NumberBlock& block : input.blocks) ++stored[block.name];
  for (const auto& [name, times] : stored)
    if (times >= 2) result.push_back(name);
  require(!result.empty(),
          "the collections share no kind of features: no two of them have text, "
          "tags or stored features of the same name");
  return result;
}

/// One block of stored numbers, copied, so that rows can be cut out of it.
NumberBlock stored_block(const FeatureRecord& record) {
  NumberBlock block;
  block.name = record.name;
  block.is_sparse = record.sparse;
  if (record.sparse) {
    const SparseFeatures stored(record);
    block.sparse = copy(stored.matrix());
    block.columns = stored.names();
  } else {
    block.dense = dense_features(record).view();
  }
  return block;
}

Input numbers_input(const std::string& file, std::size_t colon) {
  const std::string rows_file = file.substr(0, colon);
  const std::string labels_file = file.substr(colon + 1);
  NumberBlock block;
  block.name = "numbers";
  block.dense = read_npy(rows_file);
  const auto labels = std::make_shared<Matrix>(read_npy(labels_file));
  require(labels->rows() == block.dense.rows() && labels->cols() == 1, labels_file, " has ",
          labels->rows(), " x ", labels->cols(), " numbers; expected one class for each of the ",
          block.dense.rows(), " rows of ", rows_file);
  Input input{std::filesystem::path(rows_file).stem().string(), {}, {}};
  input.blocks.push_back(std::move(block));
  input.open = [labels] {
    return [labels, row = Eigen::Index{0}](Item& item) mutable {
      if (row == labels->rows()) return false;
      item = {};
      item.id = std::to_string(row + 1);
      item.labels.push_back({"class", number_text((*labels)(row, 0))});
      ++row;
      return true;
    };
  };
  return input;
}

}  // namespace

Input transfer_input(const Library& library, const std::string& name, const std::string& features) {
  const Collection chosen = collection(library, name);
  Input input{name, {}, {}};
  input.open = [&library, chosen]() -> ItemStream {
    auto reader = std::make_shared<ItemReader>(library, chosen);
    return [reader](Item& item) { return reader->next(item); };
  };
  std::set<std::string> asked;
  if (!features.empty())
    for (const std::string& each : split(features)) asked.insert(each);
  for (const FeatureRecord& record : feature_records(library, chosen))
    if (asked.empty() || asked.contains(record.name)) input.blocks.push_back(stored_block(record));
  return input;
}

Input transfer_input(const std::string& file) {
  if (const std::size_t colon = file.find(".npy:"); colon != std::string::npos)
    return numbers_input(file, colon + 4);
  const auto items = std::make_shared<std::vector<Item>>();
  Sink sink;
  sink.record = [&](Record&& record) { items->push_back(std::move(record.item)); };
  sink.bad = [](const Where& where, const std::string& message) {
    fail(where.file, ":", where.line, ": ", message);
  };
  read_source(file, recognise_format(file), {}, sink);
  require(!items->empty(), file, " has no items");
  std::string name = std::filesystem::path(file).filename().string();
  name.resize(std::min(name.find('.'), name.size()));
  return {name,
          [items] {
            return [items, next = std::size_t{0}](Item& item) mutable {
              if (next == items->size()) return false;
              item = (*items)[next++];
              return true;
            };
          },
          {}};
}

Data read_data(const std::vector<Input>& inputs, std::size_t sources, const ReadOptions& options,
               const Run& run) {
  std::vector<ReadItems> items;
  Data data;
  for (const Input& input : inputs) {
    items.push_back(read_items(input));
    data.collections.push_back({input.name, items.back().ids, {}, {}});
  }
  if (sources > 0) {
    data.field = the_label_field(items, sources, options.label_field);
    number_labels(items, sources, data);
  } else {
    for (Set& set : data.collections) set.labels.assign(set.ids.size(), -1);
  }
  const std::vector<std::string> features =
      options.features.empty() ? usual_features(inputs, items) : split(options.features);
  for (const std::string& name : features) {
    if (name == kText) {
      add_text(inputs, options, run, data);
    } else if (name == kTags) {
      add_tags(inputs, options, run.progress, data);
    } else {
      const bool there = std::any_of(inputs.begin(), inputs.end(), [&](const Input& input) {
        return std::any_of(input.blocks.begin(), input.blocks.end(),
                           [&](const NumberBlock& block) { return block.name == name; });
      });
      require(there, "no collection has features '", name,
              "'; name text, tags or features made by 'commonplace features'");
      add_numbers(inputs, name, data);
    }
  }
  for (const Set& set : data.collections)
    require(set.rows.nonzeros() > 0, "nothing of collection '", set.name, "' is left: none of its ",
            join(features), " is in ", options.min_items, " items or more");
  return data;
}

void require_same_data(const Data& data, Comm& comm) {
  // Not the weights, which hosts may round otherwise.
  for (const Set& set : data.collections) {
    Xxh64 hash;
    hash.update(std::as_bytes(std::span(set.rows.starts)));
    hash.update(std::as_bytes(std::span(set.rows.indices)));
    hash.update(std::as_bytes(std::span(set.labels)));
    require_same(comm, concat(set.ids.size(), " items, ", hash.digest()),
                 concat("collection '", set.name, "'"));
  }
  require_same(comm, concat(data.columns(), " features, labels ", join(data.classes)), "labels");
}

}  // namespace commonplace::transfer
