#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "commonplace/base/error.h"
#include "commonplace/encode/onnx_runtime.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temporary_directory.h"

namespace commonplace::test {

/// Where ./dev test puts the runtime and the encoders that it brings.
inline std::filesystem::path brought_models() {
  const char* data = std::getenv("XDG_DATA_HOME");
  return data != nullptr ? std::filesystem::path(data) / "commonplace" / "models"
                         : std::filesystem::path("build/data/commonplace/models");
}

/// ONNX Runtime, or an empty path where there is none.
inline std::filesystem::path runtime_for_tests() {
  try {
    return find_onnx_runtime({}, brought_models());
  } catch (const Error&) {
    return {};
  }
}

/// Words have the numbers 4 dog, 5 cat, 6 car; 2 and 3 stand around every text.
constexpr const char* kSmallTokenizer = R"({"version":"1.0","truncation":null,"padding":null,
  "added_tokens":[
    {"id":0,"content":"[PAD]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
    {"id":1,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
    {"id":2,"content":"[CLS]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
    {"id":3,"content":"[SEP]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
  "normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
  "pre_tokenizer":{"type":"BertPreTokenizer"},
  "post_processor":{"type":"TemplateProcessing",
    "single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}],
    "pair":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}},{"Sequence":{"id":"B","type_id":1}},{"SpecialToken":{"id":"[SEP]","type_id":1}}],
    "special_tokens":{"[CLS]":{"id":"[CLS]","ids":[2],"tokens":["[CLS]"]},"[SEP]":{"id":"[SEP]","ids":[3],"tokens":["[SEP]"]}}},
  "decoder":null,
  "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
    "vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"dog":4,"cat":5,"car":6}}})";

/// The vector of word w begins at 3 w: padding is far away, so that it shows where it is counted.
inline std::string word_table() {
  return onnx_file::tensor("table", {7, 3},
                           {90, 90, 90, 0, 0, 1, 1, 0, 0, 0, 1, 0, 3, 0, 0, 0, 5, 0, 0, 0, 7});
}

/// Token numbers in, the words' vectors out.
inline std::string token_model() {
  using namespace onnx_file;
  return model({{node("Gather", {"table", "input_ids"}, {"last_hidden_state"})},
                {word_table()},
                {port("input_ids", kInt64, {-1, -1}), port("attention_mask", kInt64, {-1, -1})},
                {port("last_hidden_state", kFloat, {-1, -1, 3})}});
}

/// Pixels in, the mean of each channel out, as vector and as numbers of three classes.
inline std::string channel_model(const std::string& output) {
  using namespace onnx_file;
  return model({{node("GlobalAveragePool", {"pixel_values"}, {"pooled"}),
                 node("Flatten", {"pooled"}, {output}), node("Identity", {output}, {"logits"})},
                {},
                {port("pixel_values", kFloat, {-1, 3, 8, 8})},
                {port(output, kFloat, {-1, 3}), port("logits", kFloat, {-1, 3})}});
}

/// As Immich's: five int32 tokens a text, one text at a time, one vector for all tokens.
inline std::string fixed_text_model() {
  using namespace onnx_file;
  return model({{node("Gather", {"table", "text"}, {"words"}),
                 node("ReduceMean", {"words"}, {"mean"}, {{"axes", {1}}}),
                 node("Flatten", {"mean"}, {"embedding"})},
                {word_table()},
                {port("text", kInt32, {1, 5})},
                {port("embedding", kFloat, {1, 3})}});
}

constexpr const char* kSmallRules =
    R"({"do_resize":true,"size":{"height":8,"width":8},"resample":2,"do_center_crop":false,
        "do_rescale":true,"rescale_factor":0.00392156862745098,"do_normalize":false})";

/// A folder of sentence-transformers, one of transformers.js for pictures, and Immich's.
inline std::filesystem::path write_sentence_folder(const TemporaryDirectory& folder,
                                                   const std::string& name) {
  folder.write(name + "/onnx/model.onnx", token_model());
  folder.write(name + "/tokenizer.json", kSmallTokenizer);
  folder.write(name + "/README.md", "---\nlicense: apache-2.0\n---\n# Small\n");
  return folder / name;
}
inline std::filesystem::path write_picture_folder(const TemporaryDirectory& folder,
                                                  const std::string& name) {
  folder.write(name + "/onnx/model.onnx", channel_model("image_embeds"));
  folder.write(name + "/preprocessor_config.json", kSmallRules);
  folder.write(name + "/config.json", R"({"id2label":{"0":"red","1":"green","2":"blue"}})");
  return folder / name;
}
inline std::filesystem::path write_pair_folder(const TemporaryDirectory& folder,
                                               const std::string& name) {
  folder.write(name + "/textual/model.onnx", fixed_text_model());
  folder.write(name + "/textual/tokenizer.json", kSmallTokenizer);
  folder.write(name + "/visual/model.onnx", channel_model("embedding"));
  folder.write(name + "/visual/preprocess_cfg.json",
               R"({"size":[8,8],"mode":"RGB","mean":[0,0,0],"std":[1,1,1],
                   "interpolation":"bilinear","resize_mode":"squash","fill_color":0})");
  return folder / name;
}

/// Both towers in one file, as CLIP is often exported: texts by their words' mean, pictures by the
/// mean of each channel.
inline std::string both_towers() {
  using namespace onnx_file;
  return model({{node("Gather", {"table", "input_ids"}, {"words"}),
                 node("ReduceMean", {"words"}, {"mean"}, {{"axes", {1}}}),
                 node("Flatten", {"mean"}, {"text_embeds"}),
                 node("GlobalAveragePool", {"pixel_values"}, {"pooled"}),
                 node("Flatten", {"pooled"}, {"image_embeds"})},
                {word_table()},
                {port("input_ids", kInt64, {-1, -1}), port("pixel_values", kFloat, {-1, 3, 8, 8}),
                 port("attention_mask", kInt64, {-1, -1})},
                {port("text_embeds", kFloat, {-1, 3}), port("image_embeds", kFloat, {-1, 3})}});
}
inline std::filesystem::path write_one_file_pair(const TemporaryDirectory& folder,
                                                 const std::string& name) {
  folder.write(name + "/onnx/model.onnx", both_towers());
  folder.write(name + "/tokenizer.json", kSmallTokenizer);
  folder.write(name + "/preprocessor_config.json", kSmallRules);
  return folder / name;
}

}  // namespace commonplace::test
