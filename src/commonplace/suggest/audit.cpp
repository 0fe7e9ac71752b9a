#include "commonplace/suggest/audit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/fields.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/evaluations.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/tag_meanings.h"
#include "commonplace/suggest/evidence.h"
#include "commonplace/suggest/tags.h"
#include "commonplace/suggest/targets.h"

namespace commonplace::suggest {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVerb = "audit";
/// A tag goes badly with the others of an item from here on, and well from its opposite.
constexpr double kStrange = -0.7;

std::string percent(double share) {
  const double percents = 100 * share;
  return percents < 1 ? "less than 1 %" : concat(static_cast<int>(std::lround(percents)), " %");
}

std::string reason_of(const JudgedTag& each, double usual) {
  std::string reason = concat("by what other items teach ", percent(each.confidence),
                              " sure, where items that have it are ", percent(usual), " sure");
  reason += each.rank == 0
                ? "; the likeliest of all tags"
                : concat("; ", each.rank, each.rank == 1 ? " tag is" : " tags are", " likelier");
  if (each.company < kStrange) reason += "; seldom beside its other tags";
  if (each.company > -kStrange) reason += "; often beside its other tags";
  return reason;
}

using Pair = std::pair<std::string, std::string>;  ///< an item and the key of a tag

std::set<Pair> decided(const Library& library, const std::string& collection) {
  std::set<Pair> pairs;
  for (const Decision& each : decisions_in_force(library, collection))
    pairs.emplace(each.item, tag_key(each.tag));
  return pairs;
}

std::vector<AuditEntry> worst(const std::vector<JudgedTag>& judged, Fault kind,
                              const Judgement& judgement, const AuditMaterial& material,
                              const std::set<Pair>& answered, const TagMeanings& meanings,
                              std::size_t most) {
  std::vector<const JudgedTag*> order;
  for (const JudgedTag& each : judged)
    if (!answered.contains({material.ids[static_cast<std::size_t>(each.item)],
                            tag_key(material.tags[static_cast<std::size_t>(each.tag)])}) &&
        (kind == Fault::wrong ||
         meanings.may_be_proposed(material.tags[static_cast<std::size_t>(each.tag)])))
      order.push_back(&each);
  std::stable_sort(order.begin(), order.end(),
                   [](const JudgedTag* a, const JudgedTag* b) { return a->doubt > b->doubt; });
  if (order.size() > most) order.resize(most);
  std::vector<AuditEntry> entries;
  for (const JudgedTag* each : order) {
    const double usual = judgement.usual[static_cast<std::size_t>(each->tag)];
    entries.push_back({material.ids[static_cast<std::size_t>(each->item)],
                       material.tags[static_cast<std::size_t>(each->tag)], kind, each->doubt,
                       each->confidence, usual, reason_of(*each, usual)});
  }
  return entries;
}

AuditEntry entry_of(const Json& json) {
  return {json.at("id"),
          json.at("tag"),
          from_word<Fault>(json.at("kind").get<std::string>()).value_or(Fault::wrong),
          json.at("doubt"),
          json.at("confidence"),
          json.at("usual"),
          json.at("reason")};
}

}  // namespace

AuditMaterial audit_material(const Library& library, const Collection& collection,
                             const ModelOptions& how, const Run& run) {
  TagControl control = read_tag_control(how.tags);
  merge_leaves(library, collection, control);
  Tags tags = read_tags(library, collection, control);
  require_tags(tags, collection.name);
  const Evidence evidence = choose_evidence(library, collection, how.evidence, run);
  require(!uses_tags(evidence), "the items of '", collection.name,
          "' have nothing but tags, by which tags cannot be judged; make features of them first");
  const StoredRows rows = evidence_rows(library, collection, evidence, false, run);
  const std::vector<std::string> ids = item_ids(library, collection);
  const std::vector<std::string> times = item_times(library, collection);
  AuditMaterial material;
  material.targets.columns = tags.targets.columns;
  std::vector<std::int64_t> which;
  for (std::int64_t row = 0; row < tags.targets.rows(); ++row) {
    if (!is_tagged(tags.targets.view().row_values(row))) continue;
    which.push_back(row);
    material.targets.push_row(tags.targets.view(), row);
    material.ids.push_back(ids[static_cast<std::size_t>(row)]);
    material.times.push_back(times[static_cast<std::size_t>(row)]);
  }
  material.rows = take_rows(rows.view(), which);
  material.blocks = evidence.blocks();
  material.tags = std::move(tags.names);
  return material;
}

Audit audit(const Library& library, const std::string& collection_name, const ModelOptions& how,
            const AuditOptions& options, std::size_t most, const Run& run) {
  const auto begin = Clock::now();
  check(how.suggester);
  AuditMaterial material;
  std::set<Pair> answered;
  {
    const ReadSnapshot snapshot = read_snapshot(library);
    const Collection source = collection(library, collection_name);
    material = audit_material(library, source, how, run);
    answered = decided(library, collection_name);
  }
  const Judgement judgement =
      judge_tags({material.rows.view(), material.blocks, material.targets.view(), material.times},
                 how.suggester, options, run);
  const TagMeanings meanings(library);
  Audit result;
  result.collection = collection_name;
  result.items = std::ssize(material.ids);
  result.given = std::ssize(judgement.given);
  result.folds = options.folds;
  result.wrong =
      worst(judgement.given, Fault::wrong, judgement, material, answered, meanings, most);
  result.missing =
      worst(judgement.missing, Fault::missing, judgement, material, answered, meanings, most);
  result.seconds = seconds_since(begin);
  return result;
}

void store_audit(Library& library, const Audit& audit) {
  store_evaluation(library, {0, kVerb, audit.collection, as_json(audit).dump()});
}

std::optional<Audit> stored_audit(const Library& library, const std::string& collection) {
  for (const Evaluation& each : evaluations(library)) {
    if (each.verb != kVerb || each.about != collection) continue;
    const Json json = Json::parse(each.result);
    Audit audit;
    audit.collection = collection;
    audit.items = json.at("items");
    audit.given = json.at("given");
    audit.folds = json.at("folds");
    audit.seconds = json.at("seconds");
    audit.created = each.created;
    const std::set<Pair> answered = decided(library, collection);
    const TagMeanings meanings(library);
    for (auto* list : {&audit.wrong, &audit.missing})
      for (const Json& stored : json.at(list == &audit.wrong ? "wrong" : "missing")) {
        AuditEntry entry = entry_of(stored);
        entry.tag = meanings.now(entry.tag);
        if (!entry.tag.empty() && !answered.contains({entry.id, tag_key(entry.tag)}))
          list->push_back(std::move(entry));
      }
    return audit;
  }
  return std::nullopt;
}

}  // namespace commonplace::suggest
