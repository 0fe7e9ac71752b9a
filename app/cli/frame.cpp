#include "app/cli/frame.h"

namespace commonplace::app {

int print_answer(const Common& common, const std::string& json, const std::function<void()>& show) {
  if (common.json)
    print_line(json);
  else
    show();
  return kSuccess;
}

}  // namespace commonplace::app
