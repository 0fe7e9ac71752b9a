#include "commonplace/keep/plan.h"

#include <algorithm>
#include <map>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/encode/models.h"
#include "commonplace/encode/onnx_runtime.h"
#include "commonplace/io/folder_state.h"
#include "commonplace/io/json.h"
#include "commonplace/keep/standing_tags.h"
#include "commonplace/library/items/import_items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/encoder_features.h"
#include "commonplace/rows/image_features.h"

namespace commonplace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kLeastConcept = 20;

/// Seconds an item where a step was never done here before.
const std::map<std::string, double, std::less<>> kUsualSeconds = {
    {"files", 0.003},       {"thumbnails", 0.01}, {"features", 0.1},   {"search", 0.0005},
    {"suggestions", 0.015}, {"concepts", 0.01},   {"relations", 0.02}, {"tags", 0.002}};

/// What the steps of one collection are looked at by.
struct Subject {
  Collection collection;
  CollectionFacts facts;
  TaggedCounts tagged;
  TaggedCounts common;    ///< with tags that are common enough to be concepts
  std::string features;   ///< names of the dense ones, by commas
  std::int64_t rows = 0;  ///< that all of them have
  std::vector<KeepStep> steps;

  bool due(std::string_view step) const {
    return std::any_of(steps.begin(), steps.end(), [&](const KeepStep& each) {
      return each.step == step && each.state == KeepState::due;
    });
  }
};

class Planner {
 public:
  Planner(const Library& library, const KeepTools& tools) : library_(library), tools_(tools) {
    for (UpkeepEntry& each : upkeep_entries(library))
      entries_[each.collection + '\n' + each.step] = std::move(each);
  }

  std::vector<KeepStep> plan() {
    std::vector<Subject> subjects;
    for (const Collection& each : collections(library_)) subjects.push_back(subject_of(each));
    // Relations are one model of the library: of the collection that has most to relate.
    std::size_t related = 0;
    for (std::size_t i = 1; i < subjects.size(); ++i)
      if (subjects[i].tagged.items > subjects[related].tagged.items) related = i;
    for (Subject& each : subjects) {
      look_at_files(each);
      look_at_thumbnails(each);
      look_at_features(each);
      look_at_search(each);
      look_at_suggestions(each);
      look_at_concepts(each);
      if (&each == &subjects[related]) look_at_relations(each);
      look_at_tags(each);
    }
    std::vector<KeepStep> steps;
    for (const std::string_view kind : kKeepSteps)
      for (const Subject& each : subjects)
        for (const KeepStep& step : each.steps)
          if (step.step == kind) steps.push_back(step);
    return steps;
  }

 private:
  Subject subject_of(const Collection& collection) const {
    Subject subject;
    subject.collection = collection;
    subject.facts = facts_of(library_, collection);
    subject.tagged = tagged_counts(library_, collection, 2);
    subject.common = tagged_counts(library_, collection, kLeastConcept);
    subject.rows = collection.items;
    for (const FeatureRecord& each : feature_records(library_, collection)) {
      if (each.sparse) continue;
      subject.features += (subject.features.empty() ? "" : ",") + each.name;
      subject.rows = std::min(subject.rows, each.rows);
    }
    if (subject.features.empty()) subject.rows = 0;
    return subject;
  }

  const UpkeepEntry* entry_of(const Subject& subject, std::string_view step) const {
    const auto found = entries_.find(concat(subject.collection.name, '\n', step));
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// A step that is due if its state was another, or it was never done.
  KeepStep& add(Subject& subject, std::string_view step, std::string now, std::int64_t items) {
    KeepStep& made = subject.steps.emplace_back();
    made.collection = subject.collection.name;
    made.step = step;
    made.now = std::move(now);
    const UpkeepEntry* before = entry_of(subject, step);
    double each = kUsualSeconds.find(step)->second;
    if (before != nullptr) {
      made.said = before->said;
      made.time = before->time;
      // A few items say more of how long it takes to begin than of how long an item takes.
      if (before->items >= 100) each = before->seconds / static_cast<double>(before->items);
    }
    if (before == nullptr || before->state != made.now) {
      made.state = KeepState::due;
      made.items = items;
      made.seconds_left = each * static_cast<double>(items);
    }
    return made;
  }

  static void wait(KeepStep& step, std::string why) {
    step.state = KeepState::waiting;
    step.why = std::move(why);
    step.items = 0;
    step.seconds_left = 0;
  }

  /// Text that changes with the items of a collection, but not with decisions.
  static std::string items_of(const Subject& subject) {
    return concat(subject.collection.id, ' ', subject.collection.revision, ' ',
                  subject.collection.items);
  }

  void look_at_files(Subject& subject) {
    const Collection& collection = subject.collection;
    if (collection.source.empty()) return;
    const FolderState state = folder_state(collection.source);
    const std::string seen = seen_of_source(library_, collection);
    KeepStep& step = add(subject, "files", state.digest, std::max(state.files, collection.items));
    step.state = KeepState::done;
    if (state.files == 0) {
      step.state = KeepState::away;
      step.why = collection.source + (state.digest.empty() ? " is not there" : " is empty") +
                 "; what is known of it is kept";
      step.seconds_left = 0;
    } else if (!import_options_of(library_, collection)) {
      wait(step, "it was added by an older program: add " + collection.source + " once more");
    } else if (seen != state.digest) {
      step.state = KeepState::due;
      step.why = seen.empty() ? "its files were never read" : "files have changed";
      step.items = std::max(state.files, collection.items);
      const UpkeepEntry* before = entry_of(subject, "files");
      const double each = before != nullptr && before->items >= 100
                              ? before->seconds / static_cast<double>(before->items)
                              : kUsualSeconds.at("files");
      step.seconds_left = each * static_cast<double>(step.items);
    } else {
      step.seconds_left = 0;
    }
  }

  bool is_away(const Subject& subject) const {
    return std::any_of(subject.steps.begin(), subject.steps.end(),
                       [](const KeepStep& each) { return each.state == KeepState::away; });
  }

  void look_at_thumbnails(Subject& subject) {
    if (!subject.facts.pictures || is_away(subject)) return;
    KeepStep& step = add(subject, "thumbnails", items_of(subject), subject.collection.items);
    if (step.state == KeepState::due) step.why = "pictures have come or changed";
  }

  void look_at_features(Subject& subject) {
    if (!subject.facts.pictures || is_away(subject)) return;
    const std::string by = join(kept_features(library_, subject.collection, tools_));
    if (by.empty()) return;
    KeepStep& step = add(subject, "features", items_of(subject) + ' ' + by,
                         std::max<std::int64_t>(1, subject.collection.items - subject.rows));
    if (step.state == KeepState::due)
      step.why = subject.rows == 0 ? "there are none yet; by " + by
                                   : concat("items have come or changed; by ", by);
  }

  void look_at_search(Subject& subject) {
    KeepStep& step = add(subject, "search", items_of(subject), subject.collection.items);
    if (step.state == KeepState::due) step.why = "items have come or changed";
    if (subject.collection.items == 0) wait(step, "there are no items yet");
  }

  /// What a model is learned from, as it is remembered.
  static Json learned_from(const Subject& subject, std::int64_t tags) {
    return {{"items", items_of(subject)},
            {"tagged", subject.tagged.items},
            {"decisions", subject.tagged.decisions},
            {"tags", tags},
            {"features", subject.features},
            {"learned", subject.tagged.items},
            {"decided", subject.tagged.decisions}};
  }

  bool has_model(const std::string& name) const {
    const std::vector<ModelRecord> records = model_records(library_);
    return std::any_of(records.begin(), records.end(),
                       [&](const ModelRecord& each) { return each.name == name; });
  }

  /// Decides by how much has changed since a model was learned whether it is learned anew.
  void look_at_model(Subject& subject, std::string_view kind, const std::string& model,
                     std::int64_t tags, std::int64_t items) {
    Json now = learned_from(subject, tags);
    const UpkeepEntry* before = entry_of(subject, kind);
    const Json then = before == nullptr ? Json() : ordered_json_from(before->state, false);
    const bool known = then.is_object();
    if (known && has_model(model)) {
      const auto learned = then.value("learned", std::int64_t{0});
      const auto decided = then.value("decided", std::int64_t{0});
      const std::int64_t changed =
          std::abs(subject.tagged.items - learned) + (subject.tagged.decisions - decided);
      const bool other_tags = kind == "concepts" && then.value("tags", std::int64_t{0}) != tags;
      const bool other_features = then.value("features", "") != subject.features;
      const bool by_hand = then.value("by_hand", false);
      const bool anew =
          !by_hand && (changed * kAnewShare > learned || other_features || other_tags);
      if (by_hand) now["by_hand"] = true;
      if (!anew) {
        now["learned"] = learned;
        now["decided"] = decided;
      }
      KeepStep& step = add(subject, kind, json_text(now), anew ? items : 1);
      const bool few =
          !anew && then.value("items", "") == now["items"] && changed * kFewShare < learned;
      if (few) step.state = KeepState::done;
      if (step.state != KeepState::due) {
        step.seconds_left = 0;
        return;
      }
      step.anew = anew;
      step.why = !anew            ? "items or decisions have come: brought up to date"
                 : other_features ? "there are other features: learned anew"
                 : other_tags     ? "there are other concepts: learned anew"
                                  : concat(changed, " of the ", learned,
                                           " tagged items that it was learned from have changed or "
                                               "come: learned anew");
      return;
    }
    // A model that a person learned by hand is only brought up to date.
    const bool by_hand = has_model(model);
    if (by_hand) now["by_hand"] = true;
    KeepStep& step = add(subject, kind, json_text(now), items);
    step.state = KeepState::due;
    step.items = items;
    step.anew = !by_hand;
    step.why = step.anew ? "there is none yet" : "it was learned by hand: brought up to date";
  }

  void look_at_suggestions(Subject& subject) {
    if (is_away(subject)) return;
    const std::int64_t missing = kLeastTagged - subject.tagged.items;
    const bool something = subject.facts.text || subject.rows > 0;
    if (missing > 0 || subject.tagged.tags < 2 || !something) {
      KeepStep& step = add(subject, "suggestions", "", 0);
      wait(step, missing > 0 ? concat("tag ", missing, " more ", missing == 1 ? "item" : "items")
                 : subject.tagged.tags < 2 ? "give at least two tags to two items each"
                                           : "features come first");
      return;
    }
    look_at_model(subject, "suggestions", kept_model(library_, "suggest", subject.collection.name),
                  subject.tagged.tags, subject.tagged.items);
    if (subject.due("features") && subject.rows == 0 && !subject.facts.text)
      wait(subject.steps.back(), "features come first");
  }

  void look_at_concepts(Subject& subject) {
    if (is_away(subject) || !subject.facts.pictures) return;
    if (subject.rows == 0) {
      wait(add(subject, "concepts", "", 0), "features come first");
      return;
    }
    look_at_model(subject, "concepts", kept_model(library_, "detect", subject.collection.name),
                  subject.common.tags, subject.collection.items);
  }

  void look_at_relations(Subject& subject) {
    if (is_away(subject)) return;
    const std::int64_t missing = kLeastRelated - subject.tagged.items;
    if (missing > 0) {
      wait(add(subject, "relations", "", 0),
           concat("tag ", missing, " more ", missing == 1 ? "item" : "items"));
      return;
    }
    if (subject.rows == 0 && !subject.facts.text) {
      wait(add(subject, "relations", "", 0), "features come first");
      return;
    }
    look_at_model(subject, "relations", kept_model(library_, "relate", subject.collection.name),
                  subject.tagged.tags, subject.collection.items);
  }

  void look_at_tags(Subject& subject) {
    if (standing_tags(library_, subject.collection).empty()) return;
    KeepStep& step = add(subject, "tags", standing_state(library_, subject.collection),
                         subject.collection.items);
    if (step.state == KeepState::due) step.why = "items have come since tags were given";
  }

  const Library& library_;
  const KeepTools& tools_;
  std::map<std::string, UpkeepEntry, std::less<>> entries_;
};

}  // namespace

std::vector<std::string> kept_features(const Library& library, const Collection& collection,
                                       const KeepTools& tools) {
  std::vector<std::string> kept;
  bool others = false;
  for (const FeatureRecord& each : feature_records(library, collection)) {
    const bool described = has_stored_image_model(library, collection, each.name);
    const bool encoded = has_stored_encoder(library, collection, each.name);
    if (described || (encoded && each.name == tools.encoder)) kept.push_back(each.name);
    others = others || (!each.sparse && !described);
  }
  if (others) return kept;
  // What an encoder sees takes the place of what was made without one.
  if (!tools.encoder.empty()) return {tools.encoder};
  return kept.empty() ? std::vector<std::string>{"sift"} : kept;
}

std::string kept_model(const Library& library, std::string_view kind,
                       const std::string& collection) {
  const bool shared = kind == "relate";  // by all collections
  const std::string usual = shared ? "relate" : concat(kind, '.', collection);
  std::string found;
  for (const ModelRecord& each : model_records(library)) {
    if (each.kind != kind) continue;
    const Json report = ordered_json_from(each.report, false);
    if (!shared && (!report.is_object() || report.value("collection", "") != collection)) continue;
    if (each.name == usual) return usual;
    if (found.empty()) found = each.name;
  }
  return found.empty() ? usual : found;
}

KeepTools keep_tools() {
  KeepTools tools;
  const std::filesystem::path folder = models_folder();
  try {
    find_onnx_runtime({}, folder);
  } catch (const Error&) {
    return tools;
  }
  std::pair<bool, std::uint64_t> best{false, 0};
  for (const EncoderModel& each : installed_models(folder).models) {
    const std::pair<bool, std::uint64_t> worth{each.reads(Medium::text), each.bytes};
    if (!each.reads(Medium::picture) || (!tools.encoder.empty() && worth <= best)) continue;
    best = worth;
    tools.encoder = each.name;
  }
  return tools;
}

std::vector<KeepStep> plan_upkeep(const Library& library, const KeepTools& tools) {
  return Planner(library, tools).plan();
}

}  // namespace commonplace
