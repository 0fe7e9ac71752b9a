#pragma once

#include <span>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/relate/core/data.h"

namespace commonplace::relate {

/// Reads what `options` name. Items whose features are all zero, such as pictures that could not be
/// read, have none. `texts`, if there are any, are the text models of the modalities, in their
/// order, to be used as they are. Error, saying what there is, if something is not there.
/// Collective.
Data read_data(const Library& library, const ReadOptions& options, const Run& run,
               std::span<const TfidfModel> texts = {});

/// Error on every rank unless all have read the same. Collective.
void require_same_data(const Library& library, const Data& data, Comm& comm);

/// The modalities that are meant by `options.collections`.
std::vector<Modality> related_modalities(const Library& library, const std::string& collections);

}  // namespace commonplace::relate
