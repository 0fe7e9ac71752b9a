// libjpeg reports errors by a jump. So that no destructor is jumped over, each step is a function
// of its own without objects, which sets the place to jump to and says whether it went well.
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include "commonplace/base/error.h"
#include "commonplace/features/area_average.h"
#include "commonplace/features/picture_decoders.h"

namespace commonplace {
namespace {

constexpr int kMostScans = 200;
constexpr long kMostMemory = 1L << 30;
/// No way of coding has more pixels than this in a byte.
constexpr std::int64_t kMostPixelsAByte = 4096;

struct Failure {
  jpeg_error_mgr manager;  ///< first, so that a pointer to it is one to the whole
  std::jmp_buf place;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void jump(j_common_ptr info) {
  auto* failure = reinterpret_cast<Failure*>(info->err);
  (*info->err->format_message)(info, failure->message);
  std::longjmp(failure->place, 1);
}

/// Of the warnings only the end of the file before the end of the picture is an error.
void note(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) jump(info);
}

void be_silent(j_common_ptr) {}

void limit_scans(j_common_ptr info) {
  if (!info->is_decompressor) return;
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  info->err->msg_code = JERR_BAD_PROGRESSION;
  jump(info);
}

class JpegReader {
 public:
  explicit JpegReader(std::string_view bytes) {
    info_.err = jpeg_std_error(&failure_.manager);
    failure_.manager.error_exit = jump;
    failure_.manager.emit_message = note;
    failure_.manager.output_message = be_silent;
    failure_.message[0] = '\0';
    monitor_.progress_monitor = limit_scans;
    created_ = create(bytes);
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  const char* message() const { return failure_.message; }
  bool created() const { return created_; }
  jpeg_decompress_struct& info() { return info_; }

  bool read_header() {
    if (setjmp(failure_.place) != 0) return false;
    jpeg_read_header(&info_, TRUE);
    return true;
  }
  bool start() {
    if (setjmp(failure_.place) != 0) return false;
    jpeg_start_decompress(&info_);
    return true;
  }
  bool next_row(std::uint8_t* row) {
    if (setjmp(failure_.place) != 0) return false;
    return jpeg_read_scanlines(&info_, &row, 1) == 1;
  }

 private:
  bool create(std::string_view bytes) {
    if (setjmp(failure_.place) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &monitor_;
    info_.mem->max_memory_to_use = kMostMemory;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return true;
  }

  Failure failure_{};
  jpeg_progress_mgr monitor_{};
  jpeg_decompress_struct info_{};
  bool created_ = false;
};

void require_read(bool read, const JpegReader& reader) {
  require(read, "is a broken JPEG: ", reader.message());
}

/// How many eighths of the size to decode: the fewest that leave the longer side `side` pixels.
unsigned eighths(const jpeg_decompress_struct& info, int side) {
  const auto longer = static_cast<std::int64_t>(std::max(info.image_width, info.image_height));
  for (const unsigned scale : {1U, 2U, 4U})
    if (longer * scale >= std::int64_t{8} * side) return scale;
  return 8;
}

bool has_four_inks(const jpeg_decompress_struct& info) {
  return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
}

/// Adobe's programs store the inks inverted, and nearly all such files are theirs.
void inks_to_rgb(const std::uint8_t* inks, bool inverted, unsigned width, std::uint8_t* rgb) {
  for (unsigned x = 0; x < width; ++x, inks += 4, rgb += 3) {
    const int black = inverted ? inks[3] : 255 - inks[3];
    for (int c = 0; c < 3; ++c) {
      const int light = inverted ? inks[c] : 255 - inks[c];
      rgb[c] = static_cast<std::uint8_t>((light * black + 127) / 255);
    }
  }
}

}  // namespace

Picture decode_jpeg(std::string_view bytes, const PictureOptions& options) {
  JpegReader reader(bytes);
  require_read(reader.created(), reader);
  require_read(reader.read_header(), reader);
  jpeg_decompress_struct& info = reader.info();
  check_picture_size(info.image_width, info.image_height, options);
  require(std::int64_t{info.image_width} * info.image_height / kMostPixelsAByte <=
              static_cast<std::int64_t>(bytes.size()),
          "is a broken JPEG: ", bytes.size(), " bytes cannot hold ", info.image_width, " x ",
          info.image_height, " pixels");
  const bool four_inks = has_four_inks(info);
  info.out_color_space = four_inks ? JCS_CMYK : JCS_RGB;
  info.scale_num = eighths(info, options.side);
  info.scale_denom = 8;
  require_read(reader.start(), reader);

  AreaAverage average(static_cast<int>(info.output_width), static_cast<int>(info.output_height),
                      options.side);
  std::vector<std::uint8_t> row(std::size_t{info.output_width} * (four_inks ? 4 : 3));
  std::vector<std::uint8_t> rgb(std::size_t{info.output_width} * 3);
  for (unsigned y = 0; y < info.output_height; ++y) {
    require_read(reader.next_row(row.data()), reader);
    if (four_inks)
      inks_to_rgb(row.data(), info.saw_Adobe_marker != FALSE, info.output_width, rgb.data());
    average.add_row(four_inks ? rgb.data() : row.data());
  }
  return average.take();
}

}  // namespace commonplace
