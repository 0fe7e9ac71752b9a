#pragma once

#include "commonplace/transfer/core/bridge_choice.h"

/// What both the learning and the files of a bridge choice need.
namespace commonplace {

inline constexpr int kLinearWeights = 1 + kBridgeTraits;
inline constexpr int kQuadraticWeights = kLinearWeights + kBridgeTraits * (kBridgeTraits + 1) / 2;

/// Error unless the options are in range.
void check(const BridgeChoiceOptions& options);

}  // namespace commonplace
