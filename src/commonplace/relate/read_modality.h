#pragma once

#include <cstdint>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/relate/core/data.h"

namespace commonplace::relate {

/// Fills a modality whose name, kernel and features are set with what the collection has of it. A
/// text model that is there is used, else one is learned. Error if the collection has nothing of
/// it. Collective.
void read_modality(ModalityRows& modality, const Library& library, const Collection& source,
                   std::int64_t min_uses, const Run& run);

}  // namespace commonplace::relate
