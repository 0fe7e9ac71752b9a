#include "commonplace/encode/picture_rules.h"

#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/encode/tokenizer_json.h"
#include "commonplace/io/files.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

constexpr int kMostPictureSide = 4096;
constexpr std::uint64_t kMostRulesBytes = 1U << 20U;

int side_within(const nlohmann::json& value, const char* what) {
  return number_within(value, what, 1, kMostPictureSide);
}

double finite_number(const nlohmann::json& value, const char* what) {
  require(value.is_number() && std::isfinite(value.get<double>()) &&
              std::abs(value.get<double>()) <= 1e6,
          what, " is not a number");
  return value.get<double>();
}

/// Three numbers, or one for all channels.
std::array<double, 3> by_channel(const nlohmann::json& value, const char* what) {
  if (value.is_number()) {
    const double number = finite_number(value, what);
    return {number, number, number};
  }
  require(value.is_array() && value.size() == 3, what, " is not one number a channel, of three");
  return {finite_number(value[0], what), finite_number(value[1], what),
          finite_number(value[2], what)};
}

void set_mean(PictureRules& rules, const nlohmann::json& json, const char* mean,
              const char* deviation) {
  rules.mean = by_channel(member(json, mean), mean);
  rules.deviation = by_channel(member(json, deviation), deviation);
  for (const double value : rules.deviation)
    require(std::abs(value) >= 1e-6, deviation, " has a zero");
}

/// {height, width} of a size that is written in one of the usual ways.
std::array<int, 2> height_and_width(const nlohmann::json& size, const char* what) {
  if (size.is_number()) return {side_within(size, what), side_within(size, what)};
  if (size.is_array() && size.size() == 2)
    return {side_within(size[0], what), side_within(size[1], what)};
  return {side_within(member(size, "height"), "height"),
          side_within(member(size, "width"), "width")};
}

/// Whether a size of one number means the shorter side for this kind of processor.
bool is_shortest_by_custom(const std::string& type) {
  for (const char* family : {"CLIP", "ChineseCLIP", "Bit", "ConvNext", "Levit", "MobileNet"})
    if (type.starts_with(family)) return true;
  return false;
}

/// Resizes to the shorter side `edge` and crops to `size`.
void crop_from_edge(PictureRules& rules, int edge, int size) {
  require(edge >= 1 && edge <= kMostPictureSide, "a shorter side of ", edge, " is out of range");
  rules.fit = PictureFit::shortest_edge;
  rules.resize_height = rules.resize_width = edge;
  rules.height = rules.width = size;
}

void read_sizes(PictureRules& rules, const nlohmann::json& json, const std::string& type) {
  const bool resizes = flag_member(json, "do_resize", true);
  bool fixed = false;  // the tensor's size is known
  rules.fit = PictureFit::keep;
  if (resizes) {
    const nlohmann::json& size = member(json, "size");
    const bool by_edge = size.is_object() && member_or_null(size, "shortest_edge") != nullptr;
    if (by_edge || (size.is_number() && is_shortest_by_custom(type))) {
      const int edge = side_within(by_edge ? member(size, "shortest_edge") : size, "shortest_edge");
      if (type.starts_with("ConvNext") || member_or_null(json, "crop_pct") != nullptr) {
        const nlohmann::json* part = member_or_null(json, "crop_pct");
        const double share = part == nullptr ? 224.0 / 256 : finite_number(*part, "crop_pct");
        require(share >= 0.05 && share <= 1, "crop_pct is ", share, "; expected 0.05 .. 1");
        crop_from_edge(rules, static_cast<int>(edge / share), edge);
        // Large ones are not cropped at all.
        if (edge >= 384) {
          rules.fit = PictureFit::stretch;
          rules.resize_height = rules.resize_width = edge;
        }
        return;
      }
      crop_from_edge(rules, type.starts_with("Levit") ? edge * 256 / 224 : edge, edge);
    } else {
      require(!size.is_object() || member_or_null(size, "longest_edge") == nullptr,
              "size limits the longest_edge, so that the tensors have no fixed size");
      rules.fit = PictureFit::stretch;
      const auto [height, width] = height_and_width(size, "size");
      rules.height = rules.resize_height = height;
      rules.width = rules.resize_width = width;
      fixed = true;
    }
  }
  const nlohmann::json* crop = member_or_null(json, "crop_size");
  if (flag_member(json, "do_center_crop", crop != nullptr)) {
    if (crop != nullptr) {
      const auto [height, width] = height_and_width(*crop, "crop_size");
      rules.height = height;
      rules.width = width;
    }
    fixed = fixed || crop != nullptr || resizes;
  }
  require(fixed,
          "pictures are neither resized to a height and a width nor cropped, so that the "
          "tensors have no fixed size");
}

/// transformers' preprocessor_config.json.
PictureRules read_processor(const nlohmann::json& json) {
  PictureRules rules;
  const std::string type =
      optional_text(json, "image_processor_type")
          .value_or(optional_text(json, "feature_extractor_type").value_or(""));
  for (const char* other : {"include_top", "do_thumbnail", "do_image_splitting", "do_crop_margin"})
    require(!flag_member(json, other, false), other, " is not understood here");
  read_sizes(rules, json, type);
  rules.filter = type.starts_with("CLIP") ? PictureFilter::bicubic : PictureFilter::bilinear;
  if (const nlohmann::json* resample = member_or_null(json, "resample"))
    rules.filter = static_cast<PictureFilter>(number_within(*resample, "resample", 0, 5));
  if (!flag_member(json, "do_rescale", true)) {
    rules.rescale = 1;
  } else if (const nlohmann::json* factor = member_or_null(json, "rescale_factor")) {
    rules.rescale = finite_number(*factor, "rescale_factor");
  }
  if (flag_member(json, "rescale_offset", false)) rules.offset = -1;
  if (flag_member(json, "do_normalize", member_or_null(json, "image_mean") != nullptr))
    set_mean(rules, json, "image_mean", "image_std");
  rules.blue_first = flag_member(json, "do_flip_channel_order", false);
  rules.channels_last = optional_text(json, "data_format").value_or("") == "channels_last";
  return rules;
}

PictureFilter filter_named(const std::string& name) {
  if (name == "bicubic") return PictureFilter::bicubic;
  if (name == "bilinear" || name == "random") return PictureFilter::bilinear;
  if (name == "nearest") return PictureFilter::nearest;
  if (name == "lanczos") return PictureFilter::lanczos;
  if (name == "box") return PictureFilter::box;
  if (name == "hamming") return PictureFilter::hamming;
  fail("interpolation is \"", name.substr(0, 100),
       "\"; expected nearest, bilinear, bicubic, lanczos, box or hamming");
}

/// OpenCLIP's preprocess_cfg.json, as Immich keeps it.
PictureRules read_open_clip(const nlohmann::json& json) {
  PictureRules rules;
  const auto [height, width] = height_and_width(member(json, "size"), "size");
  rules.height = rules.resize_height = height;
  rules.width = rules.resize_width = width;
  const std::string mode = optional_text(json, "resize_mode").value_or("shortest");
  if (mode == "shortest") {
    require(height == width, "resize_mode is shortest, but size is ", height, " x ", width);
    rules.fit = PictureFit::shortest_edge;
  } else {
    require(mode == "longest" || mode == "squash", "resize_mode is \"", mode.substr(0, 100),
            "\"; expected shortest, longest or squash");
    rules.fit = mode == "longest" ? PictureFit::longest_edge : PictureFit::stretch;
  }
  rules.filter = filter_named(optional_text(json, "interpolation").value_or("bicubic"));
  const std::string order = optional_text(json, "mode").value_or("RGB");
  require(order == "RGB" || order == "BGR", "mode is \"", order.substr(0, 100),
          "\"; expected RGB or BGR");
  rules.blue_first = order == "BGR";
  if (const nlohmann::json* fill = member_or_null(json, "fill_color"); fill && fill->is_number())
    rules.fill = number_within(*fill, "fill_color", 0, 255);
  set_mean(rules, json, "mean", "std");
  return rules;
}

}  // namespace

PictureRules parse_picture_rules(std::string_view text, const std::string& name) {
  try {
    const nlohmann::json json = json_from(text, false);
    require(json.is_object(), "is not a JSON object; fetch it again");
    const nlohmann::json* inner = member_or_null(json, "preprocess_cfg");
    if (inner == nullptr && member_or_null(json, "mean") != nullptr) inner = &json;
    return inner == nullptr ? read_processor(json) : read_open_clip(*inner);
  } catch (const Error& error) {
    fail(name, ": ", error.what());
  }
}

PictureRules read_picture_rules(const std::filesystem::path& preprocessor_config_json) {
  return parse_picture_rules(read_file(preprocessor_config_json, kMostRulesBytes),
                             preprocessor_config_json.string());
}

}  // namespace commonplace
