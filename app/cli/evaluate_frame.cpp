#include "app/cli/evaluate_frame.h"

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/library/stored/evaluations.h"

namespace commonplace::app {

void check_plot(const EvaluateArguments& arguments) {
  if (arguments.plot.empty()) return;
  on_root(*arguments.comm, [&] { check_writable(arguments.plot); });
}

void draw_evaluation(const EvaluateArguments& arguments, const std::function<std::string()>& plot) {
  if (arguments.plot.empty()) return;
  on_root(*arguments.comm, [&] { write_whole(arguments.plot, plot()); });
}

void keep_evaluation(const EvaluateArguments& arguments, const std::string& verb,
                     const std::string& about, const std::string& json) {
  on_root(*arguments.comm, [&] {
    if (arguments.library.empty()) return;
    try {
      Library library(arguments.library, Library::Access::write);
      store_evaluation(library, {0, verb, about, json});
    } catch (const Error& error) {
      warn(concat("commonplace: the result is not kept in the library: ", error.what()));
    }
  });
}

}  // namespace commonplace::app
