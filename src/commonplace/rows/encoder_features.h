#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/encode/encoder.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/rows/image_features.h"

namespace commonplace {

struct EncoderFeatureOptions {
  std::string encoder;            ///< the name of one that was added, or a folder
  std::filesystem::path runtime;  ///< of find_onnx_runtime; empty: wherever it is found
  /// What of the items is read; "" for pictures if the encoder reads them, else text.
  std::string of;
  NpyNumbers numbers = NpyNumbers::float16;
  bool anew = false;  ///< encode also what has not changed
};

struct MadeEncoderFeatures {
  FeatureRecord record;
  std::string model;  ///< its name in the library
  Medium of = Medium::text;
  std::int64_t encoded = 0;  ///< items whose row was made by this call, or by one that was stopped
  std::int64_t kept = 0;     ///< those whose stored row still held
  std::int64_t empty = 0;    ///< those without any text: their rows are zeros
  std::vector<SkippedItem> skipped;
  double seconds = 0;
};

/// Makes what an encoder says of the items' titles and texts, or of their pictures, dense features
/// `name`: rows of length one. Which encoder it was is stored as COLLECTION.NAME, and what each row
/// was made of as COLLECTION.NAME.images. If the same encoder made the stored rows, only items that
/// are new or have changed are encoded. Work that is interrupted goes on where it stopped when it
/// is asked for again, by however many ranks; until then it lies in LIB/unfinished. A file that
/// cannot be read keeps the row it had. If computing an item ends the encoder's process, that item
/// is skipped; Error after several. Rank 0 stores. Collective.
MadeEncoderFeatures make_encoder_features(Library& library, const Collection& collection,
                                          const std::string& name,
                                          const EncoderFeatureOptions& options, const Run& run);

/// Which encoder made something: enough to find it again, and to tell whether it is the same.
struct EncoderName {
  std::string encoder;
  std::string folder;
  Medium of = Medium::text;  ///< what it read
  std::string fingerprint;   ///< of what it needs for that

  bool operator==(const EncoderName&) const = default;
};
/// Nothing if no encoder made features `name`.
std::optional<EncoderName> stored_encoder_name(const Library& library, const Collection& collection,
                                               const std::string& name);
/// Error if it is gone or has become another since.
Encoder open_encoder(const EncoderName& name, const EncoderOptions& options = {});

/// The encoder that made features `name`, for items that are not in the library, and what it read.
struct StoredEncoder {
  Encoder encoder;
  Medium of = Medium::text;
};
/// Error if they were not made by one, or if it is gone or has become another since.
StoredEncoder stored_encoder(const Library& library, const Collection& collection,
                             const std::string& name, const EncoderOptions& options = {});
/// Whether features `name` were made by an encoder.
bool has_stored_encoder(const Library& library, const Collection& collection,
                        const std::string& name);

/// What of the items the encoder read that made features `name`; nothing if none made them.
std::optional<Medium> encoded_medium(const Library& library, const Collection& collection,
                                     const std::string& name);

/// What a query or an unseen item is to such features: a vector of length one. The picture is given
/// by the bytes of its file. Error if the encoder does not read that.
Eigen::RowVectorXf encode_unseen_text(Encoder& encoder, std::string_view text);
Eigen::RowVectorXf encode_unseen_picture(Encoder& encoder, std::string_view bytes,
                                         const std::string& called);

}  // namespace commonplace
