#include "commonplace/search.h"

#include "commonplace/api/inside.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/search/ask.h"
#include "commonplace/search/learn.h"

namespace commonplace::api::search {
namespace {

namespace room = ::commonplace::search;

Reasons translate(const room::Reasons& from) {
  Reasons reasons;
  for (const auto& each : from.words)
    reasons.words.push_back({each.word, each.in_tags, each.in_text});
  for (const auto& each : from.associations)
    reasons.associations.push_back(
        {each.from, each.asked, each.weight, each.collection, each.together});
  for (const auto& each : from.neighbours)
    reasons.neighbours.push_back({each.collection, each.id, each.weight, each.asked});
  for (const auto& each : from.topics)
    reasons.topics.push_back({each.name, each.members, each.terms, each.weight});
  return reasons;
}

Hit translate(const room::Hit& from) {
  return {from.collection, from.id,  from.title,    from.tags,
          from.score,      from.own, from.borrowed, translate(from.reasons)};
}

room::Options translate(const Options& from) {
  require(from.limit >= 1, "the limit is ", from.limit, "; expected 1 or more");
  room::Options options;
  options.limit = from.limit;
  options.explain = from.explain;
  options.whole_terms = from.whole_terms;
  options.words_only = from.words_only;
  return options;
}

}  // namespace

Report learn(Library& library, const std::string& target, const LearnOptions& options,
             const Run& run) {
  room::ModelOptions model;
  apply_settings(options.settings, model);
  const auto report =
      room::learn(inside(library), target, options.auxiliaries, options.name, model, inside(run));
  return {report.model,        report.target,        report.items,     report.terms,
          report.shared,       report.asked,         report.words.map, report.alone.map,
          report.borrowed.map, report.fit.converged, to_json(report)};
}

std::vector<Setting> settings() { return list_settings(room::ModelOptions()); }

bool update(Library& library, const std::string& model, const Run& run) {
  bool made = false;
  for (const auto& place : room::search_places(inside(library), {}, {model})) {
    const room::Answerer searcher(inside(library), place.collection, place.model, inside(run));
    if (!searcher.index_is_new()) continue;
    searcher.keep_index(inside(library));
    made = true;
  }
  return made;
}

struct Searcher::Parts {
  room::Results::Searchers searchers;

  template <class Rank>
  Answer ask(const Options& options, Rank&& rank) const {
    const room::Options inner = translate(options);
    std::vector<room::Ranking> rankings;
    for (const auto& each : searchers) rankings.push_back(rank(*each, inner));
    const room::Results results(searchers, std::move(rankings), options.limit);
    return {each_of(results.page(0, options.limit, inner),
                    [](const room::Hit& hit) { return translate(hit); }),
            results.total(), results.unknown()};
  }
};

Searcher::Searcher(const Library& library, const Places& places, const Run& run)
    : parts_(std::make_unique<Parts>()) {
  for (const auto& place : room::search_places(inside(library), places.collections, places.models))
    parts_->searchers.push_back(std::make_shared<room::Answerer>(inside(library), place.collection,
                                                                 place.model, inside(run)));
}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;

Answer Searcher::ask(std::string_view query, const Options& options) const {
  const room::Query parsed = room::parse_query(query);
  require(!parsed.words.empty() || parsed.condition,
          "the query is empty; give words to search for");
  return parts_->ask(options, [&](const auto& searcher, const room::Options& inner) {
    return searcher.rank(parsed, inner);
  });
}

Answer Searcher::like(const std::string& collection, const std::string& id,
                      const Options& options) const {
  return parts_->ask(options, [&](const auto& searcher, const room::Options& inner) {
    return searcher.rank_like(collection, id, inner);
  });
}

}  // namespace commonplace::api::search
