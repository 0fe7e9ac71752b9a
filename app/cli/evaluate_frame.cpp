#include "app/cli/evaluate_frame.h"

#include "commonplace/base/error.h"
#include "commonplace/comm/together.h"
#include "commonplace/library/evaluations.h"

namespace commonplace::app {

void keep_evaluation(const EvaluateArguments& arguments, const std::string& verb,
                     const std::string& about, const std::string& json,
                     const std::function<std::string()>& plot) {
  on_first(*arguments.comm, [&] {
    if (!arguments.plot.empty()) write_whole(arguments.plot, plot());
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
