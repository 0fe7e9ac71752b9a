#include "commonplace/search/index.h"

#include <algorithm>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/features/term_counts.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/tensors.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/rows/item_texts.h"

namespace commonplace::search {
namespace {

constexpr const char* kIndexKind = "search-index";
constexpr int kIndexLayout = 1;

TextSource names_of(const std::vector<std::string>& names) {
  return [&names, next = std::size_t{0}](std::string& text) mutable {
    if (next == names.size()) return false;
    text = names[next++];
    return true;
  };
}

/// Each tag with the levels above it, by their whole names.
TagSource paths_of(const TagMatrix& tags) {
  return [&tags, next = std::size_t{0}](std::vector<TagCount>& paths) mutable {
    if (next == tags.names.size()) return false;
    paths.clear();
    for (std::string& path : tag_path(tags.names[next])) paths.push_back({std::move(path), 1});
    ++next;
    return true;
  };
}

WordPostings postings(TermTable words, const SparseView& items) {
  WordPostings result;
  result.words = std::move(words);
  result.items = transpose(items);
  double total = 0;
  std::int64_t with_words = 0;
  for (std::int64_t row = 0; row < items.rows; ++row) {
    float length = 0;
    for (const float count : items.row_values(row)) length += count;
    result.lengths.push_back(length);
    total += static_cast<double>(length);
    with_words += length > 0 ? 1 : 0;
  }
  result.mean_length = with_words > 0 ? total / static_cast<double>(with_words) : 0;
  return result;
}

/// 1 for every entry: an item has a tag or not, however often it was given.
Sparse presence(const Sparse& counts) {
  Sparse result = counts;
  std::fill(result.values.begin(), result.values.end(), 1.0F);
  return result;
}

void index_words(const Library& library, const Collection& collection, const TagMatrix& tags,
                 const TokenOptions& tokens, const Run& run, Index& index) {
  const Sparse has_tag = presence(tags.counts);
  TermCounts in_tags = count_words(names_of(tags.names), tokens, run.jobs);
  index.tag_words =
      postings(std::move(in_tags.terms), multiply(has_tag.view(), in_tags.counts.view()).view());
  TermCounts paths = count_tags(paths_of(tags));
  index.tags = std::move(paths.terms);
  index.tag_items = transpose(multiply(has_tag.view(), paths.counts.view()).view());

  ItemReader reader(library, collection);
  TermCounts in_text =
      count_words(texts_of(reader,
                           [&](const Item& item) {
                             index.times.push_back(item.time.empty() ? Index::kNoTime
                                                                     : epoch_seconds(item.time));
                           }),
                  tokens, run.jobs, run.progress);
  index.text_words = postings(std::move(in_text.terms), in_text.counts.view());
}

/// Terms x items, for decisions "not this tag".
Sparse rejections(const Library& library, const Collection& collection,
                  const Vocabulary& vocabulary) {
  std::vector<Decision> decisions = decisions_in_force(library, collection.name);
  std::erase_if(decisions,
                [](const Decision& decision) { return decision.verdict != Verdict::rejected; });
  std::vector<std::vector<std::int32_t>> rejected(static_cast<std::size_t>(vocabulary.size()));
  if (!decisions.empty()) {
    const auto rows = rows_by_id(library, collection);
    for (const Decision& decision : decisions) {
      const auto row = rows.find(decision.item);
      const std::int32_t term = vocabulary.find(tag_key(tag_leaf(decision.tag)));
      if (row != rows.end() && term >= 0)
        rejected[static_cast<std::size_t>(term)].push_back(static_cast<std::int32_t>(row->second));
    }
  }
  Sparse result;
  result.columns = collection.items;
  for (std::vector<std::int32_t>& items : rejected) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    for (const std::int32_t item : items) result.push(item, 1);
    result.end_row();
  }
  return result;
}

/// Per item its row among the lenders, if the collection lends to itself.
std::vector<std::int64_t> same_lenders(const Library& library, const Collection& collection,
                                       const Model& model) {
  const auto place = std::find(model.lending.begin(), model.lending.end(), collection.name);
  if (place == model.lending.end()) return {};
  std::vector<std::int64_t> same(static_cast<std::size_t>(collection.items), -1);
  const auto rows = rows_by_id(library, collection);
  for (std::size_t lender = 0; lender < model.lender_ids.size(); ++lender) {
    if (model.lender_collections[lender] != place - model.lending.begin()) continue;
    const auto row = rows.find(model.lender_ids[lender]);
    if (row != rows.end())
      same[static_cast<std::size_t>(row->second)] = static_cast<std::int64_t>(lender);
  }
  return same;
}

void index_model(const Library& library, const Collection& collection, const TagMatrix& tags,
                 const Model& model, const Run& run, Index& index) {
  std::vector<std::string> names;
  for (std::int32_t term = 0; term < model.vocabulary.size(); ++term)
    names.emplace_back(model.vocabulary.terms[term]);
  TermCounts in_terms = count_words(names_of(names), model.options.terms.tokens, run.jobs);
  index.term_words = std::move(in_terms.terms);
  index.word_terms = transpose(in_terms.counts.view());
  index.rejected = rejections(library, collection, model.vocabulary);
  const Sparse counts =
      count_terms(model.vocabulary.terms, library, collection, tags, model.options.terms, run);
  run.progress({"coding items", 0, 0, ""});
  index.coded = code_items(model.borrowing, counts.view(), same_lenders(library, collection, model),
                           run.jobs);
}

std::string index_name(const std::string& model) { return model + ".index"; }

std::string state_with_model(const std::string& state, const ModelRecord& record) {
  return state + " " + record.created;
}

bool fits(const Index& index, const Model& model) {
  return index.word_terms.columns == model.vocabulary.size() &&
         index.coded.codes.cols() == std::ssize(model.borrowing.subspace.topics_of(0)) &&
         index.coded.votes.columns == model.borrowing.lenders.rows();
}

std::optional<std::filesystem::path> index_file(const Library& library,
                                                const Collection& collection,
                                                const ModelRecord* record) {
  if (!record) return word_index_file(library, collection);
  for (const ModelRecord& stored : model_records(library))
    if (stored.name == index_name(record->name) && stored.kind == kIndexKind) return stored.file;
  return std::nullopt;
}

/// The stored index, if there is one of the collection's state now. One that is damaged or does not
/// fit the model is none: it is derived data, which can be made again.
std::optional<Index> stored_index(const Library& library, const Collection& collection,
                                  const ModelRecord* record, const Model* model) {
  const std::string state = state_of(library, collection);
  const auto stored = index_file(library, collection, record);
  if (!stored) return std::nullopt;
  try {
    const TensorFile file(*stored);
    if (file.metadata("state") != (record ? state_with_model(state, *record) : state))
      return std::nullopt;
    Index index = load_index(file);
    if (model && !fits(index, *model)) return std::nullopt;
    index.state = state;
    return index;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Index make_index(const Library& library, const Collection& opened, const Model* model,
                 const Run& run) {
  // Items that others add meanwhile must not be in one part of the index and not in another.
  const ReadSnapshot snapshot = read_snapshot(library);
  const Collection collection = commonplace::collection(library, opened.name);
  Index index;
  index.state = state_of(library, collection);
  index.items = collection.items;
  const TagMatrix tags = tag_matrix(library, collection);
  index_words(library, collection, tags, model ? model->options.terms.tokens : TokenOptions(), run,
              index);
  if (model) index_model(library, collection, tags, *model, run, index);
  return index;
}

Index open_index(const Library& library, const Collection& collection, const ModelRecord* record,
                 const Model* model, const Run& run) {
  if (std::optional<Index> stored = stored_index(library, collection, record, model))
    return std::move(*stored);
  return make_index(library, collection, model, run);
}

void store_index(Library& library, const ModelRecord& record, Index index) {
  index.state = state_with_model(index.state, record);
  store_model(library, {index_name(record.name), kIndexKind, {}, "{}", "{}", ""},
              [&](const std::filesystem::path& path) { save(index, path); });
}

void store_index(Library& library, const Collection& collection, const Index& index) {
  store_word_index(library, collection,
                   [&](const std::filesystem::path& path) { save(index, path); });
}

void remove_model_and_index(Library& library, const std::string& model) {
  remove_model(library, model);
  for (const ModelRecord& record : model_records(library))
    if (record.name == index_name(model) && record.kind.ends_with("-index"))
      remove_model(library, record.name);
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, WordPostings>
static void visit_tensors(Self& words, const std::string& name, std::int64_t items, Visit&& visit) {
  visit(name, words.words);
  visit(name + ".items", words.items, TensorShape{words.words.size(), items});
  visit(name + ".lengths", words.lengths, TensorShape{items});
  visit(name + ".mean_length", words.mean_length);
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Index>
static void visit_tensors(Self& index, Visit&& visit) {
  visit("times", index.times);
  const auto items = std::ssize(index.times);
  visit_tensors(index.tag_words, "tag_words", items, visit);
  visit_tensors(index.text_words, "text_words", items, visit);
  visit("tags", index.tags);
  visit("tag_items", index.tag_items, TensorShape{index.tags.size(), items});
  visit("term_words", index.term_words);
  visit("word_terms", index.word_terms, TensorShape{index.term_words.size()});
  auto& coded = index.coded;
  visit("coded.terms", coded.terms, TensorShape{-1, index.word_terms.columns});
  const std::int64_t coded_items = coded.terms.rows();
  visit("coded.unrelated", coded.unrelated, TensorShape{coded_items});
  visit("coded.codes", coded.codes, TensorShape{coded_items});
  visit("coded.votes", coded.votes, TensorShape{coded_items});
  visit("rejected", index.rejected, TensorShape{index.word_terms.columns, coded_items});
}

void save(const Index& index, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kIndexKind, kIndexLayout, "{}");
  writer.set("state", index.state);
  visit_tensors(index, TensorSaver{writer});
  writer.write(path);
}

Index load_index(const TensorFile& file) {
  require_kind(file, kIndexKind, kIndexLayout);
  Index index;
  index.state = file.metadata("state");
  visit_tensors(index, TensorLoader{file});
  index.items = std::ssize(index.times);
  // By words alone no item is coded.
  const std::int64_t coded = index.coded.terms.rows();
  require(coded == 0 || coded == index.items, file.name(), ": ", coded, " items of ", index.items,
          " are coded; the file is damaged");
  return index;
}

}  // namespace commonplace::search
