#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/detect/ask.h"
#include "commonplace/eval/confidence.h"
#include "commonplace/library/library.h"

namespace commonplace::detect {

struct ApplyOptions {
  std::optional<double> above{};  ///< least probability, in [0, 1]
  std::int64_t first = 0;         ///< or so many items, the best; 0: by `above`
  bool dry_run = false;           ///< find out and write nothing
};

/// How far the probability of a concept can be trusted: it was fitted to scores of answered items
/// by a concept that was taught without their answers, in turn.
struct Calibration {
  std::int64_t answers = 0;      ///< examples, and accepted and rejected tags
  std::int64_t right = 0;        ///< of them, that show it
  std::int64_t above = 0;        ///< whose probability is at least the threshold
  std::int64_t above_right = 0;  ///< of those, that show it
  double low = 0;                ///< 95 % interval of the share that is right above it
  double high = 1;
  bool held_out = false;  ///< there were enough answers to hold some out
};

struct Applied {
  std::string model;        ///< the name that the tags are given under: concept.COLLECTION.CONCEPT
  std::int64_t run = 0;     ///< its number; 0: nothing was written
  std::int64_t items = 0;   ///< that were ranked
  std::int64_t before = 0;  ///< tags that it had given before, now replaced
  double least = 0;         ///< the least score that was enough
  Calibration calibration;
  struct Tag {
    std::string item;
    double probability = 0;
    double score = 0;
  };
  std::vector<Tag> tags;  ///< the surest first
};

/// The name under which a concept's tags are given, so that they can be taken back for themselves.
std::string tags_name(const std::string& collection, const std::string& concept_name);

/// What teaches a concept: its lessons, and what was accepted and rejected as its tag since.
std::vector<Lesson> answers_of(const Library& library, const std::string& collection,
                               const std::string& concept_name);

/// Gives the items of the greatest probability, or the first so many, the concept as a machine's
/// tag, in place of what it gave before; all or nothing. Items that have the tag from people, or
/// for which it was rejected, get none. Error if both or neither way is asked for.
Applied apply(Library& library, const Answerer& finder, const std::string& concept_name,
              const ApplyOptions& options, const Run& run);

/// Gives it to those of `items` that score at least `least`, beside what was given before.
Applied apply_to(Library& library, const Answerer& finder, const std::string& concept_name,
                 double least, const std::vector<std::string>& items, const std::string& settings,
                 const Run& run);

}  // namespace commonplace::detect
