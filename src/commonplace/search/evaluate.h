#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/library/library.h"
#include "commonplace/search/model.h"

namespace commonplace::search {

struct EvaluationOptions {
  double hide = 0.5;           ///< share of the target's tags that are hidden and asked for
  int repeat = 1;              ///< with so many different choices of what is hidden
  std::int64_t queries = 150;  ///< ask for so many tags
  std::int64_t least = 5;      ///< that at least so many items have
  std::string judgements{};    ///< a file "query TAB item id" a line, instead of hiding tags
  std::string same_source{};   ///< a collection of the target's own source, for that baseline
  bool sweep = true;           ///< also every tenth of the topics in common, from none to all
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, EvaluationOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("hide", options.hide, "share of the target's tags that are hidden and asked for");
  visit("repeat", options.repeat, "repeat with so many different choices of what is hidden");
  visit("queries", options.queries, "ask for so many tags");
  visit("min_uses|least", options.least, "ask for tags that at least so many items have");
  visit("judgements", options.judgements, "a file 'query TAB item id' a line, instead of hiding");
  visit("same_source", options.same_source, "a collection of the target's own source to compare");
  visit("sweep", options.sweep, "also share from none to all of the topics");
}

/// Means are over the asked tags, and their 95 % intervals over the repetitions if there are
/// several, otherwise over the asked tags.
struct MethodQuality {
  std::string method;
  int shared = -1;  ///< topics in common, in the sweep; -1: not a member of it
  Measured map;
  Measured missing_map;            ///< of the items that do not show the tag, see Quality
  Measured precision_at_recall;    ///< at recall 0.1
  Measured precision_at;           ///< of the first 10
  std::array<double, 11> curve{};  ///< interpolated precision at recall 0, 0.1, .. 1
};

struct Evaluation {
  std::int64_t items = 0;  ///< of the target; a random 50,000 if there are more
  std::int64_t terms = 0;
  double asked = 0;  ///< tags asked for, on average
  std::vector<MethodQuality> methods;
  /// The chosen model minus the own words and minus the word-to-word ridge, in mean average
  /// precision.
  Measured over_words;
  Measured over_ridge;
  double borrowed = 0;  ///< share of the repetitions in which borrowing was chosen
};

/// Hides tags of the target and asks for them, by every method. Changes nothing in the library.
/// Each repetition is done by one rank, whichever is free.
Evaluation evaluate(const Library& library, const std::string& target,
                    const std::vector<std::string>& auxiliaries, const ModelOptions& model,
                    const EvaluationOptions& options, const Run& run);

std::string to_json(const Evaluation& evaluation);

/// The curves of precision against recall, and quality against topics in common, as SVG.
std::string evaluation_plot(const Evaluation& evaluation);

}  // namespace commonplace::search
