#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/relate/model.h"

namespace commonplace::relate {

struct LearnedModality {
  std::string name;
  std::int64_t nodes = 0;
  std::int64_t linked = 0;  ///< of which guidance says something
  std::string features;     ///< what they are compared by
  ModalitySetting setting;
  double quality = 0;  ///< nDCG of these nodes for items held out; 0 where it was not tried
};

struct Report {
  std::string model;  ///< its name in the library
  std::vector<LearnedModality> modalities;
  std::int64_t links = 0;  ///< pairs of nodes that guidance says something of
  std::int64_t dim = 0;
  double largest_residual = 0;
  int rounds = 0;
  bool converged = false;
  double quality = 0;  ///< nDCG of what was asked for, of items held out; 0: too few to try
  std::string asked;
  std::vector<TuningTrial> tried;
  double seconds = 0;
};
std::string to_json(const Report& report);

/// Learns one space for what `options` name and stores the model under `name` (empty: "relate").
/// All or nothing. Each rank has the library; rank 0 writes to it, and all get its report.
Report learn(Library& library, const std::string& name, const ModelOptions& options,
             const Run& run);

/// Brings a stored model up to date with new items, tags, decisions and links: with its kernels,
/// landmarks, ridges and rules as they are, and the solver starting from its space.
Report update(Library& library, const std::string& name, const Run& run);

}  // namespace commonplace::relate
