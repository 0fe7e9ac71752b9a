#include "commonplace/suggest.h"

#include "commonplace/api/inside.h"
#include "commonplace/suggest/apply.h"
#include "commonplace/suggest/ask.h"
#include "commonplace/suggest/learn.h"

namespace commonplace::api::suggest {
namespace {

namespace room = ::commonplace::suggest;

room::Options translate(const Options& from) {
  require(from.limit >= 1, "the limit is ", from.limit, "; expected 1 or more");
  require(!from.threshold || (*from.threshold >= 0 && *from.threshold <= 1), "the threshold is ",
          from.threshold.value_or(0), "; expected a confidence from 0 to 1");
  room::Options options;
  options.limit = from.limit;
  options.threshold = from.threshold;
  options.only = from.only;
  options.explain = from.explain;
  return options;
}

Reasons translate(const room::Reasons& from) {
  Reasons reasons;
  for (const auto& each : from.words) reasons.words.push_back({each.word, each.weight});
  for (const auto& each : from.known) reasons.known.push_back({each.id, each.likeness});
  reasons.from_tags = from.from_tags;
  reasons.from_neighbours = from.from_neighbours;
  reasons.from_category = from.from_category;
  return reasons;
}

Answer translate(const room::Answer& from) {
  Answer answer;
  answer.familiarity = from.familiarity;
  for (const auto& each : from.suggestions)
    answer.suggestions.push_back(
        {each.tag, each.confidence, each.implied, translate(each.reasons)});
  return answer;
}

std::vector<Answer> translate(const std::vector<room::Answer>& from) {
  return each_of(from, [](const room::Answer& each) { return translate(each); });
}

Update translate(const room::Update& from) {
  return {from.new_items, from.changed_items, from.new_tags, from.seconds};
}

}  // namespace

struct Suggester::Parts {
  room::Answerer suggester;
};

Report learn(Library& library, const std::string& collection, const LearnOptions& options,
             const Run& run) {
  room::ModelOptions model;
  apply_settings(options.settings, model);
  const auto report = room::learn(inside(library), collection, options.name, model, inside(run));
  return {report.model,         report.collection,  report.features,
          report.fit.items,     report.fit.tags,    report.fit.prototypes,
          report.fit.threshold, report.fit.seconds, to_json(report)};
}

std::vector<Setting> settings() { return list_settings(room::ModelOptions()); }

Update update(Library& library, const std::string& model, const Run& run) {
  return translate(room::update(inside(library), model, inside(run)));
}

Suggester::Suggester(const Library& library, const std::string& model,
                     const std::string& collection, const Run& run)
    : parts_(new Parts{room::Answerer(inside(library), model, collection, inside(run))}) {}
Suggester::~Suggester() = default;
Suggester::Suggester(Suggester&&) noexcept = default;
Suggester& Suggester::operator=(Suggester&&) noexcept = default;

Answer Suggester::ask(std::string_view text, const Options& options) const {
  const Thing thing{std::string(text)};
  return ask(std::span<const Thing>(&thing, 1), options).front();
}

std::vector<Answer> Suggester::ask(std::span<const Thing> things, const Options& options) const {
  const std::vector<room::EvidenceOf> evidence = each_of(things, [](const Thing& each) {
    return room::EvidenceOf{each.text, each.tags, each.vectors};
  });
  return translate(parts_->suggester.ask(evidence, translate(options)));
}

std::vector<Answer> Suggester::ask_items(std::span<const std::string> ids, const Options& options,
                                         const std::string& collection) const {
  return translate(parts_->suggester.ask(collection.empty() ? this->collection() : collection, ids,
                                         translate(options)));
}

const std::string& Suggester::model() const { return parts_->suggester.name(); }
const std::string& Suggester::collection() const { return parts_->suggester.collection(); }
Update Suggester::refresh() { return translate(parts_->suggester.refresh()); }
bool Suggester::keep(Library& library) { return parts_->suggester.keep(inside(library)); }

Applied apply(Library& library, const Suggester& suggester, const std::string& collection,
              const ApplyOptions& options, const Run& run) {
  const auto done =
      room::apply(inside(library), suggester.parts().suggester, collection,
                  {options.above, options.limit_per_item, options.dry_run}, inside(run));
  return {done.items, done.tagged_items, done.tags, done.before};
}

}  // namespace commonplace::api::suggest
