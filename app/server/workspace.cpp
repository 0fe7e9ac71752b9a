#include "app/server/workspace.h"

#include <algorithm>
#include <functional>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/item_facts.h"
#include "commonplace/library/tags/tag_meanings.h"
#include "commonplace/upkeep/thumbnails.h"

namespace commonplace::server {
namespace {

/// The first pages are ranked at once; whoever scrolls on has all ranked.
constexpr std::int64_t kFirstHits = 1000;
constexpr std::size_t kKeptResults = 16;
constexpr std::size_t kMostRatios = 1'000'000;
constexpr std::int64_t kMostQuestions = 100'000;

/// Text that differs for a model that was learned anew.
std::string state_of_model(const ModelRecord& record) {
  return concat(record.file.string(), ' ', record.created);
}

/// Text that changes with the items of a collection, but not with decisions.
std::string items_of(const Collection& collection) {
  return concat(collection.id, ' ', collection.revision, ' ', collection.items);
}

/// Whether results were found by a searcher that one of these has taken the place of.
bool is_behind(const search::Results& results, const search::Results::Searchers& newest) {
  return std::any_of(newest.begin(), newest.end(), [&](const auto& now) {
    return std::any_of(results.searchers().begin(), results.searchers().end(),
                       [&](const auto& then) {
                         return then != now && then->collection() == now->collection() &&
                                then->model() == now->model();
                       });
  });
}

}  // namespace

// Each has a connection of its own, since what is open for long is used by several threads.

struct Workspace::OpenSearcher {
  OpenSearcher(const std::filesystem::path& path, const search::SearchPlace& place, int jobs)
      : library(path), searcher(library, place.collection, place.model, {.jobs = jobs}) {}
  Library library;
  search::Answerer searcher;
};

struct Workspace::OpenSuggester {
  OpenSuggester(const std::filesystem::path& path, const std::string& model, int jobs)
      : library(path), suggester(library, model, "", {.jobs = jobs}) {
    state = state_of(library, collection(library, suggester.collection()));
    changed = suggester.update().any();
  }
  Library library;
  suggest::Answerer suggester;
  std::string state;  ///< of the collection, as the suggester has learned it
  bool changed;       ///< it knows more than is stored
  std::shared_mutex mutex;
};

struct Workspace::OpenFinder {
  OpenFinder(const std::filesystem::path& path, const std::string& model, int jobs)
      : library(path), finder(library, model, "", {.jobs = jobs}) {}
  Library library;
  detect::Answerer finder;
  std::mutex mutex;
};

struct Workspace::OpenRelations {
  OpenRelations(const std::filesystem::path& path, const std::string& model, int jobs)
      : library(path), relations(library, model, jobs) {}
  Library library;
  relate::Answerer relations;
  std::mutex mutex;
};

Workspace::Workspace(std::filesystem::path library, bool read_only, int jobs)
    : path_(std::move(library)), read_only_(read_only), jobs_(jobs) {
  pool_.push_back(std::make_unique<Library>(path_));
}

Workspace::~Workspace() = default;

std::shared_ptr<const Library> Workspace::library() {
  std::unique_ptr<Library> taken;
  {
    const std::scoped_lock lock(pool_mutex_);
    if (!pool_.empty()) {
      taken = std::move(pool_.back());
      pool_.pop_back();
    }
  }
  if (!taken) taken = std::make_unique<Library>(path_);
  return {taken.release(), [this](Library* given) {
            std::unique_ptr<Library> back(given);
            const std::scoped_lock lock(pool_mutex_);
            pool_.push_back(std::move(back));
          }};
}

void Workspace::write(const std::function<void(Library&)>& change) {
  const std::scoped_lock lock(write_mutex_);
  if (!writer_) writer_ = std::make_unique<Library>(path_, Library::Access::write);
  change(*writer_);
}

std::shared_ptr<const search::Answerer> Workspace::searcher(const Library& library,
                                                            const search::SearchPlace& place,
                                                            std::string& key) {
  const std::string name = place.collection + '\n' + place.model;
  const Collection searched = collection(library, place.collection);
  std::string state = state_of(library, searched) + '\n' + search::meaning_state(library, searched);
  if (!place.model.empty()) state += '\n' + state_of_model(model_record(library, place.model));
  const auto open = searchers_.get(name, state, [this, place] {
    auto opened = std::make_shared<OpenSearcher>(path_, place, jobs_);
    keep_index(opened->searcher);
    return opened;
  });
  // What is searched may be a state behind, so that the key is that of the very searcher.
  key += concat(name, ' ', static_cast<const void*>(open.get()), '\n');
  return {open, &open->searcher};
}

void Workspace::keep_index(const search::Answerer& made) {
  if (!made.index_is_new() || read_only_) return;
  try {
    write([&](Library& writable) { made.keep_index(writable); });
  } catch (const Error&) {
    // Full, or locked for long: it serves as well unkept, and is made again the next time.
  }
}

std::shared_ptr<const search::Results> Workspace::kept(
    const std::string& key, const std::function<std::shared_ptr<const search::Results>()>& make) {
  {
    const std::scoped_lock lock(results_mutex_);
    const auto found = std::find_if(results_.begin(), results_.end(),
                                    [&](const KeptResults& each) { return each.key == key; });
    if (found != results_.end()) {
      results_.splice(results_.begin(), results_, found);
      return found->results;
    }
  }
  const std::shared_ptr<const search::Results> made = make();
  const std::scoped_lock lock(results_mutex_);
  // Results hold their searchers, and a library has room for one generation of them.
  results_.remove_if(
      [&](const KeptResults& each) { return is_behind(*each.results, made->searchers()); });
  results_.push_front({key, made});
  if (results_.size() > kKeptResults) results_.pop_back();
  return made;
}

std::shared_ptr<const search::Results> Workspace::ranked(
    const std::string& asked, const std::vector<search::SearchPlace>& places, std::int64_t until,
    search::Order order,
    const std::function<search::Ranking(const search::Answerer&, const search::Options&)>& rank) {
  search::Options options;
  const bool first = until <= kFirstHits && !overlap(places) && order == search::Order::best;
  options.limit = first ? kFirstHits : kMostHits;
  const auto reading = library();
  search::Results::Searchers searchers;
  std::string key = concat(asked, '\n', options.limit, ' ', static_cast<int>(order), '\n');
  for (const search::SearchPlace& place : places)
    searchers.push_back(searcher(*reading, place, key));
  return kept(key, [&] {
    std::vector<search::Ranking> rankings;
    for (const auto& each : searchers) rankings.push_back(rank(*each, options));
    return std::make_shared<const search::Results>(searchers, std::move(rankings), options.limit,
                                                   order);
  });
}

std::shared_ptr<const search::Results> Workspace::search(
    const std::string& text, const std::vector<std::string>& collections,
    const std::vector<std::string>& models, bool words_only, std::int64_t until,
    search::Order order) {
  const search::Query query = search::parse_query(text);
  // What machines tagged changes without the collection's state.
  const auto reading = library();
  return ranked(concat("search ", words_only, ' ', machine_state(*reading), ' ', text),
                search::search_places(*reading, collections, models), until, order,
                [&](const search::Answerer& in, search::Options options) {
                  options.words_only = words_only;
                  return in.rank(query, options);
                });
}

std::shared_ptr<const search::Results> Workspace::like(const std::string& collection,
                                                       const std::string& id,
                                                       const std::vector<std::string>& in,
                                                       std::int64_t until) {
  return ranked(concat("like ", collection, '\n', id), search::search_places(*library(), in, {}),
                until, search::Order::best,
                [&](const search::Answerer& each, const search::Options& options) {
                  return each.rank_like(collection, id, options);
                });
}

std::shared_ptr<const search::Results> Workspace::like_picture(const std::string& bytes,
                                                               const std::vector<std::string>& in,
                                                               std::int64_t until) {
  return ranked(concat("picture ", bytes.size(), ' ', std::hash<std::string>()(bytes)),
                search::search_places(*library(), in, {}), until, search::Order::best,
                [&](const search::Answerer& each, const search::Options& options) {
                  return each.rank_like_picture(bytes, "picture", options);
                });
}

double Workspace::ratio(const Collection& collection, const std::string& id,
                        const std::string& image) {
  if (image.empty()) return 0;
  const std::string key = concat(items_of(collection), '\n', id);
  {
    const std::scoped_lock lock(ratios_mutex_);
    if (const auto found = ratios_.find(key); found != ratios_.end()) return found->second;
  }
  Item item;
  item.id = id;
  item.image = image;
  const std::optional<PictureFile> picture = picture_file(collection, item);
  const std::optional<PictureSides> sides = picture ? picture_sides(*picture) : std::nullopt;
  const double ratio = !picture ? 0 : sides ? sides->width / sides->height : 1;
  const std::scoped_lock lock(ratios_mutex_);
  if (ratios_.size() >= kMostRatios) ratios_.clear();
  ratios_[key] = static_cast<float>(ratio);
  return ratio;
}

std::string Workspace::suggest_model(const std::string& model, const std::string& collection) {
  return suggest::model_for(*library(), model, collection);
}

std::shared_ptr<Workspace::OpenSuggester> Workspace::open_suggester(const std::string& model) {
  const ModelRecord record = model_record(*library(), model);
  return suggesters_.get(model, state_of_model(record), [this, model] {
    return std::make_shared<OpenSuggester>(path_, model, jobs_);
  });
}

void Workspace::with_suggester(const std::string& model,
                               const std::function<void(const suggest::Answerer&)>& ask) {
  const auto open = open_suggester(model);
  const auto reading = library();
  const std::string& of = open->suggester.collection();
  if (has_collection(*reading, of)) {
    const std::string state = state_of(*reading, collection(*reading, of));
    std::shared_lock look(open->mutex);
    const bool behind = open->state != state;
    look.unlock();
    if (behind) {
      const std::unique_lock lock(open->mutex);
      if (open->state != state) {
        open->changed = open->suggester.refresh().any() || open->changed;
        open->state = state;
      }
    }
  }
  const std::shared_lock lock(open->mutex);
  ask(open->suggester);
}

std::shared_ptr<const Workspace::Questions> Workspace::questions(
    const std::string& model, const std::string& collection_name,
    const suggest::ReviewOptions& options) {
  const auto reading = library();
  const std::string name =
      concat(model, '\n', collection_name, '\n', static_cast<int>(options.order), '\n', options.tag,
             '\n', options.threshold ? concat(*options.threshold) : "");
  // Not of the model's file, which is stored anew after decisions: questions stay as they are until
  // there are other items or the model is learned anew.
  const std::string state = concat(
      items_of(collection(*reading, collection_name)), '\n', model_record(*reading, model).options,
      model_record(*reading, model).report, '\n', meanings_state(*reading));
  suggest::ReviewOptions most = options;
  most.limit = kMostQuestions;
  return questions_.get(name, state, [this, model, collection_name, options = most] {
    std::shared_ptr<const Questions> made;
    with_suggester(model, [&](const suggest::Answerer& suggester) {
      made = std::make_shared<const Questions>(
          suggest::review_candidates(suggester, collection_name, options, {.jobs = jobs_}));
    });
    return made;
  });
}

std::optional<suggest::ReviewCandidate> Workspace::asked(const std::string& collection_name,
                                                         const std::string& item,
                                                         const std::string& tag) {
  for (const auto& [name, made] : questions_.all()) {
    if (name.find('\n' + collection_name + '\n') == std::string::npos) continue;
    for (const suggest::ReviewCandidate& each : *made)
      if (each.id == item && tag_key(each.tag) == tag_key(tag)) return each;
  }
  return std::nullopt;
}

void Workspace::with_finder(const std::string& model, const std::string& collection_name,
                            const std::function<void(const detect::Answerer&)>& ask) {
  const auto reading = library();
  const ModelRecord record =
      model_record(*reading, detect::model_for(*reading, model, collection_name));
  std::string state = state_of_model(record) + '\n' + meanings_state(*reading);
  for (const Collection& each : collections(*reading)) state += '\n' + items_of(each);
  const auto open = finders_.get(record.name, state, [this, name = record.name] {
    return std::make_shared<OpenFinder>(path_, name, jobs_);
  });
  const std::scoped_lock lock(open->mutex);
  ask(open->finder);
}

std::shared_ptr<Workspace::OpenRelations> Workspace::open_relations(const std::string& model) {
  const auto reading = library();
  const ModelRecord record = model_record(*reading, relate::model_for(*reading, model));
  const std::string state = state_of_model(record) + '\n' + meanings_state(*reading);
  return relations_.get(record.name, state, [this, name = record.name] {
    return std::make_shared<OpenRelations>(path_, name, jobs_);
  });
}

void Workspace::with_relations(const std::string& model,
                               const std::function<void(const relate::Answerer&)>& ask) {
  const auto open = open_relations(model);
  const std::scoped_lock lock(open->mutex);
  ask(open->relations);
}

std::shared_ptr<const relate::Map> Workspace::map(const std::string& model,
                                                  const relate::MapOptions& options,
                                                  std::int64_t groups) {
  const auto reading = library();
  const ModelRecord record = model_record(*reading, relate::model_for(*reading, model));
  const std::string state = state_of_model(record) + '\n' + meanings_state(*reading);
  return maps_.get(concat(record.name, '\n', options.most, '\n', groups), state,
                   [this, options, groups, name = record.name] {
                     const auto open = open_relations(name);
                     const std::scoped_lock lock(open->mutex);
                     return std::make_shared<const relate::Map>(
                         relate::lay_out_map(open->relations, options, groups, {.jobs = jobs_}));
                   });
}

void Workspace::keep_learned() {
  if (read_only_) return;
  for (const auto& [name, opened] : suggesters_.all()) {
    OpenSuggester& open = *opened;
    const std::unique_lock lock(open.mutex);
    if (!open.changed) continue;
    bool kept = false;
    write([&](Library& writable) { kept = open.suggester.keep(writable); });
    open.changed = false;
    if (kept) suggesters_.restate(name, state_of_model(model_record(*library(), name)));
  }
}

}  // namespace commonplace::server
