// Drawings are read from memory alone: a handle of librsvg without a base file loads nothing that a
// drawing refers to but `data:` addresses, neither files nor addresses on the web, be it as a
// picture, a style sheet, an entity or an inclusion. Each call has a handle and a surface of its
// own, so many threads may draw at once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>

#include <librsvg/rsvg.h>

#include "commonplace/base/error.h"
#include "commonplace/features/picture_decoders.h"
#include "commonplace/io/lines.h"

namespace commonplace {
namespace {

constexpr std::size_t kMostBytes = std::size_t{32} << 20;
constexpr std::int64_t kMostElements = 200 * 1000;  ///< librsvg takes up to 2 KiB for each
constexpr double kMostUnits = 1e6;                  ///< a side of the drawing, in its own pixels
constexpr std::int64_t kMostEmbeddedPixels = 16 * 1000 * 1000;

struct Release {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

/// Why librsvg refused, in one line.
class Reason {
 public:
  ~Reason() { g_clear_error(&error_); }
  Reason() = default;
  Reason(const Reason&) = delete;
  Reason& operator=(const Reason&) = delete;

  GError** place() { return &error_; }
  std::string text() const {
    if (error_ == nullptr || error_->message == nullptr) return "librsvg does not say why";
    std::string text = error_->message;
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (text.ends_with(' ')) text.pop_back();
    return text;
  }

 private:
  GError* error_ = nullptr;
};

/// Called when a loader of embedded pictures knows the size of one: of size 0 it refuses to load
/// it.
gboolean refuse_large(GSignalInvocationHint*, guint count, const GValue* values, gpointer) {
  if (count < 3) return TRUE;
  const std::int64_t width = g_value_get_int(values + 1);
  const std::int64_t height = g_value_get_int(values + 2);
  if (width > 0 && height > 0 && width <= kMostEmbeddedPixels / height) return TRUE;
  gdk_pixbuf_loader_set_size(static_cast<GdkPixbufLoader*>(g_value_get_object(values)), 0, 0);
  return TRUE;
}

/// A few bytes in a drawing may claim a photograph of any size, and librsvg would take memory for
/// it.
void bound_embedded_pictures() {
  static std::once_flag once;
  std::call_once(once, [] {
    g_type_class_ref(GDK_TYPE_PIXBUF_LOADER);  // before that it has no signals
    g_signal_add_emission_hook(g_signal_lookup("size-prepared", GDK_TYPE_PIXBUF_LOADER), 0,
                               refuse_large, nullptr, nullptr);
  });
}

/// How many elements and comments there are, those of entities aside.
std::int64_t elements_in(std::string_view svg) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i + 1 < svg.size(); ++i)
    if (svg[i] == '<' && svg[i + 1] != '/') ++count;
  return count;
}

/// The part of the plane that is drawn.
RsvgRectangle frame_of(RsvgHandle* handle) {
  RsvgRectangle frame{0, 0, 0, 0};
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle, &frame.width, &frame.height) != FALSE)
    return frame;
  gboolean has_width = FALSE;
  gboolean has_height = FALSE;
  gboolean has_box = FALSE;
  RsvgLength width{};
  RsvgLength height{};
  RsvgRectangle box{};
  rsvg_handle_get_intrinsic_dimensions(handle, &has_width, &width, &has_height, &height, &has_box,
                                       &box);
  if (has_box != FALSE) return {0, 0, box.width, box.height};
  const RsvgRectangle unit{0, 0, 1, 1};
  RsvgRectangle logical{};
  Reason reason;
  const bool known = rsvg_handle_get_geometry_for_layer(handle, nullptr, &unit, &frame, &logical,
                                                        reason.place()) != FALSE;
  require(known, "is a broken SVG: ", reason.text());
  return frame;
}

void check_frame(const RsvgRectangle& frame) {
  require(frame.width > 0 && frame.height > 0, "is an SVG of ", frame.width, " x ", frame.height,
          " pixels, which shows nothing");
  require(frame.width <= kMostUnits && frame.height <= kMostUnits, "is an SVG of ", frame.width,
          " x ", frame.height, " pixels, which is more than ", kMostUnits, " on a side");
  require(std::isfinite(frame.x) && std::isfinite(frame.y), "is an SVG that lies nowhere");
}

Picture pixels_of(cairo_surface_t* surface) {
  Picture picture;
  picture.width = cairo_image_surface_get_width(surface);
  picture.height = cairo_image_surface_get_height(surface);
  cairo_surface_flush(surface);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    std::vector<float>& into = picture.channels[channel];
    into.reserve(static_cast<std::size_t>(picture.width) *
                 static_cast<std::size_t>(picture.height));
    const int shift = 16 - 8 * static_cast<int>(channel);
    for (int y = 0; y < picture.height; ++y) {
      const auto* row = reinterpret_cast<const std::uint32_t*>(data + y * stride);
      for (int x = 0; x < picture.width; ++x)
        into.push_back(static_cast<float>(row[x] >> shift & 0xffU) / 255.0F);
    }
  }
  return picture;
}

Picture draw(RsvgHandle* handle, const RsvgRectangle& frame, int side) {
  const double scale = side / std::max(frame.width, frame.height);
  const int width = std::max(1, static_cast<int>(std::lround(frame.width * scale)));
  const int height = std::max(1, static_cast<int>(std::lround(frame.height * scale)));
  const std::unique_ptr<cairo_surface_t, Release> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  const std::unique_ptr<cairo_t, Release> context(cairo_create(surface.get()));
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  // The drawing at its own size, made smaller or larger by the context: librsvg fits only drawings
  // with a viewBox into another size.
  cairo_scale(context.get(), width / frame.width, height / frame.height);
  cairo_translate(context.get(), -frame.x, -frame.y);
  const RsvgRectangle viewport{0, 0, frame.width, frame.height};
  Reason reason;
  const bool drawn =
      rsvg_handle_render_document(handle, context.get(), &viewport, reason.place()) != FALSE;
  require(drawn, "is an SVG that cannot be drawn: ", reason.text());
  require(cairo_status(context.get()) == CAIRO_STATUS_SUCCESS,
          "is an SVG that cannot be drawn: ", cairo_status_to_string(cairo_status(context.get())));
  return pixels_of(surface.get());
}

}  // namespace

bool is_svg(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  const std::string_view head = bytes.substr(0, 1 << 16);
  return head.starts_with('<') &&
         (head.find("<svg") != head.npos || head.find(":svg") != head.npos);
}

std::string unpack_svgz(std::string_view bytes) {
  require(bytes.size() <= kMostBytes, "is of ", bytes.size(), " bytes; a drawing may have ",
          kMostBytes);
  std::string svg;
  try {
    const std::unique_ptr<ByteSource> source = bytes_of(std::string(bytes));
    std::vector<char> chunk(1 << 16);
    while (const std::size_t got = source->read(chunk.data(), chunk.size())) {
      svg.append(chunk.data(), got);
      if (svg.size() > kMostBytes) break;
    }
  } catch (const Error& error) {
    fail("is a broken SVGZ: ", error.what());
  }
  require(svg.size() <= kMostBytes, "is of more than ", kMostBytes,
          " bytes when unpacked, which is the most of a drawing");
  require(is_svg(svg), "is packed by gzip, and what is in it is no SVG");
  return svg;
}

Picture decode_svg(std::string_view bytes, const PictureOptions& options) {
  require(bytes.size() <= kMostBytes, "is an SVG of ", bytes.size(), " bytes; a drawing may have ",
          kMostBytes);
  require(elements_in(bytes) <= kMostElements, "is an SVG of some ", elements_in(bytes),
          " elements; a drawing may have ", kMostElements);
  bound_embedded_pictures();
  Reason reason;
  const std::unique_ptr<RsvgHandle, Release> handle(rsvg_handle_new_from_data(
      reinterpret_cast<const guint8*>(bytes.data()), bytes.size(), reason.place()));
  require(handle != nullptr, "is a broken SVG: ", reason.text());
  rsvg_handle_set_dpi(handle.get(), 96);
  const RsvgRectangle frame = frame_of(handle.get());
  check_frame(frame);
  return draw(handle.get(), frame, options.side);
}

}  // namespace commonplace
