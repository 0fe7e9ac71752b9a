#pragma once

#include <functional>
#include <iostream>
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

/// Error if what will be measured could not be drawn into the file that was named.
void check_plot(const EvaluateArguments& arguments);
/// Keeps what was measured with its library, on rank 0. A library that cannot be written is told
/// and passed over.
void keep_evaluation(const EvaluateArguments& arguments, const std::string& verb,
                     const std::string& about, const std::string& json);
/// Draws what was measured, if that is wanted, on rank 0.
void draw_evaluation(const EvaluateArguments& arguments, const std::function<std::string()>& plot);

/// Measures by evaluate(run), prints it: to_json, or show(arguments, evaluation), and only then
/// keeps and draws it, so that nothing that takes minutes is lost to a full disk. `about` is the
/// collection, or what else was asked for.
template <class Arguments, class Evaluate, class Show>
int evaluate_and_report(const Arguments& arguments, const std::string& verb,
                        const std::string& about, const Evaluate& evaluate, const Show& show) {
  check_plot(arguments);
  const auto evaluation = with_progress(arguments, evaluate);
  const std::string json = to_json(evaluation);
  const int code = print_answer(arguments, json, [&] { show(arguments, evaluation); });
  std::cout.flush();
  keep_evaluation(arguments, verb, about, json);
  draw_evaluation(arguments, [&] { return evaluation_plot(evaluation); });
  return code;
}

/// "0.412 (0.398 .. 0.427)": a value with its interval, multiplied by `scale`.
template <class Measure>
std::string with_interval(const Measure& of, int digits = 3, double scale = 1) {
  return fixed(scale * of.value, digits) + " (" + fixed(scale * of.interval.low, digits) + " .. " +
         fixed(scale * of.interval.high, digits) + ")";
}

}  // namespace commonplace::app
