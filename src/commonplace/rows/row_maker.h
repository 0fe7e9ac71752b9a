#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/rows/image_rows.h"
#include "commonplace/rows/image_sources.h"
#include "commonplace/rows/row_table.h"

namespace commonplace {

/// Makes the rows of a feature by item: the frame that whatever makes them shares. It knows what is
/// stored of an earlier run, which of that still holds, and what is left to do.
class RowMaker {
 public:
  /// Collective: Error unless all ranks see the same collection.
  RowMaker(Library& library, const Collection& collection, const std::string& name, const Run& run);

 protected:
  struct Stored {
    FeatureRecord record;
    RowTable table;
  };

  bool is_first() const { return run_.comm.rank() == 0; }
  /// The stored rows and what they were made of, if the model of that fingerprint made them.
  /// `source` is what their record says then, by the digest of the table.
  std::optional<Stored> stored(const std::string& fingerprint, std::int64_t columns,
                               const std::function<std::string(const std::string&)>& source) const;
  /// Sets the state of the first `count` rows from the table where the picture's file is the same
  /// still, or cannot be read now. Collective.
  void keep_pictures(const RowTable& table, std::int64_t count);
  /// Counts the rows that hold and are of something, and remembers whether nothing is left to do.
  std::int64_t count_kept(const FeatureRecord& record);
  /// The rows that are not done.
  std::vector<std::int64_t> rest() const;
  /// How many rows are of something.
  std::int64_t made() const;
  /// Adds row `i` to `skipped`, if it has a problem or its file is away.
  void add_skipped(std::size_t i, std::vector<SkippedItem>& skipped) const;
  /// Stores what the rows are made of, and returns its digest.
  std::string store_made(const std::string& fingerprint);
  /// Calls `store` on rank 0, removes there what was unfinished, and returns the record to all.
  /// Collective.
  FeatureRecord finish(const std::function<FeatureRecord()>& store);

  Library& library_;
  const Collection& collection_;
  std::string name_;
  std::string model_name_;
  Run run_;
  std::filesystem::path folder_;  ///< of what is unfinished
  std::vector<ImageSource> sources_;
  std::vector<RowState> states_;
  std::vector<bool> done_;  ///< the stored row holds
  bool unchanged_ = false;
  std::optional<FeatureRecord> kept_record_;
};

}  // namespace commonplace
