#include "commonplace/search/ask.h"

#include <algorithm>
#include <map>
#include <set>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/top_k.h"
#include "commonplace/features/tokens.h"
#include "commonplace/io/json.h"
#include "commonplace/io/npy.h"
#include "commonplace/library/items/item_facts.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/item_texts.h"
#include "commonplace/rows/unseen.h"
#include "commonplace/search/conditions.h"
#include "commonplace/search/explain.h"
#include "commonplace/search/index.h"
#include "commonplace/search/ranker.h"
#include "commonplace/search/terms.h"

namespace commonplace::search {
namespace {

constexpr std::size_t kWordsOfLikeness = 30;

bool contains_run(const std::vector<std::string>& words, const std::vector<std::string>& run) {
  return std::search(words.begin(), words.end(), run.begin(), run.end()) != words.end();
}

std::vector<std::string> names(const std::vector<ItemTag>& tags) {
  std::vector<std::string> result;
  for (const ItemTag& tag : tags) result.push_back(tag.name);
  return result;
}

/// The collection that a model was learned for. Its file has it too, but is read and checked whole.
std::string target_of(const ModelRecord& record) {
  const std::string target = json_from(record.report).value("target", "");
  return target.empty() ? TensorFile(record.file).metadata("target") : target;
}

Answer read_all(const Answerer& searcher, const Ranking& ranking, const Options& options) {
  Answer answer;
  answer.unknown = ranking.ask.unknown;
  if (ranking.meant) answer.problem = ranking.meant->problem;
  ItemReader reader = searcher.reader();
  for (const RankedItem& each : ranking.items)
    if (auto hit = searcher.read(ranking, each, reader, options))
      answer.hits.push_back(std::move(*hit));
  return answer;
}

}  // namespace

struct Answerer::Parts {
  Parts(const Library& opened, const std::string& collection_name, const std::string& model_name,
        const Run& run)
      : library(opened),
        searched(commonplace::collection(opened, collection_name)),
        jobs(run.jobs) {
    if (!model_name.empty()) {
      record = model_record(library, model_name);
      require(record->kind == kModelKind, "model '", model_name, "' is of kind '", record->kind,
              "', not a search model; learn one with: commonplace learn LIB search");
      model = load_model(TensorFile(record->file));
    }
    index = open_index(library, searched, record ? &*record : nullptr, model ? &*model : nullptr,
                       {.jobs = run.jobs, .progress = [&](const ProgressStep& step) {
                          index_is_new = true;
                          run.progress(step);
                        }});
    if (const auto of_meaning = meaning_record(library, searched.name)) {
      meaning.emplace(library, searched, *of_meaning, run);
    }
    tokens = model ? model->options.terms.tokens : TokenOptions();
    ranker.emplace(index, model ? &*model : nullptr, run.jobs);
  }

  bool has_phrase(ItemReader& reader, std::int64_t row, const std::vector<std::string>& run) const {
    Item found;
    reader.skip_to(row);
    if (!reader.next(found)) return false;
    Tokenizer tokenizer(tokens);
    if (contains_run(tokenizer.tokens(item_text(found)), run)) return true;
    return std::any_of(found.tags.begin(), found.tags.end(), [&](const ItemTag& tag) {
      return contains_run(tokenizer.tokens(tag.name), run);
    });
  }

  std::vector<std::uint8_t> allowed(const Query& query) const {
    if (!query.condition) return {};
    ItemReader reader(library, searched);
    return items_that_meet(
        *query.condition, index, tokens,
        [&](std::int64_t row, const std::vector<std::string>& run) {
          return has_phrase(reader, row, run);
        },
        [&] { return item_facts(library, searched); });
  }

  /// Everything when nothing but a condition was given: in the order of the rows.
  static std::vector<RankedItem> first_allowed(const std::vector<std::uint8_t>& rows,
                                               std::int64_t limit) {
    std::vector<RankedItem> result;
    for (std::size_t row = 0; row < rows.size() && std::ssize(result) < limit; ++row)
      if (rows[row] != 0) result.push_back({static_cast<std::int64_t>(row), 0, 0, 0, 0});
    return result;
  }

  void explain_meaning(const Ranking& ranking, std::int64_t row, Reasons& reasons) const {
    bool looked = false;
    for (std::size_t i = 0; i < ranking.meant->fits.size(); ++i) {
      const std::vector<float>& fits = ranking.meant->fits[i];
      if (row >= std::ssize(fits) || fits[static_cast<std::size_t>(row)] <= 0) continue;
      const MeaningWay& way = meaning->model().ways[i];
      const double fit = fits[static_cast<std::size_t>(row)];
      reasons.meanings.push_back({way.kind, fit, fit * way.weight});
      looked = looked || way.kind != MeaningKind::texts;
    }
    if (looked) reasons.seen = meaning->seen(ranking.asked, row);
  }

  const Library& library;
  Collection searched;
  int jobs;
  std::optional<ModelRecord> record;
  std::optional<Model> model;
  Index index;
  bool index_is_new = false;
  TokenOptions tokens;
  std::optional<Ranker> ranker;
  std::optional<MeaningSearcher> meaning;
  mutable UnseenFeatures unseen{library, searched.name};
};

Answerer::Answerer(const Library& library, const std::string& collection, const std::string& model,
                   const Run& run)
    : parts_(std::make_unique<Parts>(library, collection, model, run)) {}
Answerer::~Answerer() = default;
Answerer::Answerer(Answerer&&) noexcept = default;

const std::string& Answerer::collection() const { return parts_->searched.name; }
const std::string& Answerer::model() const {
  static const std::string none;
  return parts_->record ? parts_->record->name : none;
}
bool Answerer::index_is_new() const {
  return parts_->index_is_new || (parts_->meaning && parts_->meaning->index_is_new());
}

void Answerer::keep_index(Library& library) const {
  if (parts_->meaning && parts_->meaning->index_is_new()) parts_->meaning->keep_index(library);
  if (!parts_->index_is_new) return;
  if (parts_->record)
    store_index(library, *parts_->record, parts_->index);
  else
    store_index(library, parts_->searched, parts_->index);
}

Ranking Answerer::rank(const Query& query, const Options& options) const {
  Tokenizer tokenizer(parts_->tokens);
  std::vector<std::string> tokens;
  for (const std::string& word : query.words)
    for (std::string& token : tokenizer.tokens(word)) tokens.push_back(std::move(token));
  std::vector<std::uint8_t> allowed = parts_->allowed(query);
  if (query.words.empty() && !query.condition)
    allowed.assign(static_cast<std::size_t>(parts_->index.items), 1);
  Ranking ranking;
  ranking.ask = parts_->ranker->understand(tokens, options.whole_terms);
  if (tokens.empty()) {
    ranking.items = Parts::first_allowed(allowed, options.limit);
    ranking.found =
        std::count_if(allowed.begin(), allowed.end(), [](std::uint8_t row) { return row != 0; });
    return ranking;
  }
  std::span<const float> meant;
  if (parts_->meaning && !options.words_only) {
    for (const std::string& word : query.words)
      ranking.asked += (ranking.asked.empty() ? "" : " ") + word;
    ranking.meant = std::make_shared<const MeaningSearcher::Found>(
        parts_->meaning->ask(ranking.asked, parts_->index.items, parts_->jobs));
    meant = ranking.meant->scores;
    // Words that are nowhere are not missed where what they mean was found.
    if (!meant.empty()) ranking.ask.unknown.clear();
  }
  RankedItems ranked = parts_->ranker->rank(ranking.ask, options.limit, allowed, options.words_only,
                                            meant, parts_->jobs);
  ranking.items = std::move(ranked.best);
  ranking.found = ranked.found;
  return ranking;
}

Ranking Answerer::rank_like_picture(std::string_view bytes, const std::string& called,
                                    const Options& options) const {
  Ranking ranking;
  for (const FeatureRecord& record : feature_records(parts_->library, parts_->searched)) {
    if (record.sparse) continue;
    const auto looks = parts_->unseen.of(record.name, {"", bytes, called});
    if (!looks) continue;
    const Eigen::RowVectorXf asked =
        Eigen::Map<const Eigen::RowVectorXf>(looks->data(), std::ssize(*looks)).normalized();
    read_npy_blocks(record.file, [&](std::int64_t first, const Matrix& block) {
      for (Eigen::Index i = 0; i < block.rows(); ++i) {
        const float length = block.row(i).norm();
        if (!(length > 0)) continue;
        const double alike = static_cast<double>(block.row(i).dot(asked) / length);
        if (alike > 0) ranking.items.push_back({first + i, alike, 0, 0, alike});
      }
    });
    break;
  }
  ranking.found = std::ssize(ranking.items);
  keep_first(ranking.items, options.limit, [](const RankedItem& a, const RankedItem& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
  return ranking;
}

Ranking Answerer::rank_like(const std::string& item_collection, const std::string& id,
                            const Options& options) const {
  const Item like =
      item(parts_->library, commonplace::collection(parts_->library, item_collection), id);
  Tokenizer tokenizer(parts_->tokens);
  std::vector<std::string> tokens;
  auto add = [&](const std::string& text) {
    for (std::string& token : tokenizer.tokens(text))
      if (std::find(tokens.begin(), tokens.end(), token) == tokens.end())
        tokens.push_back(std::move(token));
  };
  for (const ItemTag& tag : like.tags)
    for (const std::string& level : tag_levels(tag.name)) add(level);
  if (tokens.size() < kWordsOfLikeness) add(item_text(like));
  require(!tokens.empty(), "item '", id, "' has neither tags nor words that others could be like");
  if (tokens.size() > kWordsOfLikeness) tokens.resize(kWordsOfLikeness);

  Ranking ranking;
  ranking.ask = parts_->ranker->understand(tokens, true);
  std::vector<std::uint8_t> others;
  if (item_collection == collection()) {
    others.assign(static_cast<std::size_t>(parts_->index.items), 1);
    // An item that is newer than the index is not in it.
    const std::int64_t itself = row_of_item(parts_->library, parts_->searched, id);
    if (itself < parts_->index.items) others[static_cast<std::size_t>(itself)] = 0;
  }
  RankedItems ranked = parts_->ranker->rank(ranking.ask, options.limit, others, options.words_only,
                                            {}, parts_->jobs);
  ranking.items = std::move(ranked.best);
  ranking.found = ranked.found;
  return ranking;
}

ItemReader Answerer::reader() const { return {parts_->library, parts_->searched}; }

std::optional<std::int64_t> Answerer::time_of(std::int64_t row) const {
  const std::int64_t time = parts_->index.times.at(static_cast<std::size_t>(row));
  return time == Index::kNoTime ? std::nullopt : std::optional(time);
}

std::optional<Hit> Answerer::read(const Ranking& ranking, const RankedItem& ranked,
                                  ItemReader& reader, const Options& options) const {
  Item found;
  reader.skip_to(ranked.row);
  if (!reader.next(found) || reader.row() != ranked.row) return std::nullopt;
  Hit hit;
  hit.collection = collection();
  hit.id = std::move(found.id);
  hit.title = std::move(found.title);
  hit.image = !found.image.empty();
  hit.picture = std::move(found.image);
  hit.tags = names(found.tags);
  hit.text = std::move(found.text);
  hit.time = std::move(found.time);
  hit.metadata = std::move(found.metadata);
  hit.score = ranked.score;
  hit.own = ranked.own;
  hit.borrowed = ranked.borrowed;
  hit.meant = ranked.meant;
  if (options.explain) {
    const Model* model = parts_->model && !options.words_only ? &*parts_->model : nullptr;
    hit.explained = true;
    hit.reasons = find_reasons(parts_->index, model, *parts_->ranker, ranking.ask, ranked.row);
    if (ranking.meant && ranked.meant > 0)
      parts_->explain_meaning(ranking, ranked.row, hit.reasons);
  }
  return hit;
}

Answer Answerer::ask(const Query& query, const Options& options) const {
  return read_all(*this, rank(query, options), options);
}

Answer Answerer::like(const std::string& item_collection, const std::string& id,
                      const Options& options) const {
  return read_all(*this, rank_like(item_collection, id, options), options);
}

std::vector<SearchPlace> search_places(const Library& library,
                                       const std::vector<std::string>& chosen_collections,
                                       const std::vector<std::string>& chosen_models) {
  for (const std::string& name : chosen_collections) collection(library, name);
  std::vector<SearchPlace> places;
  std::vector<ModelRecord> models;
  for (ModelRecord& record : model_records(library))
    if (record.kind == kModelKind) models.push_back(std::move(record));
  for (const std::string& name : chosen_models) {
    const bool known = std::any_of(models.begin(), models.end(),
                                   [&](const ModelRecord& model) { return model.name == name; });
    require(known, "there is no search model '", name, "'; there ",
            models.empty() ? "are none" : "is " + join(models, &ModelRecord::name));
  }
  auto wanted = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const ModelRecord& record : models) {
    if (!wanted(chosen_models, record.name)) continue;
    const std::string target = target_of(record);
    // A model that was named searches the collections that were named, be they its own or not.
    if (!chosen_models.empty() && !chosen_collections.empty()) {
      for (const std::string& name : chosen_collections) places.push_back({name, record.name});
    } else if (wanted(chosen_collections, target) && has_collection(library, target)) {
      places.push_back({target, record.name});
    }
  }
  if (!chosen_models.empty()) return places;
  std::vector<std::string> all = chosen_collections;
  if (all.empty())
    for (const Collection& each : collections(library)) all.push_back(each.name);
  for (const std::string& name : all) {
    if (std::none_of(places.begin(), places.end(),
                     [&](const SearchPlace& place) { return place.collection == name; }))
      places.push_back({name, ""});
  }
  return places;
}

Results::Results(Searchers searchers, std::vector<Ranking> rankings, std::int64_t limit,
                 Order order)
    : searchers_(std::move(searchers)), rankings_(std::move(rankings)) {
  if (!rankings_.empty()) unknown_ = rankings_.front().ask.unknown;
  for (std::size_t place = 0; place < rankings_.size(); ++place) {
    const std::vector<std::string>& nowhere = rankings_[place].ask.unknown;
    std::erase_if(unknown_, [&](const std::string& word) {
      return std::find(nowhere.begin(), nowhere.end(), word) == nowhere.end();
    });
    for (const RankedItem& item : rankings_[place].items) entries_.push_back({place, item});
    if (rankings_[place].meant && problem_.empty()) problem_ = rankings_[place].meant->problem;
    rankings_[place].items = {};
    total_ += rankings_[place].found;
  }
  put_in_order(order);
  std::vector<SearchPlace> places;
  for (const auto& each : searchers_) places.push_back({each->collection(), each->model()});
  const bool overlapping = overlap(places);
  if (overlapping) {
    std::set<std::pair<std::string_view, std::int64_t>> seen;
    std::erase_if(entries_, [&](const Entry& entry) {
      return !seen.emplace(searchers_[entry.place]->collection(), entry.item.row).second;
    });
  }
  if (std::ssize(entries_) > limit) entries_.resize(static_cast<std::size_t>(limit));
  if (overlapping) total_ = std::ssize(entries_);
}

void Results::put_in_order(Order order) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.item.score > b.item.score; });
  if (order == Order::best) return;
  const auto key = [&](const Entry& entry) {
    const auto time = searchers_[entry.place]->time_of(entry.item.row);
    // What has no time stands after all that has.
    return std::pair(time ? 0 : 1, order == Order::oldest ? time.value_or(0) : -time.value_or(0));
  };
  std::stable_sort(entries_.begin(), entries_.end(),
                   [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
}

void Results::visit(const std::function<void(const Answerer&, std::int64_t row)>& visit) const {
  for (const Entry& entry : entries_) visit(*searchers_[entry.place], entry.item.row);
}

bool overlap(const std::vector<SearchPlace>& places) {
  std::set<std::string_view> seen;
  return std::any_of(places.begin(), places.end(), [&](const SearchPlace& place) {
    return !seen.insert(place.collection).second;
  });
}

std::vector<Hit> Results::page(std::int64_t offset, std::int64_t limit,
                               const Options& options) const {
  std::vector<Hit> hits;
  std::map<std::size_t, ItemReader> readers;
  const std::int64_t begin = std::clamp<std::int64_t>(offset, 0, std::ssize(entries_));
  const std::int64_t end = begin + std::clamp<std::int64_t>(limit, 0, std::ssize(entries_) - begin);
  for (std::int64_t at = begin; at < end; ++at) {
    const Entry& entry = entries_[static_cast<std::size_t>(at)];
    const Answerer& searcher = *searchers_[entry.place];
    auto reader = readers.find(entry.place);
    if (reader == readers.end()) reader = readers.emplace(entry.place, searcher.reader()).first;
    if (auto hit = searcher.read(rankings_[entry.place], entry.item, reader->second, options))
      hits.push_back(std::move(*hit));
  }
  return hits;
}

}  // namespace commonplace::search
