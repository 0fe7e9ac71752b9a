#include "commonplace/encode/models.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/encode/tgz.h"
#include "commonplace/encode/word_vectors.h"
#include "commonplace/io/files.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuntime = "runtime";
constexpr const char* kRuntimeFile = "libonnxruntime.so";
constexpr const char* kWordFile = "words.safetensors";
constexpr int kMostDepth = 8;

void check_model_name(const std::string& name) {
  const bool clean = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
  require(clean && !name.empty() && name.size() <= 60 && name.front() != '.' && name.front() != '-',
          "'", name, "' cannot name an encoder; use up to 60 letters, digits, '_', '-', '.'");
}

/// What can be added, wherever below a folder.
struct Found {
  std::vector<fs::path> encoders;
  std::vector<fs::path> words;  ///< JSON files
  fs::path runtime;
};

void look_into(const fs::path& folder, int depth, Found& found) {
  if (is_encoder_folder(folder)) {
    found.encoders.push_back(folder);
    return;
  }
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (entry->is_directory(error)) {
      folders.push_back(path);
    } else if (entry->is_regular_file(error)) {
      if (path.filename().string().starts_with(kRuntimeFile)) found.runtime = path;
      if (path.extension() == ".json" && entry->file_size(error) > 0 && is_word_vector_json(path))
        found.words.push_back(path);
    }
  }
  std::sort(folders.begin(), folders.end());
  if (depth < kMostDepth)
    for (const fs::path& below : folders) look_into(below, depth + 1, found);
}

void copy_file_to(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

/// Copies what the encoder needs: all small files, and of the models those in use.
void copy_encoder(const EncoderModel& model, const fs::path& to) {
  const auto used = [&](const fs::path& path) {
    const std::string name = path.string();
    const auto belongs = [&](const fs::path& file) {
      return !file.empty() && name.starts_with(file.string());  // model.onnx, model.onnx_data
    };
    return belongs(model.words) || (model.text && belongs(model.text->model)) ||
           (model.picture && belongs(model.picture->model));
  };
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(model.folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().filename().string();
    const bool weights = name.find(".onnx") != std::string::npos ||
                         name.ends_with(".safetensors") || name.ends_with(".bin") ||
                         name.ends_with(".h5") || name.ends_with(".ot") || name.ends_with(".pt") ||
                         name.ends_with(".msgpack");
    if (weights && !used(entry.path())) continue;
    copy_file_to(entry.path(), to / entry.path().lexically_relative(model.folder));
  }
}

void write_text(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string listed(const std::vector<fs::path>& paths) {
  std::vector<std::string> names;
  for (const fs::path& path : paths) names.push_back(path.filename().string());
  return join(names);
}

/// The package around an encoder may know its licence when the encoder's folder does not.
std::string licence_above(fs::path folder, const fs::path& top) {
  while (true) {
    if (fs::is_regular_file(folder / "package.json")) {
      const auto json = json_from(read_file(folder / "package.json", 1U << 20U), false);
      if (json.is_object() && json.contains("license") && json["license"].is_string())
        return json["license"].get<std::string>();
    }
    if (folder == top || !folder.has_relative_path()) return "";
    folder = folder.parent_path();
  }
}

AddedModel add_folder(const fs::path& top, const std::string& source, const fs::path& models,
                      const AddOptions& options) {
  Found found;
  look_into(top, 0, found);
  if (!options.only.empty())
    std::erase_if(found.encoders,
                  [&](const fs::path& each) { return each.filename() != options.only; });
  require(found.encoders.size() <= 1, source, ": holds several encoders (", listed(found.encoders),
          "); say which with --only");
  require(!found.encoders.empty() || !found.words.empty() || !found.runtime.empty(), source,
          ": holds no encoder", options.only.empty() ? "" : concat(" called '", options.only, "'"),
          " and no libonnxruntime.so; known are folders of Immich, of transformers.js and Optimum, "
          "of sentence-transformers, and word vectors of wink");
  if (found.encoders.empty() && found.words.empty()) {
    AtomicFolder folder(models / kRuntime);
    copy_file_to(found.runtime, folder.temporary() / kRuntimeFile);
    folder.commit();
    return {kRuntime, models / kRuntime};
  }
  const fs::path from = found.encoders.empty() ? found.words.front() : found.encoders.front();
  const std::string name = options.name.empty() ? from.stem().string() : options.name;
  check_model_name(name);
  require(name != kRuntime, "an encoder cannot be called 'runtime'");
  AtomicFolder folder(models / name);
  nlohmann::ordered_json about = {{"source", source}};
  std::string licence = options.licence;
  if (found.encoders.empty()) {
    convert_word_vectors(from, folder.temporary() / kWordFile);
    if (licence.empty()) licence = licence_above(from.parent_path(), top);
    const nlohmann::ordered_json own = {
        {"commonplace_model", 1}, {"words", kWordFile}, {"licence", licence}};
    write_text(folder.temporary() / "model.json", json_text(own, 2) + "\n");
  } else {
    const EncoderModel model = read_encoder_model(from, options.variant);
    copy_encoder(model, folder.temporary());
    if (licence.empty() && model.licence == "unknown") licence = licence_above(from, top);
  }
  if (!licence.empty()) about["licence"] = licence;
  if (!options.variant.empty()) about["variant"] = options.variant;
  write_text(folder.temporary() / "about.json", json_text(about, 2) + "\n");
  read_encoder_model(folder.temporary());  // before it counts
  folder.commit();
  return {name, models / name};
}

/// A folder that goes with its owner.
class PassingFolder {
 public:
  explicit PassingFolder(const fs::path& beside) : path_(temporary_name(beside)) {
    fs::create_directories(path_);
  }
  ~PassingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

fs::path models_folder() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data != '\0') return fs::path(data) / "commonplace" / "models";
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "/" : home) / ".local" / "share" / "commonplace" / "models";
}

InstalledModels installed_models(const fs::path& folder) {
  InstalledModels installed;
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_directory(error) && !entry->path().filename().string().starts_with('.'))
      folders.push_back(entry->path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path& each : folders) {
    if (each.filename() == kRuntime) {
      if (fs::is_regular_file(each / kRuntimeFile, error)) installed.runtime = each / kRuntimeFile;
      continue;
    }
    try {
      installed.models.push_back(read_encoder_model(each));
    } catch (const Error& problem) {
      installed.broken.push_back({each.filename().string(), problem.what()});
    }
  }
  return installed;
}

EncoderModel find_encoder(const std::string& named, const fs::path& models) {
  std::error_code error;
  if (named.find('/') == std::string::npos && fs::is_directory(models / named, error) &&
      named != kRuntime)
    return read_encoder_model(models / named);
  if (fs::is_directory(named, error)) return read_encoder_model(named);
  std::vector<std::string> names;
  for (const EncoderModel& model : installed_models(models).models) names.push_back(model.name);
  fail("there is no encoder '", named, "': it is neither a folder nor one of those that were added",
       names.empty() ? concat(" (none yet; commonplace models add FILE.tgz adds one)")
                     : concat(": ", join(names)));
}

AddedModel add_model(const fs::path& source, const fs::path& models, const AddOptions& options) {
  if (!options.name.empty()) check_model_name(options.name);
  std::error_code error;
  fs::create_directories(models, error);
  require(fs::is_directory(models, error), models.string(), ": the folder cannot be made");
  sweep_temporaries(models);
  const std::string called = source.filename().string();
  if (fs::is_directory(source, error)) return add_folder(source, source.string(), models, options);
  require(fs::is_regular_file(source, error), source.string(), ": there is no such file or folder");
  if (called.starts_with(kRuntimeFile)) {
    PassingFolder folder(models);
    copy_file_to(source, folder.path() / kRuntimeFile);
    return add_folder(folder.path(), source.string(), models, options);
  }
  PassingFolder folder(models);
  unpack_tar(source, folder.path());
  return add_folder(folder.path(), called, models, options);
}

void remove_encoder(const std::string& name, const fs::path& models) {
  check_model_name(name);
  std::error_code error;
  require(fs::is_directory(models / name, error), "there is no encoder '", name, "' in ",
          models.string());
  fs::remove_all(models / name);
}

}  // namespace commonplace
