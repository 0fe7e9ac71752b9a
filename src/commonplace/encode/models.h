#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/encode/encoder_model.h"

namespace commonplace {

/// Where encoders are kept: $XDG_DATA_HOME/commonplace/models, by default below ~/.local/share.
/// A folder each, and `runtime` with the shared library of ONNX Runtime.
std::filesystem::path models_folder();

/// Names what cannot be listed, and why.
struct BrokenModel {
  std::string name;
  std::string problem;
};
struct InstalledModels {
  std::vector<EncoderModel> models;  ///< by name
  std::vector<BrokenModel> broken;
  std::filesystem::path runtime;  ///< the one kept here; may be empty
};
InstalledModels installed_models(const std::filesystem::path& folder);

/// The encoder that a user means: a folder, or the name of one below `models`. Error, listing the
/// names there are, if there is none.
EncoderModel find_encoder(const std::string& named, const std::filesystem::path& models);

struct AddOptions {
  std::string name{};     ///< to keep it under; empty: what its folder is called
  std::string only{};     ///< of several encoders, the folder of this name
  std::string variant{};  ///< of several files of the model, this one (without .onnx)
  std::string licence{};  ///< what is known of it; empty: as the files say
};

/// What was added: an encoder, or a runtime.
struct AddedModel {
  std::string name;  ///< "runtime" for one
  std::filesystem::path folder;
};

/// Copies what `source`, a folder or a .tgz, holds into `models`: one encoder wherever in it that
/// lies, word vectors, or a shared library of ONNX Runtime. It appears whole or not at all, in
/// place of what had its name. Error if there is none, or several and `only` does not say which.
AddedModel add_model(const std::filesystem::path& source, const std::filesystem::path& models,
                     const AddOptions& options);

/// Removes an encoder or the runtime; Error if there is none of that name.
void remove_encoder(const std::string& name, const std::filesystem::path& models);

}  // namespace commonplace
