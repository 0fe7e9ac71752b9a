#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commonplace/base/clock.h"
#include "commonplace/comm/comm.h"
#include "commonplace/io/safetensors.h"

namespace commonplace {

/// Where a long fit keeps how far it has come.
struct CheckpointOptions {
  std::filesystem::path folder{};  ///< that all ranks share; empty: nothing is kept
  double seconds = 60;             ///< between one time and the next; 0: after every iteration
};

/// The state of an iterative fit on disk: it can be stopped at any moment, killed too, and goes on
/// from there to the result that it would have had. Each rank keeps its own part in a file of its
/// own; the newest state of which all ranks have their part counts. All calls are collective.
class Checkpoint {
 public:
  /// `name` is the fit's own folder in that of `options`. `key` says what this rank fits, by its
  /// options and what they are fitted to: a state of another key is an Error.
  Checkpoint(const CheckpointOptions& options, const std::string& name, std::string key,
             Comm& comm);

  /// This rank's part of the state that was kept; nothing if there is none. Error if it was kept by
  /// another number of ranks, is of another key, or is damaged.
  std::optional<TensorFile> resume();
  /// Whether it is time to keep the state; always after the `last` iteration.
  bool due(bool last) const;
  /// Keeps this rank's part of the state after `iteration`.
  void keep(int iteration, TensorWriter part);

 private:
  std::filesystem::path file_of(const std::string& iteration, int rank) const;
  /// The file that names the newest whole state: its iteration, a blank, the number of ranks.
  std::filesystem::path latest() const;

  std::filesystem::path folder_;  ///< of this fit alone; empty: nothing is kept
  std::string key_;
  Comm& comm_;
  double seconds_;
  Clock::time_point kept_at_;
  std::string kept_;  ///< the iteration whose state is on disk; empty: none
};

/// Removes what the fit `name` has kept, when its result is safe. For one rank to call.
void forget_checkpoint(const CheckpointOptions& options, const std::string& name);

}  // namespace commonplace
