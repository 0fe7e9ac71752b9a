#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/library.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/suggest/ask.h"
#include "commonplace/suggest/core/review_questions.h"

namespace commonplace::suggest {

enum class ReviewOrder {
  confident,  ///< surest first, of equally sure ones by their scores
  uncertain,  ///< nearest to even chances first
  useful,     ///< the same, but of a tag or an item that was asked about already, later ones
  tag,        ///< tag by tag, within one the surest first
};
/// By its name; Error for another.
ReviewOrder review_order(const std::string& name);

struct ReviewOptions {
  ReviewOrder order = ReviewOrder::confident;
  std::string tag{};                  ///< only this tag, as the model knows it; empty: all
  std::optional<double> threshold{};  ///< least confidence; none: what suits the order
  std::int64_t limit = 0;             ///< at most so many entries; 0: all
};

/// One question: does the item deserve the tag?
struct ReviewEntry {
  std::string id;
  std::string title;
  std::string snippet;            ///< the beginning of its text, on one line
  std::string image;              ///< where it is; empty: none
  std::vector<std::string> tags;  ///< that it has
  std::string tag;                ///< that is suggested
  double confidence = 0;
  bool explained = false;  ///< reasons were asked for
  Reasons reasons;
};
template <class Visit>
void visit_fields(const ReviewEntry& entry, Visit&& visit) {
  visit("id", entry.id, "of the item");
  visit("title", entry.title, "for people");
  visit("text", entry.snippet, "the beginning of its text");
  visit("image", entry.image, "where its picture is");
  visit("tags", entry.tags, "that it has");
  visit("suggestion", entry.tag, "the tag in question");
  visit("confidence", entry.confidence, "that it fits");
  visit.where(entry.explained, "reasons", entry.reasons, "why");
}

struct ReviewCounts {
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
  std::int64_t skipped = 0;

  std::int64_t decided() const { return accepted + rejected; }
  bool operator==(const ReviewCounts&) const = default;
};

/// A suggestion that is a question.
struct ReviewCandidate {
  std::string id;
  std::string tag;
  double confidence = 0;  ///< that the answer is yes, as far as is known before any
  double score = 0;
  double claimed = 0;   ///< what the model says, of an item whose tags were all kept back
  bool tagged = false;  ///< people gave the item tags, and left this one out
};

/// All questions about a collection, in their order. O(items). Error for a tag that the model does
/// not know, with those that are spelt like it.
std::vector<ReviewCandidate> review_candidates(const Answerer& suggester,
                                               const std::string& collection,
                                               const ReviewOptions& options, const Run& run);

/// The beginning of a text, on one line.
std::string snippet_of(const std::string& text);

/// The suggestions for a collection, to be answered one after the other. Every answer is stored at
/// once and taught to the model in memory, so that a process that ends at any moment loses nothing.
/// The order is that of the model at the beginning; confidence and reasons are of the model as it
/// has become.
class ReviewQueue {
 public:
  /// Asks the model for all items, O(items). The library and the suggester must outlive the queue.
  /// Error for a tag that the model does not know, with those that are spelt like it.
  ReviewQueue(Library& library, Answerer& suggester, const std::string& collection,
              const ReviewOptions& options, const Run& run);

  /// How many are not answered yet; some of them may fall away.
  std::int64_t left() const { return std::ssize(queue_); }
  /// The entry so many places behind the next one, as it was found; nothing beyond the end.
  std::optional<ReviewEntry> look(std::int64_t behind, bool explain);
  /// The entry to answer, the same until that is done; nothing at the end. What an answer has made
  /// pointless (a level above a tag that was accepted) is passed over.
  const ReviewEntry* next();

  /// Answers to next(); Error if there is nothing to answer.
  void accept() { answer(Verdict::accepted); }
  void reject() { answer(Verdict::rejected); }
  void skip() { answer(Verdict::withdrawn); }
  /// Takes the last answer back, by a decision that says so, and asks again. False if there is
  /// none.
  bool undo();

  const ReviewCounts& counts() const { return counts_; }
  /// By the tag; those without an answer are left out.
  const std::map<std::string, ReviewCounts>& counts_by_tag() const { return by_tag_; }
  /// What the model has learned since the beginning.
  const Update& learned() const { return learned_; }
  /// Stores the model if it has learned anything since it was stored; true if it was stored.
  bool keep();

 private:
  struct Answered {
    ReviewCandidate candidate;
    Verdict verdict;  ///< withdrawn: skipped
  };
  void answer(Verdict verdict);
  void store(const ReviewCandidate& candidate, Verdict verdict);
  void count(const std::string& tag, Verdict verdict, std::int64_t by);
  ReviewEntry read(const ReviewCandidate& candidate);

  Library& library_;
  Answerer& suggester_;
  Collection collection_;
  AnswerCalibration calibration_;
  std::deque<ReviewCandidate> queue_;
  std::optional<ReviewEntry> current_;
  std::optional<ItemReader> reader_;  ///< knows the decisions of when it was made
  std::vector<Answered> answers_;
  ReviewCounts counts_;
  std::map<std::string, ReviewCounts> by_tag_;
  Update learned_;
};

}  // namespace commonplace::suggest
