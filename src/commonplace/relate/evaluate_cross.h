#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/relate/core/choice.h"

namespace commonplace::relate {

/// Pairs of two modalities of features, of which the later ones are new.
struct CrossTrial {
  Data data;               ///< modalities: first, second, label
  std::int64_t known = 0;  ///< items that are learned from; the others are asked for
};
/// Each of the files a .npy: two of features and one of a class an item, for learning and for
/// asking.
CrossTrial read_cross_trial(const std::vector<std::filesystem::path>& features,
                            const std::filesystem::path& labels,
                            const std::vector<std::filesystem::path>& test_features,
                            const std::filesystem::path& test_labels);

/// Mean average precision of finding items of the same class by the other modality of features.
struct CrossQuality {
  std::string method;
  double first_to_second = 0;
  double second_to_first = 0;
  double seconds = 0;
  std::string chosen;
};
/// All ranks have the trial, share the methods and get the same.
std::vector<CrossQuality> evaluate_cross(const CrossTrial& trial, const ModelOptions& relate,
                                         const Run& run);
std::string to_json(const std::vector<CrossQuality>& qualities);

}  // namespace commonplace::relate
