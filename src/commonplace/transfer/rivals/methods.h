#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/transfer/core/transitive_transfer.h"

namespace commonplace::transfer {

/// A transfer whose answer is known: sources, then those in between, then the target, all over the
/// same features.
struct Trial {
  std::vector<Sparse> rows;
  std::vector<std::vector<std::int32_t>> known;  ///< labels that may be used, -1 for none
  std::size_t sources = 1;
  std::int64_t classes = 2;
  std::vector<std::int32_t> truth;  ///< of the target; -1 where it is not known

  std::size_t target() const { return rows.size() - 1; }
};

struct TransferMethod {
  std::string name;
  std::string what;
  bool needs_bridge = false;
  bool needs_target_labels = false;
};

/// In the order in which they are shown.
const std::vector<TransferMethod>& methods();

/// Whether the method can do something with the trial.
bool is_possible(const TransferMethod& method, const Trial& trial);

/// Scores of the target's items, items x classes. Error for an unknown name.
MatrixD run_method(const std::string& name, const Trial& trial, const Options& options,
                   const Run& run, const WatchTransfer& watch = {});

}  // namespace commonplace::transfer
