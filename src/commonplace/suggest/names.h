#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/rows/encoder_features.h"
#include "commonplace/suggest/core/tag_names.h"
#include "commonplace/suggest/evidence.h"

namespace commonplace::suggest {

/// How the names of a model's tags were read.
struct Naming {
  EncoderName encoder;
  std::vector<std::string> texts;  ///< of each tag: what was encoded; empty: nothing was
  std::string state;               ///< of the vocabulary then

  bool empty() const { return encoder.encoder.empty(); }
};

/// Which of the evidence the tags' names are compared with, and what encodes them.
struct NamePlan {
  EncoderName encoder;
  std::int64_t first = 0;  ///< as NamedTags has them
  std::int64_t columns = 0;
  bool mapped = false;
};
/// The vectors of texts by an encoder; else pictures by an encoder that reads texts into the same
/// space; else pictures by another one, with an encoder of sentences that the library or this
/// machine has. Nothing where the evidence has none of these. Reads no model of an encoder.
std::optional<NamePlan> plan_names(const Library& library, const Collection& collection,
                                   const Evidence& evidence);

/// What is said of tags, for an encoder: the last level of the name in words, and the description.
std::vector<std::string> texts_of_tags(const Library& library,
                                       const std::vector<std::string>& tags);

/// The tags' names as vectors, by rank 0, and how they were read. Nothing is known of names where
/// the encoder is gone: then both are empty. Collective.
NamedTags read_names(const Library& library, const Collection& collection, const Evidence& evidence,
                     const std::vector<std::string>& tags, Naming& naming, const Run& run);

/// Encodes again what is said of `tags`, those of the model, where that has changed; how many. None
/// if the encoder is gone.
std::int64_t refresh_names(const Library& library, const std::vector<std::string>& tags,
                           Naming& naming, TagNames& names, const Run& run);

/// Puts it into a model file and takes it out again.
void add_naming(TensorWriter& writer, const Naming& naming);
Naming read_naming(const TensorFile& file);

}  // namespace commonplace::suggest
