#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace commonplace {

/// How a picture is brought to the size that an encoder wants.
enum class PictureFit {
  keep,           ///< not resized, only cropped or padded
  stretch,        ///< to resize_height x resize_width, whatever that does to its proportions
  shortest_edge,  ///< until its shorter side is resize_height
  longest_edge,   ///< until it just fits into resize_height x resize_width
};

/// The filters of PIL, which widen when a picture shrinks (all but `nearest`).
enum class PictureFilter { nearest, lanczos, bilinear, bicubic, box, hamming };

/// How pixels become what a picture encoder reads: resize, centre crop, then
/// (pixel * rescale + offset - mean) / deviation with pixels of 0 .. 255.
struct PictureRules {
  PictureFit fit = PictureFit::shortest_edge;
  PictureFilter filter = PictureFilter::bicubic;
  int resize_height = 224;
  int resize_width = 224;
  int height = 224;  ///< of the tensor: what is larger is cropped, what is smaller padded
  int width = 224;
  int fill = 0;  ///< the grey value of the padding
  double rescale = 1.0 / 255;
  double offset = 0;
  std::array<double, 3> mean{0, 0, 0};       ///< by channel, in the tensor's order
  std::array<double, 3> deviation{1, 1, 1};  ///< likewise
  bool blue_first = false;                   ///< BGR rather than RGB
  bool channels_last = false;                ///< NHWC rather than NCHW
};

/// Reads `preprocessor_config.json` (image processors and feature extractors of CLIP, SigLIP, ViT,
/// ConvNext and their like) or `preprocess_cfg.json` (OpenCLIP's, in Immich's folders). Error if
/// the file is broken, if a size is unreasonable, or if the tensor would have no fixed size.
PictureRules read_picture_rules(const std::filesystem::path& preprocessor_config_json);

/// The same from the text of the file; `name` stands in messages.
PictureRules parse_picture_rules(std::string_view json, const std::string& name);

}  // namespace commonplace
