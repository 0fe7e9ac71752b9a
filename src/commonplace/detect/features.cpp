#include "commonplace/detect/features.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace::detect {

std::vector<std::string> detect_features(const Library& library, const Collection& collection,
                                         const std::string& asked) {
  if (!asked.empty()) return split(asked);
  std::vector<std::string> names;
  for (const FeatureRecord& record : feature_records(library, collection))
    if (!record.sparse) names.push_back(record.name);
  require(!names.empty(), "collection '", collection.name,
          "' has no dense features to detect by; make some first, for instance with 'commonplace "
          "features LIB ",
          collection.name, " --image sift'");
  return names;
}

MappedFeatures::MappedFeatures(const Library& library, const Collection& collection,
                               const std::vector<std::string>& names) {
  require(!names.empty(), "there are no features to detect by");
  std::int64_t rows = collection.items;
  for (const std::string& name : names) {
    files_.push_back(dense_features(feature_record(library, collection, name)));
    rows = std::min<std::int64_t>(rows, files_.back().view().rows());
  }
  require(rows > 0, "collection '", collection.name, "' has no items with these features");
  for (const NpyMatrix& file : files_)
    views_.emplace_back(file.view().data(), rows, file.view().cols());
}

}  // namespace commonplace::detect
