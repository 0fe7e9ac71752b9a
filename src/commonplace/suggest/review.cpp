#include "commonplace/suggest/review.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "commonplace/base/characters.h"
#include "commonplace/base/edit_distance.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/tag_name.h"

namespace commonplace::suggest {
namespace {

/// Of one item, as more than this is hardly what a person would read.
constexpr std::int64_t kMostPerItem = 10;
/// Far from even chances nothing is uncertain.
constexpr double kLeastUncertain = 0.25;
constexpr std::size_t kSnippet = 400;
constexpr std::size_t kNearTags = 5;

/// The tags that are spelt most like `wanted`, or contain it.
std::vector<std::string> near_tags(const std::vector<std::string>& tags,
                                   const std::string& wanted) {
  const std::string key = tag_key(wanted);
  const std::size_t most = std::max<std::size_t>(1, key.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& tag : tags) {
    const std::string other = tag_key(tag);
    const std::size_t distance =
        other.find(key) != std::string::npos ? 1 : edit_distance(key, other, most);
    if (distance <= most) near.emplace_back(distance, tag);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(near.size(), kNearTags); ++i)
    names.push_back(near[i].second);
  return names;
}

/// The tag as the model has it.
std::string tag_of_model(const Answerer& suggester, const std::string& written) {
  const Model& model = suggester.model();
  const std::string name = rejected_by(model.control, tag_name(written));
  for (const std::string& tag : model.tags)
    if (tag_key(tag) == tag_key(name)) return tag;
  const std::string near = join(near_tags(model.tags, name));
  fail("the model '", suggester.name(), "' does not suggest '", written, "'; ",
       near.empty() ? concat("it knows ", model.tags.size(), " tags, none of them like it")
                    : "there are: " + near);
}

Options suggest_options(const Answerer& suggester, const ReviewOptions& options) {
  Options result;
  result.limit = kMostPerItem;
  result.threshold = options.threshold;
  const bool unsure =
      options.order == ReviewOrder::uncertain || options.order == ReviewOrder::useful;
  if (unsure && !result.threshold)
    result.threshold = std::min(suggester.model().suggester.threshold, kLeastUncertain);
  if (!options.tag.empty()) result.only = tag_of_model(suggester, options.tag);
  return result;
}

void put_in_order(ReviewOrder order, std::vector<ReviewCandidate>& found) {
  if (order == ReviewOrder::useful) {
    std::unordered_map<std::string, std::int64_t> items;
    std::unordered_map<std::string, std::int64_t> tags;
    std::vector<ReviewQuestion> questions;
    for (const ReviewCandidate& each : found)
      questions.push_back({items.emplace(each.id, std::ssize(items)).first->second,
                           tags.emplace(each.tag, std::ssize(tags)).first->second, each.confidence,
                           each.tagged});
    std::vector<ReviewCandidate> ordered;
    for (const std::size_t i : useful_order(questions)) ordered.push_back(std::move(found[i]));
    found = std::move(ordered);
    return;
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](const ReviewCandidate& a, const ReviewCandidate& b) {
                     if (order == ReviewOrder::tag && a.tag != b.tag) return a.tag < b.tag;
                     const double far_a = std::abs(a.confidence - 0.5);
                     const double far_b = std::abs(b.confidence - 0.5);
                     if (order == ReviewOrder::uncertain && far_a != far_b) return far_a < far_b;
                     if (order != ReviewOrder::uncertain && a.confidence != b.confidence)
                       return a.confidence > b.confidence;
                     return a.score > b.score;
                   });
}

std::int64_t& count_of(ReviewCounts& counts, Verdict verdict) {
  return verdict == Verdict::accepted   ? counts.accepted
         : verdict == Verdict::rejected ? counts.rejected
                                        : counts.skipped;
}

}  // namespace

ReviewOrder review_order(const std::string& name) {
  if (name == "confident") return ReviewOrder::confident;
  if (name == "uncertain") return ReviewOrder::uncertain;
  if (name == "useful") return ReviewOrder::useful;
  if (name == "tag") return ReviewOrder::tag;
  fail("the order '", name, "' is not known; give confident, uncertain, useful or tag");
}

std::string snippet_of(const std::string& text) {
  // White space is made one blank, so that somewhat more has to be read.
  const std::string line = tidy(std::string(shortened(text, 4 * kSnippet)));
  const std::string shown(shortened(line, kSnippet));
  return shown.size() < line.size() || text.size() > 4 * kSnippet ? shown + "…" : shown;
}

std::vector<ReviewCandidate> review_candidates(const Answerer& suggester,
                                               const std::string& collection,
                                               const ReviewOptions& options, const Run& run) {
  require(options.limit >= 0, "the limit is ", options.limit, "; expected 1 or more, or 0 for all");
  std::vector<ReviewCandidate> found;
  const AnswerCalibration usual;
  std::unordered_set<std::string> tagged;
  if (collection == suggester.collection())
    tagged.insert(suggester.model().known_ids.begin(), suggester.model().known_ids.end());
  suggester.ask_all(
      collection, suggest_options(suggester, options),
      [&](std::int64_t, const std::string& id, const Answer& answer) {
        for (const Suggestion& each : answer.suggestions)
          found.push_back({id, each.tag, usual(each.confidence, tagged.contains(id)), each.score,
                           each.confidence, tagged.contains(id)});
      },
      run);
  put_in_order(options.order, found);
  if (options.limit > 0 && std::ssize(found) > options.limit)
    found.resize(static_cast<std::size_t>(options.limit));
  return found;
}

ReviewQueue::ReviewQueue(Library& library, Answerer& suggester, const std::string& collection,
                         const ReviewOptions& options, const Run& run)
    : library_(library),
      suggester_(suggester),
      collection_(commonplace::collection(library, collection)) {
  std::vector<ReviewCandidate> found = review_candidates(suggester, collection, options, run);
  queue_.assign(std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

ReviewEntry ReviewQueue::read(const ReviewCandidate& candidate) {
  if (!reader_) reader_.emplace(library_, collection_);
  const std::optional<Item> item = reader_->find(candidate.id);
  require(item.has_value(), "the item '", candidate.id, "' is gone; begin the review again");
  ReviewEntry entry;
  entry.id = item->id;
  entry.title = item->title;
  entry.snippet = snippet_of(item->text);
  entry.image = image_location(collection_, *item);
  for (const ItemTag& tag : item->tags) entry.tags.push_back(tag.name);
  entry.tag = candidate.tag;
  entry.confidence = calibration_(candidate.claimed, candidate.tagged);
  return entry;
}

std::optional<ReviewEntry> ReviewQueue::look(std::int64_t behind, bool explain) {
  if (behind < 0 || behind >= left()) return std::nullopt;
  const ReviewCandidate& candidate = queue_[static_cast<std::size_t>(behind)];
  ReviewEntry entry = read(candidate);
  if (!explain) return entry;
  Options options;
  options.threshold = 0;
  options.only = candidate.tag;
  options.explain = true;
  const Answer answer = suggester_.ask(collection_.name, std::span(&candidate.id, 1), options)[0];
  if (answer.suggestions.empty()) return std::nullopt;
  entry.confidence = calibration_(answer.suggestions[0].confidence, candidate.tagged);
  entry.explained = answer.suggestions[0].explained;
  entry.reasons = answer.suggestions[0].reasons;
  return entry;
}

const ReviewEntry* ReviewQueue::next() {
  while (!current_ && !queue_.empty()) {
    current_ = look(0, true);
    if (!current_) queue_.pop_front();
  }
  // A reader holds on to the library as it was, and an answer may be long in coming.
  reader_.reset();
  return current_ ? &*current_ : nullptr;
}

void ReviewQueue::store(const ReviewCandidate& candidate, Verdict verdict) {
  reader_.reset();
  decide(library_, collection_, {{candidate.id, candidate.tag, verdict, ""}});
  const Update update = suggester_.refresh();
  learned_.new_items += update.new_items;
  learned_.changed_items += update.changed_items;
  learned_.new_tags += update.new_tags;
  learned_.seconds += update.seconds;
}

void ReviewQueue::count(const std::string& tag, Verdict verdict, std::int64_t by) {
  count_of(counts_, verdict) += by;
  ReviewCounts& of_tag = by_tag_[tag];
  count_of(of_tag, verdict) += by;
  if (of_tag == ReviewCounts()) by_tag_.erase(tag);
}

void ReviewQueue::answer(Verdict verdict) {
  require(next() != nullptr, "there is nothing left to answer");
  if (verdict != Verdict::withdrawn) {
    calibration_.note(queue_.front().claimed, queue_.front().tagged, verdict == Verdict::accepted);
    store(queue_.front(), verdict);
  }
  count(queue_.front().tag, verdict, 1);
  answers_.push_back({std::move(queue_.front()), verdict});
  queue_.pop_front();
  current_.reset();
}

bool ReviewQueue::undo() {
  if (answers_.empty()) return false;
  const Answered& last = answers_.back();
  if (last.verdict != Verdict::withdrawn) store(last.candidate, Verdict::withdrawn);
  count(last.candidate.tag, last.verdict, -1);
  queue_.push_front(last.candidate);
  answers_.pop_back();
  current_.reset();
  return true;
}

bool ReviewQueue::keep() {
  return (learned_.any() || suggester_.update().any()) && suggester_.keep(library_);
}

}  // namespace commonplace::suggest
