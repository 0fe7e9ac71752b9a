#include "app/cli/answers_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "commonplace/formats/export.h"
#include "commonplace/library/links.h"
#include "commonplace/library/machine_labels.h"
#include "commonplace/library/stored_features.h"

namespace commonplace::app {
namespace {

Json reasons_json(const search::Reasons& reasons) {
  Json words = Json::array();
  for (const auto& word : reasons.words)
    words.push_back({{"word", word.word}, {"in_tags", word.in_tags}, {"in_text", word.in_text}});
  Json associations = Json::array();
  for (const auto& each : reasons.associations)
    associations.push_back({{"from", each.from},
                            {"asked", each.asked},
                            {"weight", each.weight},
                            {"collection", each.collection},
                            {"together", each.together}});
  Json neighbours = Json::array();
  for (const auto& each : reasons.neighbours)
    neighbours.push_back({{"collection", each.collection},
                          {"id", each.id},
                          {"weight", each.weight},
                          {"asked", each.asked}});
  Json topics = Json::array();
  for (const auto& each : reasons.topics)
    topics.push_back({{"topic", each.name},
                      {"collections", each.members},
                      {"terms", each.terms},
                      {"weight", each.weight}});
  return {{"words", words},
          {"associations", associations},
          {"neighbours", neighbours},
          {"topics", topics}};
}

}  // namespace

Json item_json(const Item& item) {
  std::string line;
  bool given = false;
  write_jsonl(
      [&](Item& next) {
        if (std::exchange(given, true)) return false;
        next = item;
        return true;
      },
      [&](std::string_view bytes) { line += bytes; });
  return Json::parse(line);
}

Json whole_item_json(const Library& library, const Collection& collection, std::string_view id) {
  const Item found = item(library, collection, id, {.machine = true});
  Json json = item_json(found);
  json["collection"] = collection.name;
  for (const GivenLabel& label : machine_labels_of(library, collection, found.id))
    json["machine_labels"].push_back({{"field", label.field},
                                      {"value", label.value},
                                      {"model", label.model},
                                      {"score", label.score}});
  json["decisions"] = Json::array();
  for (const Decision& decision : decision_history(library, collection.name, found.id))
    json["decisions"].push_back({{"tag", decision.tag},
                                 {"verdict", verdict_word(decision.verdict)},
                                 {"time", decision.time}});
  return json;
}

Json collections_json(const Library& library) {
  Json json = {{"collections", Json::array()}, {"links", Json::array()}};
  for (const Collection& each : collections(library)) {
    Json features = Json::array();
    for (const FeatureRecord& record : feature_records(library, each))
      features.push_back(record.name);
    json["collections"].push_back({{"name", each.name},
                                   {"items", each.items},
                                   {"format", each.format},
                                   {"features", features},
                                   {"changed", each.changed},
                                   {"source", each.source}});
  }
  for (const LinkCount& count : link_counts(library))
    json["links"].push_back({{"from", count.from}, {"to", count.to}, {"links", count.links}});
  return json;
}

Json model_json(const ModelRecord& record) {
  return {{"name", record.name},
          {"kind", record.kind},
          {"created", record.created},
          {"options", Json::parse(record.options)},
          {"report", Json::parse(record.report)}};
}

Json as_json(const search::Hit& hit, bool explain) {
  Json json = {{"collection", hit.collection},
               {"id", hit.id},
               {"title", hit.title},
               {"image", hit.image},
               {"tags", hit.tags},
               {"score", hit.score},
               {"own", hit.own},
               {"borrowed", hit.borrowed}};
  if (explain) json["why"] = reasons_json(hit.reasons);
  return json;
}

Json as_json(const search::TopicSummary& topic) {
  Json examples = Json::array();
  for (const auto& example : topic.examples)
    examples.push_back({{"collection", example.collection}, {"id", example.id}});
  return {{"topic", topic.name},  {"collections", topic.members}, {"share", topic.share},
          {"terms", topic.terms}, {"weights", topic.weights},     {"examples", examples}};
}

Json as_json(const suggest::Reasons& reasons) {
  Json words = Json::array();
  for (const auto& each : reasons.words)
    words.push_back({{"word", each.word}, {"weight", each.weight}});
  Json known = Json::array();
  for (const auto& each : reasons.known)
    known.push_back({{"id", each.id}, {"likeness", each.likeness}});
  return {{"words", words},
          {"items", known},
          {"from_tags", reasons.from_tags},
          {"from_neighbours", reasons.from_neighbours},
          {"from_category", reasons.from_category}};
}

Json as_json(const std::vector<suggest::Suggestion>& suggestions, bool explain) {
  Json list = Json::array();
  for (const suggest::Suggestion& each : suggestions) {
    Json json = {{"tag", each.tag}, {"confidence", each.confidence}};
    if (each.implied) json["implied"] = true;
    if (explain) json["reasons"] = as_json(each.reasons);
    list.push_back(std::move(json));
  }
  return list;
}

Json as_json(const detect::DetectableConcept& each) {
  return {{"concept", each.name},
          {"shown", each.shown},
          {"not_shown", each.not_shown},
          {"tagged", each.tagged}};
}

Json as_json(const detect::Answer& answer, const std::string& collection) {
  Json results = Json::array();
  for (const detect::Detected& each : answer.items_found) {
    Json json = {{"id", each.id}, {"score", each.score}};
    if (each.confidence >= 0) json["confidence"] = each.confidence;
    if (each.taught != 0) json["taught"] = each.taught > 0 ? "yes" : "no";
    results.push_back(std::move(json));
  }
  return {{"concept", answer.name},        {"collection", collection},  {"shown", answer.shown},
          {"not_shown", answer.not_shown}, {"learned", answer.learned}, {"items", answer.items},
          {"seconds", answer.seconds},     {"results", results}};
}

Json as_json(const relate::Answer& answer) {
  Json kinds = Json::array();
  for (const relate::RelatedNodes& kind : answer.modalities) {
    Json things = Json::array();
    for (const relate::RelatedNode& each : kind.nodes) {
      Json json = {{"name", each.name}, {"score", each.score}, {"times", each.times}};
      if (each.known) json["known"] = true;
      for (const relate::Reason& reason : each.reasons)
        json["reasons"][reason.modality] = reason.adds;
      if (!each.examples.empty()) json["examples"] = each.examples;
      things.push_back(std::move(json));
    }
    kinds.push_back({{"kind", kind.modality}, {"things", things}});
  }
  Json json = {{"evidence", answer.evidence}, {"kinds", kinds}, {"seconds", answer.seconds}};
  if (answer.known_place)
    json["place"] = {{"latitude", answer.known_place->latitude},
                     {"longitude", answer.known_place->longitude}};
  if (answer.nearest) json["nearest"] = *answer.nearest;
  if (answer.guess && answer.guess->tells)
    json["guess"] = {{"latitude", answer.guess->place.latitude},
                     {"longitude", answer.guess->place.longitude},
                     {"radius", answer.guess->radius}};
  else if (answer.guess)
    json["guess"] = nullptr;
  return json;
}

Json as_json(const relate::SameTags& pair) {
  return {{"kind", pair.modality},           {"first", pair.first},
          {"second", pair.second},           {"alike", pair.alike},
          {"first_items", pair.first_items}, {"second_items", pair.second_items},
          {"together", pair.together}};
}

Json as_json(const relate::Group& group) {
  Json kinds = Json::array();
  for (const relate::GroupedModality& kind : group.modalities)
    kinds.push_back({{"kind", kind.modality}, {"things", kind.nodes}, {"nearest", kind.nearest}});
  return {{"things", group.nodes}, {"kinds", kinds}};
}

std::string verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted:
      return "accepted";
    case Verdict::rejected:
      return "rejected";
    case Verdict::withdrawn:
      break;
  }
  return "withdrawn";
}

}  // namespace commonplace::app
