#pragma once

#include <string>

namespace commonplace::test {

/// Valid pictures of a few pixels without any metadata.
std::string tiny_jpeg();  ///< 8 x 8, grey
std::string tiny_png();   ///< 1 x 1
std::string tiny_webp();  ///< 1 x 1, lossless
std::string tiny_tiff();  ///< 1 x 1, grey, little-endian

/// The parts that metadata is made of, framed as their formats ask.
std::string jpeg_segment(unsigned char marker, const std::string& body);
std::string png_chunk(const std::string& kind, const std::string& body);
std::string webp_chunk(const std::string& kind, const std::string& body);

/// The pictures with such a part put in.
std::string jpeg_with(const std::string& segments);
std::string png_with(const std::string& chunks);
std::string webp_with(const std::string& chunks);

}  // namespace commonplace::test
