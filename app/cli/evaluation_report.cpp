#include "app/cli/evaluation_report.h"

#include <nlohmann/json.hpp>

#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/comm/together.h"
#include "commonplace/library/evaluations.h"

namespace commonplace::app {

namespace {

void keep(const EvaluationReport& report) {
  if (!report.plot_file.empty()) write_whole(report.plot_file, report.plot());
  if (report.library.empty()) return;
  try {
    Library library(report.library, Library::Access::write);
    store_evaluation(library, {0, report.verb, report.about, report.json});
  } catch (const Error& error) {
    warn(concat("commonplace: the result is not kept in the library: ", error.what()));
  }
}

}  // namespace

int report_evaluation(const Common& common, const EvaluationReport& report,
                      const std::function<void()>& show) {
  on_first(*common.comm, [&] { keep(report); });
  if (common.json)
    print_json(nlohmann::ordered_json::parse(report.json));
  else
    show();
  return kSuccess;
}

}  // namespace commonplace::app
