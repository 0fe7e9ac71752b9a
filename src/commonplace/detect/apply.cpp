#include "commonplace/detect/apply.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/eval/proportion.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/machine/machine_runs.h"
#include "commonplace/library/tags/decisions.h"

namespace commonplace::detect {
namespace {

using Json = nlohmann::ordered_json;

/// Answers are held out in so many parts, if each part leaves something of both kinds.
constexpr std::size_t kParts = 5;
constexpr std::int64_t kLeastOfAKind = 3;
/// Right answers a stretch of the confidence map: there are few of them.
constexpr std::size_t kPositivesAStretch = 5;

std::unordered_map<std::string, double> scores_of(const Answer& answer) {
  std::unordered_map<std::string, double> scores;
  for (const Detected& each : answer.items_found) scores.emplace(each.id, each.score);
  return scores;
}

Options all_items() {
  Options options;
  options.limit = std::int64_t{1} << 40;
  return options;
}

struct Calibrated {
  ConfidenceMap map;
  Calibration report;
  std::vector<float> scores;
  std::vector<std::uint8_t> outcomes;
};

/// Scores each answered item by the concept as the other parts of the answers teach it, and fits
/// the chance of an answer to that.
Calibrated calibrate(const Answerer& finder, const std::string& name,
                     const std::vector<Lesson>& answers, const Run& run) {
  Calibrated result;
  result.report.answers = std::ssize(answers);
  result.report.right = std::count_if(answers.begin(), answers.end(),
                                      [](const Lesson& each) { return each.shows > 0; });
  const std::int64_t wrong = result.report.answers - result.report.right;
  result.report.held_out = result.report.right >= kLeastOfAKind && wrong >= kLeastOfAKind;
  if (!result.report.held_out) {
    result.map = fit_confidence({}, {});
    return result;
  }
  // Each kind is dealt out in turn, so that every part has some of both.
  std::size_t next[2] = {0, 0};
  std::vector<std::size_t> part;
  for (const Lesson& each : answers) part.push_back(next[each.shows > 0 ? 1 : 0]++ % kParts);
  for (std::size_t held = 0; held < kParts; ++held) {
    run.progress({"holding answers out", held, kParts, ""});
    std::vector<Lesson> rest;
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (part[i] != held) rest.push_back(answers[i]);
    const auto scores = scores_of(finder.ask(name, rest, all_items()));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto found = part[i] == held ? scores.find(answers[i].item) : scores.end();
      if (found == scores.end()) continue;
      result.scores.push_back(static_cast<float>(found->second));
      result.outcomes.push_back(answers[i].shows > 0 ? 1 : 0);
    }
  }
  result.map = fit_confidence(result.scores, result.outcomes, kPositivesAStretch);
  return result;
}

/// What the answers that were held out say of items from `least` on.
void judge(Calibrated& calibrated, double least) {
  Calibration& report = calibrated.report;
  for (std::size_t i = 0; i < calibrated.scores.size(); ++i) {
    if (static_cast<double>(calibrated.scores[i]) < least) continue;
    ++report.above;
    report.above_right += calibrated.outcomes[i];
  }
  if (report.above == 0) return;
  std::tie(report.low, report.high) = share_interval(report.above_right, report.above);
}

/// The items that may get the tag, best first, with what each is worth.
Applied ranked_tags(const Library& library, const Answerer& finder, const std::string& name,
                    Calibrated& calibrated, const std::vector<Lesson>& answers) {
  const Collection source = collection(library, finder.collection());
  const Answer answer = finder.ask(name, answers, all_items());
  Applied result;
  result.model = tags_name(source.name, name);
  result.items = answer.items;
  const std::string key = tag_key(tag_name(name));
  std::set<std::string> decided;
  for (const Decision& each : decisions_in_force(library, source.name))
    if (tag_key(each.tag) == key) decided.insert(each.item);
  ItemReader reader(library, source);
  for (Item item; reader.next(item);)
    if (std::any_of(item.tags.begin(), item.tags.end(),
                    [&](const ItemTag& tag) { return tag_key(tag.name) == key; }))
      decided.insert(item.id);
  for (const Detected& each : answer.items_found) {
    if (decided.contains(each.id) || each.taught < 0) continue;
    const double sure = each.taught > 0 ? 0.99
                        : each.confidence >= 0 && !calibrated.report.held_out
                            ? each.confidence
                            : confidence(calibrated.map, each.score);
    result.tags.push_back({each.id, sure, each.score});
  }
  return result;
}

std::vector<MachineTag> machine_tags(const Applied& tags, const std::string& name) {
  std::vector<MachineTag> result;
  for (const Applied::Tag& each : tags.tags)
    result.push_back({each.item, name, std::clamp(each.probability, 0.0, 0.99)});
  return result;
}

}  // namespace

std::string tags_name(const std::string& collection, const std::string& concept_name) {
  return concat("concept.", collection, ".", tag_name(concept_name));
}

std::vector<Lesson> answers_of(const Library& library, const std::string& collection,
                               const std::string& concept_name) {
  std::vector<Lesson> answers = lessons_in_force(library, collection, concept_name);
  const std::string key = tag_key(tag_name(concept_name));
  for (const Decision& each : decisions_in_force(library, collection)) {
    if (tag_key(each.tag) != key) continue;
    std::erase_if(answers, [&](const Lesson& lesson) { return lesson.item == each.item; });
    answers.push_back({each.item, each.verdict == Verdict::accepted ? 1 : -1, each.time});
  }
  return answers;
}

Applied apply(Library& library, const Answerer& finder, const std::string& concept_name,
              const ApplyOptions& options, const Run& run) {
  require(options.above.has_value() != (options.first > 0),
          "say how sure: give either --above PROBABILITY or --first NUMBER");
  require(!options.above || (*options.above >= 0 && *options.above <= 1),
          "the least probability is ", options.above.value_or(0), "; expected 0 to 1");
  const Collection target = collection(library, finder.collection());
  const std::vector<Lesson> answers = answers_of(library, target.name, concept_name);
  Calibrated calibrated = calibrate(finder, concept_name, answers, run);
  Applied result = ranked_tags(library, finder, concept_name, calibrated, answers);
  if (options.first > 0) {
    if (std::ssize(result.tags) > options.first)
      result.tags.resize(static_cast<std::size_t>(options.first));
  } else {
    std::erase_if(result.tags,
                  [&](const Applied::Tag& each) { return each.probability < *options.above; });
  }
  if (!result.tags.empty()) {
    result.least = result.tags.back().score;  // they are ranked
    judge(calibrated, result.least);
  }
  result.calibration = calibrated.report;
  result.before = count_machine_tags(library, target, result.model);
  if (options.dry_run) return result;
  name_model(library, result.model);
  Json settings = {{"concept", tag_name(concept_name)}};
  if (options.above)
    settings["above"] = *options.above;
  else
    settings["first"] = options.first;
  settings["least_score"] = result.tags.empty() ? Json() : Json(result.least);
  settings["items"] = target.items;
  const std::string reason =
      options.above ? concat("items that show '", concept_name, "' with a probability of ",
                             *options.above, " or more")
                    : concat("the first ", options.first, " items of '", concept_name, "'");
  result.run =
      store_run(library, target, result.model, machine_tags(result, tag_name(concept_name)),
                {"apply", json_text(settings), reason, true});
  return result;
}

Applied apply_to(Library& library, const Answerer& finder, const std::string& concept_name,
                 double least, const std::vector<std::string>& items, const std::string& settings,
                 const Run& run) {
  const Collection target = collection(library, finder.collection());
  const std::vector<Lesson> answers = answers_of(library, target.name, concept_name);
  Calibrated calibrated = calibrate(finder, concept_name, answers, run);
  Applied result = ranked_tags(library, finder, concept_name, calibrated, answers);
  const std::set<std::string> asked(items.begin(), items.end());
  std::erase_if(result.tags, [&](const Applied::Tag& each) {
    return !asked.contains(each.item) || each.score < least;
  });
  result.least = least;
  judge(calibrated, least);
  result.calibration = calibrated.report;
  result.run =
      store_run(library, target, result.model, machine_tags(result, tag_name(concept_name)),
                {"update", settings,
                 concat("items that came since '", concept_name, "' was applied"), false});
  return result;
}

}  // namespace commonplace::detect
