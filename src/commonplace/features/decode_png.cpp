// libpng reports errors by a jump. So that no destructor is jumped over, each step is a function of
// its own without objects, which sets the place to jump to and says whether it went well.
#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <vector>

#include <png.h>

#include "commonplace/base/error.h"
#include "commonplace/features/area_average.h"
#include "commonplace/features/picture_decoders.h"

namespace commonplace {
namespace {

/// Deflate makes at most 1,032 bytes of one.
constexpr std::uint64_t kMostBytesAByte = 1100;
constexpr png_alloc_size_t kMostChunk = 16 << 20;

class PngReader {
 public:
  explicit PngReader(std::string_view bytes) : left_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    require(png_ != nullptr, "cannot be read: there is no memory for libpng");
    info_ = png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, info_ != nullptr ? &info_ : nullptr, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  const char* message() const { return message_; }
  std::int64_t width() const { return png_get_image_width(png_, info_); }
  std::int64_t height() const { return png_get_image_height(png_, info_); }
  bool interlaced() const { return png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE; }

  bool read_header() {
    if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, this, take);
    png_set_user_limits(png_, 1 << 24, 1 << 24);
    png_set_chunk_malloc_max(png_, kMostChunk);
    png_set_chunk_cache_max(png_, 64);
    // Texts, profiles and EXIF are passed over: of some libpng takes as much memory as they claim.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png_, info_);
    return true;
  }
  /// Asks for rows of four bytes a pixel: red, green, blue, alpha.
  bool start() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_gray_to_rgb(png_);
    png_set_add_alpha(png_, 0xff, PNG_FILLER_AFTER);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return png_get_rowbytes(png_, info_) == 4 * std::size_t{png_get_image_width(png_, info_)};
  }
  bool next_row(std::uint8_t* row) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_row(png_, row, nullptr);
    return true;
  }
  bool all_rows(std::uint8_t** rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    return true;
  }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof self->message_ - 1);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void take(png_structp png, png_bytep into, std::size_t count) {
    auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self->left_.size()) png_error(png, "it is cut off");
    std::memcpy(into, self->left_.data(), count);
    self->left_.remove_prefix(count);
  }

  std::string_view left_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char message_[128] = "";
};

void require_read(bool read, const PngReader& reader) {
  require(read, "is a broken PNG: ", reader.message());
}

void put_on_white(const std::uint8_t* rgba, std::size_t width, std::uint8_t* rgb) {
  for (std::size_t x = 0; x < width; ++x, rgba += 4, rgb += 3)
    for (int c = 0; c < 3; ++c)
      rgb[c] = static_cast<std::uint8_t>((rgba[c] * rgba[3] + 255 * (255 - rgba[3]) + 127) / 255);
}

}  // namespace

Picture decode_png(std::string_view bytes, const PictureOptions& options) {
  PngReader reader(bytes);
  require_read(reader.read_header(), reader);
  check_picture_size(reader.width(), reader.height(), options);
  const auto width = static_cast<std::size_t>(reader.width());
  const auto height = static_cast<std::size_t>(reader.height());
  // A pixel takes a bit at least.
  require(width * height / 8 <= bytes.size() * kMostBytesAByte, "is a broken PNG: ", bytes.size(),
          " bytes cannot hold ", width, " x ", height, " pixels");
  const bool at_once = reader.interlaced();
  require_read(reader.start(), reader);

  std::vector<std::uint8_t> pixels(4 * width * (at_once ? height : 1));
  if (at_once) {
    std::vector<std::uint8_t*> rows(height);
    for (std::size_t y = 0; y < height; ++y) rows[y] = pixels.data() + 4 * width * y;
    require_read(reader.all_rows(rows.data()), reader);
  }
  AreaAverage average(static_cast<int>(width), static_cast<int>(height), options.side);
  std::vector<std::uint8_t> rgb(3 * width);
  for (std::size_t y = 0; y < height; ++y) {
    if (!at_once) require_read(reader.next_row(pixels.data()), reader);
    put_on_white(pixels.data() + (at_once ? 4 * width * y : 0), width, rgb.data());
    average.add_row(rgb.data());
  }
  return average.take();
}

}  // namespace commonplace
