#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/seen_classes.h"
#include "commonplace/rows/shared_encoder.h"
#include "commonplace/search/core/vector_index.h"
#include "commonplace/search/meaning.h"

namespace commonplace::search {

/// A collection made ready for being searched by meaning; derived data, like Index.
struct MeaningIndex {
  std::string state;                 ///< of the collection, its features and the model
  std::vector<VectorIndex> vectors;  ///< per way: items that have features, in the order of rows
};

/// The model of a collection, if it has one.
std::optional<ModelRecord> meaning_record(const Library& library, const std::string& collection);
/// Changes whenever a search by meaning may answer otherwise; "" without a model.
std::string meaning_state(const Library& library, const Collection& collection);

/// A collection open for being searched by meaning. Several threads may ask at once.
class MeaningSearcher {
 public:
  /// Makes the index if the stored one is out of date.
  MeaningSearcher(const Library& library, const Collection& collection, const ModelRecord& record,
                  const Run& run);

  /// What each way says of each item: 0 for what does not fit, else up to its weight.
  struct Found {
    std::vector<float> scores;  ///< all ways together, per item; empty if nothing fits
    /// Per way: how likely it is that the item fits, by its row; only of those that do.
    std::vector<std::vector<float>> fits;
    std::string problem;  ///< why a way could not be asked; empty if all could
  };
  Found ask(const std::string& text, std::int64_t items, int jobs) const;

  /// Names of classes that were seen in an item's picture, nearest to what is asked first.
  std::vector<std::string> seen(const std::string& text, std::int64_t row) const;

  const MeaningModel& model() const { return model_; }
  bool index_is_new() const { return index_is_new_; }
  void keep_index(Library& library) const;

 private:
  Eigen::RowVectorXf encode(std::size_t way, const std::string& text) const;

  MeaningModel model_;
  std::string record_name_;
  MeaningIndex index_;
  bool index_is_new_ = false;
  mutable std::vector<std::shared_ptr<SharedEncoder>> encoders_;  ///< per way, once asked
  std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
  Sparse seen_;  ///< items x classes
};

/// Makes the index anew.
MeaningIndex make_meaning_index(const Library& library, const Collection& collection,
                                const MeaningModel& model, const Run& run);
/// Stores a model with its index.
void store_meaning(Library& library, const Collection& collection, const MeaningModel& model,
                   MeaningIndex index);
/// Keeps an index beside its model.
void store_meaning_index(Library& library, const std::string& model, const MeaningIndex& index);

}  // namespace commonplace::search
