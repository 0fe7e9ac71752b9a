#pragma once

#include <functional>
#include <string>

#include "app/cli/command.h"

namespace commonplace::app {

/// What was measured, and where it goes.
struct EvaluationReport {
  std::string verb;
  std::string library;  ///< where it is kept; empty: it was measured on files
  std::string about;    ///< the collection, or what else was asked for
  std::string json;
  std::string plot_file{};  ///< empty: nothing is drawn
  std::function<std::string()> plot{};
};

/// Draws it, keeps it with its library (a library that cannot be written is told and passed over),
/// and prints it: as JSON, or for people by `show`.
int report_evaluation(const Common& common, const EvaluationReport& report,
                      const std::function<void()>& show);

}  // namespace commonplace::app
