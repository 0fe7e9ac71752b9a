#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/encode/picture_tensor.h"

namespace commonplace {

/// What an encoder reads.
enum class Medium { text, picture };
std::string_view name_of(Medium medium);

/// How the vectors of a text's tokens become one.
enum class Pooling { mean, first, largest };

/// The half of an encoder that reads texts.
struct TextTower {
  std::filesystem::path model;
  std::filesystem::path tokenizer;
  std::string output;  ///< the output to take; empty: the one that fits best
  Pooling pooling = Pooling::mean;
  std::size_t most_tokens = 512;
};

/// The half that reads pictures.
struct PictureTower {
  std::filesystem::path model;
  PictureRules rules;
  std::string output;               ///< as above
  std::string classes;              ///< the output with the classes' probabilities, or empty
  bool logits = false;              ///< those are numbers before the softmax
  std::vector<std::string> labels;  ///< the classes' names
};

/// The files of an encoder in a folder, and what is known of it without opening it.
struct EncoderModel {
  std::string name;
  std::filesystem::path folder;
  std::string
      layout;  ///< "commonplace", "immich", "sentence-transformers", "transformers", "words"
  std::string licence;  ///< as the folder says; "unknown"
  std::string source;   ///< where it was added from; may be empty
  std::uint64_t bytes = 0;
  std::optional<TextTower> text;
  std::optional<PictureTower> picture;
  std::filesystem::path words;  ///< of WordVectors, in place of a text tower; may be empty

  bool reads(Medium medium) const {
    return medium == Medium::picture ? picture.has_value() : text || !words.empty();
  }
};

/// Whether a folder looks like an encoder.
bool is_encoder_folder(const std::filesystem::path& folder);

/// Reads how an encoder in a folder is laid out: Commonplace's own model.json, Immich's cache
/// (visual/, textual/), sentence-transformers, transformers.js and Optimum (onnx/model*.onnx), or
/// word vectors. Of several files of a model the one called `variant` is taken (without .onnx), by
/// default model.onnx. Error if it is none of these or a file is missing or broken.
EncoderModel read_encoder_model(const std::filesystem::path& folder,
                                const std::string& variant = "");

/// A number, in hexadecimal, that differs for encoders that give other vectors: of all files that
/// a medium needs.
std::string fingerprint_of(const EncoderModel& model, Medium medium);

}  // namespace commonplace
