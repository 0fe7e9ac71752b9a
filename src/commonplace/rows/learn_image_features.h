#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/features/image_features.h"
#include "commonplace/rows/image_rows.h"

namespace commonplace {

/// A model learned from a collection's pictures, with what was made on the way.
struct LearnedImageModel {
  ImageFeatureModel model;
  std::unique_ptr<PartialRows> raw;  ///< raw rows of the pictures it was learned from
};

/// Learns vocabularies and axes from the pictures that can be read; `states` gets what became of
/// those that were looked at. What is unfinished is kept in `folder`. Every rank gets the same
/// model and states, rank 0 all raw rows. Error if none can be read. Collective.
LearnedImageModel learn_image_model(const std::vector<ImageSource>& sources,
                                    const ImageFeatureOptions& options,
                                    const std::filesystem::path& folder,
                                    std::vector<RowState>& states, const Run& run);

/// The model of rank 0, on every rank; the others' is not looked at.
ImageFeatureModel broadcast_model(Comm& comm, const ImageFeatureModel& model);

}  // namespace commonplace
