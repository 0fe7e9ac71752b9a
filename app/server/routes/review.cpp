#include <map>
#include <mutex>
#include <set>

#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"

namespace commonplace::server {
namespace {

constexpr std::size_t kMostDecisions = 1000;

/// An item and the key of a tag.
using Pair = std::pair<std::string, std::string>;

/// What was expected of the questions that were answered since the server was started.
class Answers {
 public:
  struct Answer {
    std::string tag;
    double expected = 0;
    bool right = false;
    double claimed = 0;
    bool tagged = false;
  };
  void note(const std::string& collection, const Decision& decision,
            const std::optional<suggest::ReviewCandidate>& asked) {
    const std::scoped_lock lock(mutex_);
    const Pair pair = {decision.item, tag_key(decision.tag)};
    auto& of_collection = answers_[collection];
    // A question that is answered again, or taken back, was expected what it was the first time.
    std::optional<Answer> answer;
    if (asked) answer = {decision.tag, asked->confidence, false, asked->claimed, asked->tagged};
    const auto before = of_collection.find(pair);
    if (before != of_collection.end()) answer = before->second;
    of_collection.erase(pair);
    if (decision.verdict == Verdict::withdrawn || !answer) return;
    answer->right = decision.verdict == Verdict::accepted;
    of_collection[pair] = *answer;
  }
  std::vector<Answer> of(const std::string& collection) const {
    const std::scoped_lock lock(mutex_);
    std::vector<Answer> result;
    const auto found = answers_.find(collection);
    if (found != answers_.end())
      for (const auto& [pair, answer] : found->second) result.push_back(answer);
    return result;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::map<Pair, Answer>> answers_;
};

Verdict verdict_of(const std::string& word) {
  if (const auto verdict = from_word<Verdict>(word)) return *verdict;
  throw Problem{400, concat("the verdict is '", word, "'; expected one of ", all_words<Verdict>())};
}

Response decide_answer(Workspace& workspace, Answers& answers, const Request& request,
                       const PathValues& path) {
  const Json body = json_body(request);
  if (!body.is_object() || !body.contains("decisions") || !body["decisions"].is_array())
    throw Problem{400, "'decisions' is missing: a list of {\"item\", \"tag\", \"verdict\"}"};
  if (body["decisions"].size() > kMostDecisions)
    throw Problem{413, concat("at most ", kMostDecisions, " decisions at a time")};
  std::vector<Decision> decisions;
  for (const Json& each : body["decisions"])
    decisions.push_back({demanded_text(each, "item"), demanded_text(each, "tag"),
                         verdict_of(demanded_text(each, "verdict")), ""});
  const Collection chosen = known_collection(*workspace.library(), path.at("c"));
  std::vector<std::optional<suggest::ReviewCandidate>> asked;
  for (const Decision& each : decisions)
    asked.push_back(workspace.asked(chosen.name, each.item, each.tag));
  DecisionRun run;
  workspace.write([&](Library& library) {
    run = decide(library, {{known_collection(library, chosen.name), decisions}});
  });
  for (std::size_t i = 0; i < decisions.size(); ++i)
    answers.note(chosen.name, decisions[i], asked[i]);
  return json_answer(ChangeAnswer{run});
}

std::string model_for(Workspace& workspace, const Request& request, const Collection& collection) {
  const std::string model = text(request, "model");
  return or_not_found(
      [&] { return workspace.suggest_model(model, model.empty() ? collection.name : ""); },
      "no-model", {{"kind", "suggest"}, {"collection", collection.name}});
}

/// The questions of a request that have no answer yet, in their order.
struct Open {
  std::string model;
  Collection collection;
  std::shared_ptr<const Workspace::Questions> all;
  std::vector<const suggest::ReviewCandidate*> left;
};

Open open_questions(Workspace& workspace, const Request& request) {
  Open open;
  const auto library = workspace.library();
  open.collection = known_collection(*library, text(request, "collection"));
  open.model = model_for(workspace, request, open.collection);
  suggest::ReviewOptions options;
  const std::string order = text(request, "order");
  options.order = suggest::review_order(order.empty() ? "confident" : order);
  options.tag = text(request, "tag");
  options.threshold = share(request, "threshold");
  open.all = workspace.questions(open.model, open.collection.name, options);
  std::set<Pair> decided;
  for (const Decision& each : decisions_in_force(*library, open.collection.name))
    decided.emplace(each.item, tag_key(each.tag));
  for (const suggest::ReviewCandidate& each : *open.all)
    if (!decided.contains({each.id, tag_key(each.tag)})) open.left.push_back(&each);
  return open;
}

/// What the answers since the server was started say of the chances of others.
suggest::AnswerCalibration calibration_of(const Answers& answers, const std::string& collection) {
  suggest::AnswerCalibration calibration;
  const std::vector<Answers::Answer> all = answers.of(collection);
  for (std::size_t i = 0; i < all.size(); ++i)
    calibration.note(all[i].claimed, all[i].tagged, all[i].right, i + 1 < all.size());
  return calibration;
}

Response review_answer(Workspace& workspace, const Answers& answers, const Request& request) {
  const std::int64_t offset = number(request, "offset", 0, 0, 1LL << 40);
  const std::int64_t limit = number(request, "limit", 50, 0, 500);
  const Open open = open_questions(workspace, request);
  const auto library = workspace.library();
  ItemReader reader(*library, open.collection);
  ReviewAnswer answer = {open.model, open.collection.name, std::ssize(open.left), {}};
  const suggest::AnswerCalibration chance = calibration_of(answers, open.collection.name);
  for (std::int64_t at = offset; at < std::ssize(open.left) && std::ssize(answer.entries) < limit;
       ++at) {
    const suggest::ReviewCandidate& each = *open.left[static_cast<std::size_t>(at)];
    const std::optional<Item> item = reader.find(each.id);
    if (!item) continue;
    answer.entries.push_back(
        {brief(workspace, open.collection, *item), each.tag, chance(each.claimed, each.tagged)});
    answer.entries.back().brief.snippet = suggest::snippet_of(item->text);
  }
  return json_answer(answer);
}

Response review_tags_answer(Workspace& workspace, const Request& request) {
  const Open open = open_questions(workspace, request);
  std::map<std::string, std::int64_t> counts;
  for (const suggest::ReviewCandidate* each : open.left) ++counts[each->tag];
  ReviewTagsAnswer answer = {open.model, {}};
  for (const auto& [tag, left] : counts) answer.tags.push_back({tag, left});
  std::stable_sort(answer.tags.begin(), answer.tags.end(),
                   [](const OpenTag& a, const OpenTag& b) { return a.left > b.left; });
  return json_answer(answer);
}

Response effect_answer(Workspace& workspace, const Answers& answers, const Request& request) {
  const auto library = workspace.library();
  const Collection chosen = known_collection(*library, text(request, "collection"));
  EffectAnswer answer;
  answer.model = model_for(workspace, request, chosen);
  std::map<std::string, DecidedCount> by_tag;
  double expected = 0;
  for (const Answers::Answer& each : answers.of(chosen.name)) {
    for (DecidedCount* count : {&answer.decided, &by_tag[each.tag]})
      ++(each.right ? count->accepted : count->rejected);
    expected += each.expected;
  }
  if (const std::int64_t decided = answer.decided.accepted + answer.decided.rejected; decided > 0) {
    answer.expected = expected / static_cast<double>(decided);
    answer.right = static_cast<double>(answer.decided.accepted) / static_cast<double>(decided);
  }
  for (const auto& [tag, count] : by_tag) answer.by_tag.push_back({tag, count});
  answer.held_out =
      Json::parse(model_record(*library, answer.model).report).value("held_out", Json()).dump();
  return json_answer(answer);
}

Response suggestions_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  suggest::Options options;
  options.limit = number(request, "limit", 10, 1, 100);
  options.threshold = share(request, "threshold");
  options.explain = true;
  const auto library = workspace.library();
  const Collection chosen = known_collection(*library, path.at("c"));
  const Item item = known_item(*library, chosen, path.at("id"));
  SuggestionsAnswer answer = {model_for(workspace, request, chosen), {}};
  workspace.with_suggester(answer.model, [&](const suggest::Answerer& suggester) {
    const std::vector<std::string> ids = {item.id};
    answer.answer = suggester.ask(chosen.name, ids, options).at(0);
  });
  return json_answer(answer);
}

}  // namespace

void add_review_routes(Router& router, Workspace& workspace) {
  const auto answers = std::make_shared<Answers>();
  router.add({.method = "POST",
              .pattern = "/v1/collections/{c}/decisions",
              .handler =
                  [&workspace, answers](const Request& request, const PathValues& path) {
                    return decide_answer(workspace, *answers, request, path);
                  },
              .writes = true});
  router.add({"GET", "/v1/collections/{c}/items/{id}/suggestions",
              [&workspace](const Request& request, const PathValues& path) {
                return suggestions_answer(workspace, request, path);
              }});
  router.add(
      {"GET", "/v1/review", [&workspace, answers](const Request& request, const PathValues&) {
         return review_answer(workspace, *answers, request);
       }});
  router.add({"GET", "/v1/review/tags", [&workspace](const Request& request, const PathValues&) {
                return review_tags_answer(workspace, request);
              }});
  router.add({"GET", "/v1/review/effect",
              [&workspace, answers](const Request& request, const PathValues&) {
                return effect_answer(workspace, *answers, request);
              }});
}

}  // namespace commonplace::server
