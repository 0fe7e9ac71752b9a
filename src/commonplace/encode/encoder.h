#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/encode/encoder_model.h"
#include "commonplace/encode/tokenizer.h"
#include "commonplace/encode/worker.h"
#include "commonplace/features/picture.h"

namespace commonplace {

struct EncoderOptions {
  std::filesystem::path runtime;  ///< of find_onnx_runtime; empty: wherever it is found
  std::filesystem::path models;   ///< where it may be; empty: models_folder()
  int jobs = 0;                   ///< threads, 0: all processors
};

/// A picture or a text in, a vector of length one out. What it computes with runs in a process of
/// its own, which starts with the first batch. `prepare` may be called by any thread, the rest by
/// one at a time.
class Encoder {
 public:
  /// Error if its files cannot be read; the runtime is looked for when it is needed.
  explicit Encoder(EncoderModel model, EncoderOptions options = {});
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  const EncoderModel& model() const;
  /// The length of its vectors of texts or of pictures.
  std::int64_t dimensions(Medium medium, const Worker::Wait& wait = {});
  /// Whether it tells what it sees in pictures, see `look`.
  bool classifies(const Worker::Wait& wait = {});

  /// What the encoder computes with: a text as tokens, a picture as a tensor.
  Tokens prepare(std::string_view text) const;
  std::vector<float> prepare(const Picture& picture) const;
  /// How a picture should be decoded to be prepared.
  PictureOptions decoding() const;

  /// One row each, of length one, or zeros if nothing came of it (a text without known words, or
  /// numbers that are not finite). Texts of like lengths are computed together. WorkerCrash if the
  /// process that computes ended; it starts anew with the next call.
  Matrix encode(std::span<const Tokens> texts, const Worker::Wait& wait = {});
  Matrix encode(std::span<const std::vector<float>> pictures, const Worker::Wait& wait = {});

  /// What a classifier sees in pictures besides: the probabilities of model().picture->labels.
  /// Error if it is none.
  struct Seen {
    Matrix vectors;
    Matrix classes;
  };
  Seen look(std::span<const std::vector<float>> pictures, const Worker::Wait& wait = {});

  /// One text or picture.
  Eigen::RowVectorXf encode_text(std::string_view text);
  Eigen::RowVectorXf encode_picture(const Picture& picture);

  /// The process that computes a medium; -1 if it does not run. Tests end it.
  pid_t process(Medium medium) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace commonplace
