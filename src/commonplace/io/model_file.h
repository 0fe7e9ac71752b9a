#pragma once

#include <string>

#include "commonplace/io/safetensors.h"

namespace commonplace {

/// What a model file says about itself in `__metadata__`, besides what TensorWriter adds: "kind"
/// (which learner or feature), "layout" (the version, from 1, of the tensors of that kind) and
/// "options" (the options it was trained with, as JSON text).
void describe_model(TensorWriter& writer, const std::string& kind, int layout,
                    const std::string& options);

/// The layout of a model file of `kind`; Error if it is of another kind, was not written by
/// Commonplace, or has a layout newer than `max_layout`.
int require_kind(const TensorFile& file, const std::string& kind, int max_layout);

}  // namespace commonplace
