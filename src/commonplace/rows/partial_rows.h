#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"
#include "commonplace/io/safetensors.h"

namespace commonplace {

/// Rows that take long to make, kept on disk block by block until all are there, so that work that
/// was interrupted goes on where it stopped. A row is found by the fingerprint of what it was made
/// of, never by its place, and only in files that were written for the same `key`, which stands for
/// how it was made: what has changed meanwhile is not found. Files that are damaged or of another
/// key are removed when they are met.
///
/// The ranks of one run share the folder. At the start all have what any earlier run left, of
/// however many ranks; then each adds files of its own, that the others do not see until `join`.
class PartialRows {
 public:
  /// Collective.
  PartialRows(std::filesystem::path folder, std::string prefix, std::string key,
              std::int64_t columns, Comm& comm);

  bool has(std::uint64_t fingerprint) const { return places_.contains(fingerprint); }
  /// The row, or why there is none; a fingerprint that it has.
  std::span<const float> row(std::uint64_t fingerprint) const;
  const std::string& problem(std::uint64_t fingerprint) const;
  std::int64_t columns() const { return columns_; }

  /// Writes one block, one row for each fingerprint; `problems` are empty where all went well.
  void add(const std::vector<std::uint64_t>& fingerprints, const Matrix& rows,
           const std::vector<std::string>& problems);

  /// Rank 0 gets what all ranks have added. Collective.
  void join(Comm& comm);

 private:
  struct Place {
    std::size_t block;
    std::int64_t row;
  };
  struct Block {
    TensorFile file;
    std::vector<std::string> problems;
  };
  void open(const std::string& name);

  std::filesystem::path folder_;
  std::string own_folder_;  ///< of this rank's files, below folder_; empty for rank 0
  std::string prefix_;
  std::string key_;
  std::int64_t columns_;
  std::vector<Block> blocks_;
  std::int64_t next_ = 0;           ///< number for the next file
  std::vector<std::string> added_;  ///< names of this rank's new files
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace commonplace
