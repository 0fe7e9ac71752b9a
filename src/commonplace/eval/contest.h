#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "commonplace/base/clock.h"
#include "commonplace/comm/run.h"
#include "commonplace/comm/serialise.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/plot.h"
#include "commonplace/eval/ranking_metrics.h"

namespace commonplace {

/// Rivals side by side: each runs by itself on the same trials, and what came of it is summed up by
/// method. For evaluations; nothing that learns or answers needs it.

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Interval, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measured, value, interval)

/// Runs each entry on whichever rank is free; the outcomes, by entry, on every rank. An entry is a
/// method on a trial; `make` must not call run.comm. Collective.
template <class Entry, class Make>
auto run_contest(const std::vector<Entry>& entries, const std::string& stage, const Run& run,
                 const Make& make) {
  using Outcome = decltype(make(entries[0]));
  std::vector<Outcome> outcomes;
  for (const std::string& made :
       share_work(run.comm, std::ssize(entries), [&](std::int64_t number) {
         run.progress({stage, static_cast<std::uint64_t>(number), entries.size(), "runs"});
         return serialise(make(entries[static_cast<std::size_t>(number)]));
       }))
    outcomes.push_back(deserialise<Outcome>(made));
  return outcomes;
}

/// Calls use(entry, rounds) for each method on each kind of trial, where `rounds` are the outcomes
/// of its `repeat` repetitions, which stand together.
template <class Entry, class Outcome, class Use>
void for_each_method(const std::vector<Entry>& entries, const std::vector<Outcome>& outcomes,
                     int repeat, const Use& use) {
  const auto count = static_cast<std::size_t>(repeat);
  for (std::size_t first = 0; first + count <= entries.size(); first += count)
    use(entries[first],
        std::vector<Outcome>(outcomes.begin() + static_cast<std::ptrdiff_t>(first),
                             outcomes.begin() + static_cast<std::ptrdiff_t>(first + count)));
}

/// The mean over the repetitions, or of one repetition over its values, with the 95 % interval.
template <class Outcome>
Measured measured_over(const std::vector<Outcome>& rounds, std::vector<double> Outcome::*values) {
  if (rounds.size() == 1) return measured(rounds[0].*values);
  std::vector<double> means;
  for (const Outcome& each : rounds) means.push_back(mean(each.*values));
  return measured(means);
}

/// A measure in a report: value, low and high.
inline nlohmann::ordered_json measured_json(const Measured& of) {
  return {{"value", of.value}, {"low", of.interval.low}, {"high", of.interval.high}};
}

/// A point of a chart.
struct ChartPoint {
  double x = 0;
  double y = 0;
  std::optional<Interval> band{};
};

/// One line a method through `point` of each of its results.
template <class Results, class Point>
std::vector<Series> lines_by_method(const Results& results, const Point& point) {
  std::vector<Series> lines;
  for (const auto& each : results) {
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const Series& other) { return other.name == each.method; });
    if (line == lines.end()) line = lines.insert(line, Series{each.method, {}, {}, {}, {}});
    const ChartPoint at = point(each);
    line->x.push_back(at.x);
    line->y.push_back(at.y);
    if (!at.band) continue;
    line->low.push_back(at.band->low);
    line->high.push_back(at.band->high);
  }
  return lines;
}

/// Whether lines show anything: some differ in x.
inline bool is_varied(const std::vector<Series>& lines) {
  return std::any_of(lines.begin(), lines.end(), [&](const Series& line) {
    return std::any_of(line.x.begin(), line.x.end(),
                       [&](double x) { return x != lines.front().x.front(); });
  });
}

}  // namespace commonplace
