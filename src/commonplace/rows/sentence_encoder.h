#pragma once

#include <optional>
#include <vector>

#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/rows/encoder_features.h"

namespace commonplace {

/// Features that an encoder made, of a collection.
struct EncodedFeatures {
  Collection collection;
  FeatureRecord record;
  EncoderName encoder;
};
std::vector<EncodedFeatures> encoded_features(const Library& library, const Collection& collection);

/// Names the half of an encoder of pictures that reads texts into the same space; nothing where it
/// reads none. Error if it is gone.
std::optional<EncoderName> text_half(const EncoderName& pictures);

/// Finds the encoder of sentences that pictures and tags are described with: that of the
/// collections' texts, else of others in the library, else one that is installed; nothing where
/// there is none.
std::optional<EncoderName> sentence_encoder(const Library& library,
                                            const std::vector<Collection>& collections);

}  // namespace commonplace
