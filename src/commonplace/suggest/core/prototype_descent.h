#pragma once

#include <cstdint>
#include <span>

#include "commonplace/comm/run.h"
#include "commonplace/suggest/core/prototypes.h"

namespace commonplace::suggest {

/// Moves the prototypes, which keep their labels: see select_prototypes. Error if features x
/// prototypes are too many to hold.
void descend(const FeatureRows& items, std::span<const std::int32_t> labels,
             const PrototypeOptions& options, Prototypes& prototypes, const Run& run);

}  // namespace commonplace::suggest
