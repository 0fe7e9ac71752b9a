#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/features/image_features.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/rows/row_table.h"

namespace commonplace {

struct MadeImageFeatures {
  FeatureRecord record;
  std::string model;         ///< its name in the library
  bool learned = false;      ///< anew, or the stored one was used
  std::int64_t encoded = 0;  ///< pictures whose row was made by this call
  std::int64_t kept = 0;     ///< those whose stored row still held
  std::vector<SkippedItem> skipped;
  double seconds = 0;
};

/// What the items' pictures look like, as dense features `name`. The model is stored as
/// COLLECTION.NAME, and what each row was made of as COLLECTION.NAME.images. If a model of the same
/// options is stored already, only pictures that are new or have changed are encoded, by that
/// model, unless `relearn` asks for a new one. Vocabularies come from a sample of up to 1,024
/// pictures, principal axes from as many as fit into 1 GiB. Work that is interrupted goes on where
/// it stopped when it is asked for again, by however many ranks; until then it lies in
/// LIB/unfinished. Rank 0 stores. Error if the collection has no items, or none of its pictures can
/// be read; or if it has such features and nine in ten files or more are not there, or any that has
/// a row and a new model is to be learned. Collective.
MadeImageFeatures make_image_features(Library& library, const Collection& collection,
                                      const std::string& name, const ImageFeatureOptions& options,
                                      bool relearn, const Run& run);

/// Whether features `name` are descriptors of pictures, made by a stored model.
bool has_stored_image_model(const Library& library, const Collection& collection,
                            const std::string& name);
/// The model of image features `name` of a collection; Error if there is none.
ImageFeatureModel stored_image_model(const Library& library, const Collection& collection,
                                     const std::string& name);

}  // namespace commonplace
