#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/cli/frame.h"
#include "app/cli/options.h"

namespace commonplace::app {

/// What every command below `evaluate` is given.
struct EvaluateArguments : Common {
  std::string library;  ///< empty: it is measured on files
  std::string plot;     ///< empty: nothing is drawn
};

/// Draws what was measured and keeps it with its library, on rank 0. A library that cannot be
/// written is told and passed over.
void keep_evaluation(const EvaluateArguments& arguments, const std::string& verb,
                     const std::string& about, const std::string& json,
                     const std::function<std::string()>& plot);

/// Measures by evaluate(run), draws and keeps it, and prints it: to_json, or
/// show(arguments, evaluation). `about` is the collection, or what else was asked for.
template <class Arguments, class Evaluate, class Show>
int evaluate_and_report(const Arguments& arguments, const std::string& verb,
                        const std::string& about, const Evaluate& evaluate, const Show& show) {
  const auto evaluation = with_progress(arguments, evaluate);
  const std::string json = to_json(evaluation);
  keep_evaluation(arguments, verb, about, json, [&] { return evaluation_plot(evaluation); });
  return print_answer(arguments, json, [&] { show(arguments, evaluation); });
}

/// "0.412 (0.398 .. 0.427)": a value with its interval, multiplied by `scale`.
template <class Measure>
std::string with_interval(const Measure& of, int digits = 3, double scale = 1) {
  return fixed(scale * of.value, digits) + " (" + fixed(scale * of.interval.low, digits) + " .. " +
         fixed(scale * of.interval.high, digits) + ")";
}

}  // namespace commonplace::app
