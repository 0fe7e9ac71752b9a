#include "commonplace/detect.h"

#include "commonplace/api/inside.h"
#include "commonplace/detect/ask.h"
#include "commonplace/detect/learn.h"
#include "commonplace/detect/update.h"
#include "commonplace/library/tags/lessons.h"

namespace commonplace::api::detect {
namespace {

namespace room = ::commonplace::detect;

Answer translate(const room::Answer& from) {
  return {from.name,
          from.shown,
          from.not_shown,
          from.learned,
          from.items,
          from.seconds,
          each_of(from.items_found, [](const room::Detected& each) {
            return Found{each.id, each.score, each.confidence, each.taught};
          })};
}

room::Options translate(const Options& from) {
  require(from.limit >= 1, "the limit is ", from.limit, "; expected 1 or more");
  return {from.limit, from.uncertain};
}

std::vector<::commonplace::Lesson> translate(std::span<const Lesson> lessons) {
  return each_of(lessons, [](const Lesson& each) {
    return ::commonplace::Lesson{each.item, each.shows, ""};
  });
}

}  // namespace

Report learn(Library& library, const std::string& collection, const LearnOptions& options,
             const Run& run) {
  room::ModelOptions model;
  apply_settings(options.settings, model);
  const auto report = room::learn(inside(library), collection, options.name, model, inside(run));
  return {report.model,    report.collection,     report.features, report.items,   report.labelled,
          report.concepts, report.representation, report.columns,  report.seconds, to_json(report)};
}

std::vector<Setting> settings() { return list_settings(room::ModelOptions()); }

Update update(Library& library, const std::string& model, const Run& run) {
  const auto done = room::update(inside(library), model, inside(run));
  return {done.new_items, done.changed_items, done.statistics_items, done.refreshed, done.seconds};
}

void teach(Library& library, const std::string& collection, std::string_view concept_name,
           std::span<const Lesson> lessons) {
  ::commonplace::teach(inside(library), ::commonplace::collection(inside(library), collection),
                       concept_name, translate(lessons));
}

std::vector<Lesson> lessons(const Library& library, std::string_view collection,
                            std::string_view concept_name) {
  return each_of(lessons_in_force(inside(library), collection, concept_name),
                 [](const ::commonplace::Lesson& each) {
                   return Lesson{each.item, each.shows};
                 });
}

struct Detector::Parts {
  room::Answerer finder;
};

Detector::Detector(const Library& library, const std::string& model, const std::string& collection,
                   const Run& run)
    : parts_(new Parts{room::Answerer(inside(library), model, collection, inside(run))}) {}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

Answer Detector::ask(const std::string& concept_name, const Options& options) const {
  return translate(parts_->finder.ask(concept_name, translate(options)));
}

Answer Detector::ask(const std::string& concept_name, std::span<const Lesson> lessons,
                     const Options& options) const {
  return translate(parts_->finder.ask(concept_name, translate(lessons), translate(options)));
}

std::vector<Concept> Detector::concepts() const {
  return each_of(parts_->finder.concepts(), [](const room::DetectableConcept& each) {
    return Concept{each.name, each.shown, each.not_shown, each.tagged};
  });
}

const std::string& Detector::collection() const { return parts_->finder.collection(); }

}  // namespace commonplace::api::detect
