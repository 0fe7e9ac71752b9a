#pragma once

#include <string>

#include "commonplace/base/progress.h"
#include "commonplace/base/report.h"
#include "commonplace/data/library.h"
#include "commonplace/data/stored_features.h"
#include "commonplace/features/plsa.h"
#include "commonplace/features/tfidf.h"

namespace commonplace {

/// Features made from what the items say, with the model that makes them for new items.
struct MadeFeatures {
  FeatureRecord record;
  std::string model;  ///< its name in the library
  Report report;      ///< of the topics; empty otherwise
};

/// tf-idf of title and text, as sparse features `name`. The model is stored as COLLECTION.NAME.
MadeFeatures make_text_features(Library& library, const Collection& collection,
                                const std::string& name, const TfidfOptions& options, int jobs,
                                const Progress& progress);

/// The same of the items' tags: those of humans, with decisions heeded.
MadeFeatures make_tag_features(Library& library, const Collection& collection,
                               const std::string& name, const TfidfOptions& options,
                               const Progress& progress);

/// pLSA topics of the words or, with `of_tags`, of the tags, as dense features `name`. Two models
/// are stored: COLLECTION.NAME, and COLLECTION.NAME.terms for its vocabulary.
MadeFeatures make_topics(Library& library, const Collection& collection, const std::string& name,
                         bool of_tags, const TfidfOptions& terms, const PlsaOptions& options,
                         const Progress& progress);

}  // namespace commonplace
