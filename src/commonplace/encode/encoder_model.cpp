#include "commonplace/encode/encoder_model.h"

#include <algorithm>
#include <fstream>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/io/json.h"
#include "commonplace/io/xxhash64.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kMostJson = std::uint64_t{64} << 20;
constexpr std::size_t kMostTokens = 8192;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

Json read_json(const fs::path& path) {
  Json json = json_from(read_file(path, kMostJson), false);
  require(json.is_object(), path.string(), ": is no JSON object");
  return json;
}

Json read_json_if(const fs::path& path) { return is_file(path) ? read_json(path) : Json::object(); }

std::string text_at(const Json& json, const char* key, const std::string& otherwise = "") {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

/// A file that a description names: below its folder, and there.
fs::path named_file(const fs::path& folder, const std::string& name) {
  const fs::path relative = fs::path(name).lexically_normal();
  require(!name.empty() && relative.is_relative() && *relative.begin() != "..", folder.string(),
          ": '", name, "' is not below the model's folder");
  require(is_file(folder / relative), folder.string(), ": there is no file ", name);
  return folder / relative;
}

/// The first of these that is a file, or nothing.
fs::path first_file(const fs::path& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (is_file(folder / name)) return folder / name;
  return {};
}

/// The .onnx file of that stem, or the one that is most exact.
fs::path onnx_file(const fs::path& folder, const std::string& stem, const std::string& variant) {
  std::vector<std::string> names;
  if (!variant.empty()) {
    names = {variant + ".onnx", stem + "_" + variant + ".onnx"};
  } else {
    for (const char* ending : {"", "_fp16", "_quantized", "_int8", "_uint8", "_q8", "_quint8_avx2"})
      names.push_back(stem + ending + ".onnx");
    names.push_back("../" + stem + ".onnx");
  }
  fs::path found = first_file(folder / "onnx", names);
  if (found.empty()) found = first_file(folder, names);
  return found.lexically_normal();
}

/// The length of the longest text, by whatever says it.
std::size_t most_tokens(const fs::path& folder) {
  std::size_t most = kMostTokens;
  bool told = false;
  const auto heed = [&](const Json& json, const char* key) {
    const auto found = json.find(key);
    // A tokenizer without a limit says 1e30.
    if (found == json.end() || !found->is_number() || found->get<double>() < 2 ||
        found->get<double>() > static_cast<double>(kMostTokens))
      return;
    most = std::min(most, found->get<std::size_t>());
    told = true;
  };
  heed(read_json_if(folder / "sentence_bert_config.json"), "max_seq_length");
  heed(read_json_if(folder / "tokenizer_config.json"), "model_max_length");
  const Json config = read_json_if(folder / "config.json");
  heed(config, "max_position_embeddings");
  if (config.contains("text_config") && config["text_config"].is_object())
    heed(config["text_config"], "max_position_embeddings");
  return told ? most : 512;
}

Pooling pooling_of(const Json& json, const fs::path& file) {
  const auto on = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_boolean() && found->get<bool>();
  };
  const bool mean = on("pooling_mode_mean_tokens");
  const bool first = on("pooling_mode_cls_token");
  const bool largest = on("pooling_mode_max_tokens");
  require(int{mean} + int{first} + int{largest} == 1 && !on("pooling_mode_weightedmean_tokens") &&
              !on("pooling_mode_lasttoken") && !on("pooling_mode_mean_sqrt_len_tokens"),
          file.string(), ": pools in a way that is not known here; mean, CLS and max are");
  return mean ? Pooling::mean : first ? Pooling::first : Pooling::largest;
}

Pooling pooling_named(const std::string& name, const fs::path& file) {
  require(name == "mean" || name == "first" || name == "largest", file.string(), ": pooling '",
          name, "' is none of mean, first, largest");
  return name == "mean" ? Pooling::mean : name == "first" ? Pooling::first : Pooling::largest;
}

/// Commonplace's own description.
void read_own(const Json& json, EncoderModel& model) {
  const fs::path file = model.folder / "model.json";
  model.layout = "commonplace";
  if (json.contains("text")) {
    const Json& text = json["text"];
    model.text = TextTower{
        named_file(model.folder, text_at(text, "model")),
        named_file(model.folder, text_at(text, "tokenizer", "tokenizer.json")),
        text_at(text, "output"), pooling_named(text_at(text, "pooling", "mean"), file),
        std::clamp<std::size_t>(text.value("most_tokens", std::size_t{512}), 2, kMostTokens)};
  }
  if (json.contains("picture")) {
    const Json& picture = json["picture"];
    PictureTower tower;
    tower.model = named_file(model.folder, text_at(picture, "model"));
    tower.rules = read_picture_rules(
        named_file(model.folder, text_at(picture, "rules", "preprocessor_config.json")));
    tower.output = text_at(picture, "output");
    tower.classes = text_at(picture, "classes");
    tower.logits = picture.value("logits", false);
    if (picture.contains("labels"))
      tower.labels =
          json_from(read_file(named_file(model.folder, text_at(picture, "labels")), kMostJson))
              .get<std::vector<std::string>>();
    model.picture = std::move(tower);
  }
  if (json.contains("words")) model.words = named_file(model.folder, text_at(json, "words"));
  require(model.text || model.picture || !model.words.empty(), file.string(),
          ": says neither 'text' nor 'picture' nor 'words'");
}

void read_immich(EncoderModel& model) {
  model.layout = "immich";
  const fs::path textual = model.folder / "textual";
  const fs::path visual = model.folder / "visual";
  if (is_file(textual / "model.onnx"))
    model.text = TextTower{textual / "model.onnx", named_file(textual, "tokenizer.json"), "",
                           Pooling::mean, most_tokens(textual)};
  if (is_file(visual / "model.onnx")) {
    PictureTower tower;
    tower.model = visual / "model.onnx";
    tower.rules =
        read_picture_rules(first_file(visual, {"preprocess_cfg.json", "preprocessor_config.json"}));
    model.picture = std::move(tower);
  }
}

/// The names of a classifier's classes, by number.
std::vector<std::string> labels_of(const Json& config) {
  std::vector<std::string> labels;
  const auto names = config.find("id2label");
  if (names == config.end() || !names->is_object()) return labels;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const auto name = names->find(std::to_string(i));
    if (name == names->end() || !name->is_string()) return {};
    labels.push_back(name->get<std::string>());
  }
  return labels;
}

void read_transformers(EncoderModel& model, const std::string& variant) {
  const fs::path& folder = model.folder;
  model.layout = is_file(folder / "modules.json") ? "sentence-transformers" : "transformers";
  const fs::path text_only = onnx_file(folder, "text_model", variant);
  const fs::path picture_only = onnx_file(folder, "vision_model", variant);
  const fs::path whole = onnx_file(folder, "model", variant);
  const fs::path tokenizer = folder / "tokenizer.json";
  const fs::path rules = first_file(folder, {"preprocessor_config.json", "preprocess_cfg.json"});
  const bool pair = !text_only.empty() || !picture_only.empty();
  const fs::path text = pair ? text_only : whole;
  if (!text.empty() && is_file(tokenizer)) {
    const fs::path pooling = folder / "1_Pooling" / "config.json";
    model.text =
        TextTower{text, tokenizer, "",
                  is_file(pooling) ? pooling_of(read_json(pooling), pooling) : Pooling::mean,
                  most_tokens(folder)};
  }
  const fs::path picture = pair ? picture_only : whole;
  if (!picture.empty() && !rules.empty()) {
    PictureTower tower;
    tower.model = picture;
    tower.rules = read_picture_rules(rules);
    tower.labels = labels_of(read_json_if(folder / "config.json"));
    tower.logits = true;
    model.picture = std::move(tower);
  }
  require(model.text || model.picture, folder.string(),
          ": holds no encoder that is known here: a model needs tokenizer.json or "
          "preprocessor_config.json beside it");
}

/// A licence in the YAML front of a README.
std::string readme_licence(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("---")) return "";
  for (int left = 200; left > 0 && std::getline(in, line) && !line.starts_with("---"); --left)
    if (line.starts_with("license:")) {
      const std::size_t begin = line.find_first_not_of(" \"'", 8);
      const std::size_t end = line.find_last_not_of(" \"'\r");
      return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
    }
  return "";
}

std::string licence_of(const fs::path& folder, const Json& about) {
  std::string licence = text_at(about, "licence");
  if (licence.empty()) licence = readme_licence(folder / "README.md");
  if (licence.empty()) licence = text_at(read_json_if(folder / "package.json"), "license");
  return licence.empty() ? "unknown" : licence;
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error)) bytes += entry->file_size(error);
  return bytes;
}

bool is_own(const fs::path& folder) {
  if (!is_file(folder / "model.json")) return false;
  const Json json = json_from(read_file(folder / "model.json", kMostJson), false);
  return json.is_object() && json.contains("commonplace_model");
}

bool is_immich(const fs::path& folder) {
  return is_file(folder / "visual" / "model.onnx") || is_file(folder / "textual" / "model.onnx");
}

void hash_file(const fs::path& path, Xxh64& hash) {
  if (!is_file(path)) return;
  const MappedFile file(path);
  hash.update(file.bytes());
}

}  // namespace

std::string_view name_of(Medium medium) { return medium == Medium::text ? "text" : "picture"; }

bool is_encoder_folder(const fs::path& folder) {
  if (is_own(folder) || is_immich(folder)) return true;
  const bool described =
      is_file(folder / "tokenizer.json") || is_file(folder / "preprocessor_config.json");
  return described &&
         (!onnx_file(folder, "model", "").empty() || !onnx_file(folder, "text_model", "").empty() ||
          !onnx_file(folder, "vision_model", "").empty());
}

EncoderModel read_encoder_model(const fs::path& folder, const std::string& variant) {
  std::error_code error;
  require(fs::is_directory(folder, error), folder.string(), ": there is no such folder");
  EncoderModel model;
  model.folder = fs::canonical(folder);
  model.name = model.folder.filename().string();
  const Json about = read_json_if(model.folder / "about.json");
  try {
    if (is_own(model.folder))
      read_own(read_json(model.folder / "model.json"), model);
    else if (is_immich(model.folder))
      read_immich(model);
    else
      read_transformers(model, variant.empty() ? text_at(about, "variant") : variant);
  } catch (const Json::exception& problem) {
    fail(folder.string(), ": the description is not understood: ", problem.what());
  }
  model.licence = licence_of(model.folder,
                             is_own(model.folder) ? read_json(model.folder / "model.json") : about);
  model.source = text_at(about, "source");
  model.bytes = bytes_below(model.folder);
  return model;
}

std::string fingerprint_of(const EncoderModel& model, Medium medium) {
  require(model.reads(medium), "the encoder '", model.name, "' does not read ",
          medium == Medium::text ? "texts" : "pictures");
  Xxh64 hash;
  const auto add = [&](const std::string& text) {
    hash.update(std::as_bytes(std::span<const char>(text.data(), text.size() + 1)));
  };
  add(std::string(name_of(medium)));
  if (medium == Medium::picture) {
    const PictureRules& rules = model.picture->rules;
    add(concat(static_cast<int>(rules.fit), ' ', static_cast<int>(rules.filter), ' ',
               rules.resize_height, ' ', rules.resize_width, ' ', rules.height, ' ', rules.width,
               ' ', rules.fill, ' ', rules.rescale, ' ', rules.offset, ' ', rules.blue_first, ' ',
               rules.channels_last));
    for (std::size_t c = 0; c < 3; ++c) add(concat(rules.mean[c], ' ', rules.deviation[c]));
    add(model.picture->output);
    hash_file(model.picture->model, hash);
  } else if (!model.words.empty()) {
    hash_file(model.words, hash);
  } else {
    add(concat(static_cast<int>(model.text->pooling), ' ', model.text->most_tokens, ' ',
               model.text->output));
    hash_file(model.text->tokenizer, hash);
    hash_file(model.text->model, hash);
  }
  return hexadecimal(hash.digest());
}

}  // namespace commonplace
