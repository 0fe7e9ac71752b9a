#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/detect/apply.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/keep/plan.h"
#include "commonplace/keep/update.h"
#include "commonplace/library/machine_runs.h"

namespace commonplace::app {

using commonplace::as_json;
/// Both front ends say it in the same words.
std::string keep_state_word(KeepState state);
nlohmann::ordered_json as_json(const KeepStep& step);
nlohmann::ordered_json as_json(const KeptStep& step);
/// The whole plan, with whether there is anything to do and about how long it takes.
nlohmann::ordered_json as_json(const std::vector<KeepStep>& plan);
nlohmann::ordered_json as_json(const MachineRun& run);
nlohmann::ordered_json as_json(const detect::Applied& tags, const std::string& concept_name);

/// "2 minutes", "40 seconds".
std::string duration_words(double seconds);

}  // namespace commonplace::app
