#pragma once

#include <string>

#include "commonplace/base/convergence.h"
#include "commonplace/comm/run.h"
#include "commonplace/features/tfidf.h"
#include "commonplace/learn/plsa.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace {

/// In all of these rank 0 stores, and all ranks return the same. Collective.

/// Features made from what the items say, with the model that makes them for new items.
struct MadeFeatures {
  FeatureRecord record;
  std::string model;   ///< its name in the library
  Convergence report;  ///< of the topics; empty otherwise
};

/// tf-idf of title and text, as sparse features `name`. The model is stored as COLLECTION.NAME.
MadeFeatures make_text_features(Library& library, const Collection& collection,
                                const std::string& name, const TfidfOptions& options,
                                const Run& run);

/// The same of the items' tags: those of humans, with decisions heeded.
MadeFeatures make_tag_features(Library& library, const Collection& collection,
                               const std::string& name, const TfidfOptions& options,
                               const Run& run);

/// pLSA topics of the words or, with `of_tags`, of the tags, as dense features `name`. Two models
/// are stored: COLLECTION.NAME, and COLLECTION.NAME.terms for its vocabulary.
MadeFeatures make_topics(Library& library, const Collection& collection, const std::string& name,
                         bool of_tags, const TfidfOptions& terms, const PlsaOptions& options,
                         const Run& run);

/// The rows of a file, as import_features has them.
MadeFeatures take_features(Library& library, const Collection& collection, const std::string& name,
                           const std::filesystem::path& file, const std::filesystem::path& ids,
                           const Run& run);

}  // namespace commonplace
