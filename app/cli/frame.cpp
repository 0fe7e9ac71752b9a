#include "app/cli/frame.h"

#include <nlohmann/json.hpp>

namespace commonplace::app {

int print_answer(const Common& common, const std::string& json, const std::function<void()>& show) {
  if (common.json)
    print_json(nlohmann::ordered_json::parse(json));
  else
    show();
  return kSuccess;
}

}  // namespace commonplace::app
