#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/detect/model.h"
#include "commonplace/io/npy.h"
#include "commonplace/library/library.h"

namespace commonplace {

struct DetectLearningReport {
  std::string model;  ///< its name in the library
  std::string collection;
  std::vector<std::string> features;
  std::int64_t items = 0;
  std::int64_t labelled = 0;
  std::int64_t concepts = 0;
  std::string representation;
  std::int64_t columns = 0;  ///< coordinates an item
  HeadSetting head;
  std::vector<DetectorTried> tried;
  double miap = 0;               ///< of the chosen way, on labelled items held out in turn; 0: not
  double calibration_error = 0;  ///< expected, of the confidence on them
  double seconds = 0;
};
std::string to_json(const DetectLearningReport& report);

/// Learns coordinates from stored dense features of all items of a collection, and the concepts
/// that its tags or labels name, and stores model and index under `name` (empty:
/// "detect.COLLECTION") and NAME.index. All or nothing. Error if there are no dense features. Every
/// rank has opened the library, and rank 0 for writing.
DetectLearningReport learn_detect(Library& library, const std::string& collection,
                                  const std::string& name, const DetectModelOptions& options,
                                  Comm& comm, int jobs, const Progress& progress);

struct DetectUpdate {
  std::int64_t new_items = 0;      ///< put into the index
  std::int64_t changed_items = 0;  ///< whose tags or labels say something else now
  double seconds = 0;
};
/// Brings a stored model up to date with the labels that have changed and the items that have come,
/// in its space as it is: the same as learning again in that space, without reading the other
/// items. Margins do not add up, so an SVM becomes the smooth head. Concepts that are new to the
/// collection need learning again.
DetectUpdate update_detect(Library& library, const std::string& name, Comm& comm, int jobs,
                           const Progress& progress);

/// The names in `asked`, parted by commas, or all dense features if it is empty; Error if there are
/// none.
std::vector<std::string> detect_features(const Library& library, const Collection& collection,
                                         const std::string& asked);

/// The dense features of those names, mapped. Items that have been added since they were made have
/// no rows in them.
class MappedFeatures {
 public:
  MappedFeatures(const Library& library, const Collection& collection,
                 const std::vector<std::string>& names);
  ManyFeatures views() const { return views_; }
  std::int64_t rows() const { return views_.front().rows(); }  ///< that all of them have

 private:
  std::vector<NpyMatrix> files_;
  std::vector<MatrixView> views_;
};

/// What the tags or labels of a collection say: its concepts, and of each item which it shows and
/// whether anything is known of it.
struct ConceptTable {
  std::vector<std::string> concepts;
  Sparse known;
  std::vector<std::uint8_t> shown;
};
/// Those used by `min_uses` items or more; with `concepts`, those and no others.
ConceptTable read_concepts(const Library& library, const Collection& collection,
                           const DetectModelOptions& options, std::int64_t rows,
                           const std::vector<std::string>* concepts = nullptr);

/// 1 for the concepts that an item shows, -1 for the others.
MatrixD labels_of(const Sparse& known, std::span<const std::int64_t> rows);

/// The coordinates of the items from `first` on, in a byte each, with `scales` or, if that is
/// empty, scales of their own. Each rank codes its part of them, and rank 0 gets all.
ByteRows code_items(const DetectSpace& space, ManyFeatures features, std::int64_t first,
                    std::span<const float> scales, Comm& comm, int jobs, const Progress& progress);

/// Whether an index is of these features, as far as some of its rows tell: not if items were
/// removed or features made anew since.
bool index_fits(const ByteRowsView& index, const DetectSpace& space, ManyFeatures features,
                int jobs);

std::string detect_index_name(const std::string& model);

}  // namespace commonplace
