#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/detect/apply.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/keep/plan.h"
#include "commonplace/keep/update.h"
#include "commonplace/library/machine/machine_runs.h"
#include "commonplace/suggest/apply.h"

namespace commonplace::app {

using commonplace::as_json;
/// Both front ends say it in the same words.
std::string keep_state_word(KeepState state);
nlohmann::ordered_json as_json(const KeepStep& step);
nlohmann::ordered_json as_json(const KeptStep& step);
/// The whole plan, with whether there is anything to do and about how long it takes.
nlohmann::ordered_json as_json(const std::vector<KeepStep>& plan);
/// What is still to do, and what was done.
nlohmann::ordered_json as_json(const std::vector<KeepStep>& plan, const std::vector<KeptStep>& did);
nlohmann::ordered_json as_json(const MachineRun& run);
nlohmann::ordered_json as_json(const detect::Applied& tags, const std::string& concept_name);
nlohmann::ordered_json as_json(const suggest::Applied& tags, const std::string& model,
                               const std::string& collection, const suggest::ApplyOptions& options);

/// "2 minutes", "40 seconds".
std::string duration_words(double seconds);

}  // namespace commonplace::app
