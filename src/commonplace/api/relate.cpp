#include "commonplace/relate.h"

#include "commonplace/api/inside.h"
#include "commonplace/library/items/links.h"
#include "commonplace/relate/ask.h"
#include "commonplace/relate/learn.h"

namespace commonplace::api::relate {
namespace {

namespace room = ::commonplace::relate;

Report translate(const room::Report& from) {
  Report report;
  report.model = from.model;
  for (const auto& each : from.modalities)
    report.kinds.push_back({each.name, each.nodes, each.quality});
  report.links = from.links;
  report.dim = from.dim;
  report.converged = from.converged;
  report.quality = from.quality;
  report.seconds = from.seconds;
  report.json = to_json(from);
  return report;
}

room::Query translate(const Query& from) {
  require(from.limit >= 1, "the limit is ", from.limit, "; expected 1 or more");
  room::Query query;
  query.item = from.item;
  query.collection = from.collection;
  query.tag = from.tag;
  query.at = from.at;
  query.text = from.text;
  query.modalities = from.kinds;
  query.limit = from.limit;
  query.explain = from.explain;
  return query;
}

Related translate(const room::RelatedNode& from) {
  return {from.name,
          from.score,
          from.times,
          from.known,
          each_of(from.reasons,
                  [](const auto& each) {
                    return Reason{each.modality, each.adds};
                  }),
          from.examples};
}

Answer translate(const room::Answer& from) {
  Answer answer;
  answer.evidence = from.evidence;
  for (const auto& each_kind : from.modalities)
    answer.kinds.push_back(
        {each_kind.modality,
         each_of(each_kind.nodes, [](const room::RelatedNode& each) { return translate(each); })});
  answer.known_place = from.known_place;
  if (from.guess) answer.guess = {from.guess->place, from.guess->radius, from.guess->tells};
  answer.seconds = from.seconds;
  return answer;
}

}  // namespace

std::int64_t add_links(Library& library, const std::string& from, const std::string& to,
                       const std::filesystem::path& file, const Run& run) {
  const auto done =
      import_links(inside(library), ::commonplace::collection(inside(library), from),
                   ::commonplace::collection(inside(library), to), file, inside(run).progress);
  return done.added + done.changed;
}

Report learn(Library& library, const LearnOptions& options, const Run& run) {
  room::ModelOptions model;
  apply_settings(options.settings, model);
  return translate(room::learn(inside(library), options.name, model, inside(run)));
}

std::vector<Setting> settings() { return list_settings(room::ModelOptions()); }

Report update(Library& library, const std::string& model, const Run& run) {
  return translate(room::update(inside(library), model, inside(run)));
}

struct Relater::Parts {
  room::Answerer relations;
};

Relater::Relater(const Library& library, const std::string& model, const Run& run)
    : parts_(new Parts{room::Answerer(inside(library), model, run.jobs)}) {}
Relater::~Relater() = default;
Relater::Relater(Relater&&) noexcept = default;
Relater& Relater::operator=(Relater&&) noexcept = default;

Answer Relater::ask(const Query& query) const {
  return translate(parts_->relations.ask(translate(query)));
}

std::vector<SameTags> Relater::same_tags(std::int64_t limit, std::int64_t min_items) const {
  return each_of(parts_->relations.same_tags(limit, min_items), [](const auto& each) {
    return SameTags{each.modality,    each.first,        each.second,  each.alike,
                    each.first_items, each.second_items, each.together};
  });
}

}  // namespace commonplace::api::relate
