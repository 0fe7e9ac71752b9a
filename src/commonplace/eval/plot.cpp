#include "commonplace/eval/plot.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"

namespace commonplace {
namespace {

constexpr double kChartWidth = 780;
constexpr double kLeastHeight = 400;
constexpr double kLeft = 76;  ///< where the plot begins
constexpr double kRight = 540;
constexpr double kTop = 44;
constexpr double kBelow = 56;       ///< room under the plot
constexpr double kLegendLine = 20;  ///< from one name to the next
constexpr int kTicks = 6;           ///< about as many as an axis gets
constexpr std::size_t kLegendCharacters = 22;
constexpr std::size_t kMarkers = 30;  ///< at most about as many on a line
constexpr double kTooLarge = 1e300;   ///< differences of such numbers are no longer numbers

/// Okabe and Ito's colours, which colour-blind readers tell apart, and lighter ones for the dark.
constexpr std::string_view kStyle = R"(<style>
text{font:13px system-ui,sans-serif;fill:#222}
.title{font-size:16px;font-weight:600}
.back{fill:#fff}
.grid{stroke:#ddd}
.frame{stroke:#666;fill:none}
.line{stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round}
.mark{stroke:currentColor;stroke-width:1.5;fill:none}
.band{fill:currentColor;opacity:.15}
.c0{color:#0072b2}.c1{color:#d55e00}.c2{color:#009e73}.c3{color:#b0548a}
.c4{color:#a87400}.c5{color:#3a96cc}.c6{color:#222}
@media (prefers-color-scheme:dark){
text{fill:#ddd}
.back{fill:#181818}
.grid{stroke:#3a3a3a}
.frame{stroke:#999}
.c0{color:#5ab0f0}.c1{color:#ff8a3d}.c2{color:#2fd6a3}.c3{color:#e79bc8}
.c4{color:#f0b429}.c5{color:#9ad6f7}.c6{color:#eee}
}
</style>
)";
constexpr std::size_t kColours = 7;

// As many of each as share no factor, so that no two of the first 210 lines look the same.
constexpr std::array<std::string_view, 5> kDashes = {"none", "7 3", "2 3", "9 3 2 3", "14 4"};
constexpr std::array<std::string_view, 6> kMarks = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
                                                    "m-3.5 -3.5h7v7h-7z",
                                                    "m0 -4.5l4.5 8h-9z",
                                                    "m0 -5l5 5l-5 5l-5 -5z",
                                                    "m-4 -4l8 8m0 -8l-8 8",
                                                    "m-5 0h10m-5 -5v10"};

bool drawable(double value) { return std::abs(value) <= kTooLarge; }

/// The character as XML writes it: escaped where it has a meaning, a blank where it is forbidden.
std::string escaped(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {c >= 0 && c < ' ' ? ' ' : c};
  }
}

std::string escaped(std::string_view text) {
  const std::string safe = assume_utf8(text);
  std::string result;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const std::string_view character = std::string_view(safe).substr(i, 3);
    if (character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") {
      result += "\uFFFD";  // XML forbids U+FFFE and U+FFFF too
      i += 2;
    } else {
      result += escaped(safe[i]);
    }
  }
  return result;
}

/// A coordinate: two digits after the point, whatever the locale.
std::string number(double value) {
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::fixed, 2).ptr;
  return {buffer.data(), end};
}

std::string text_at(double x, double y, std::string_view attributes, std::string_view text) {
  return concat("<text x=\"", number(x), "\" y=\"", number(y), "\" ", attributes, ">",
                escaped(text), "</text>\n");
}

std::string line_between(double x1, double y1, double x2, double y2, std::string_view kind) {
  return concat("<path class=\"", kind, "\" d=\"M", number(x1), " ", number(y1), "L", number(x2),
                " ", number(y2), "\"/>\n");
}

/// Round numbers that enclose what is drawn.
struct Axis {
  double step = 0;
  double first = 0;  ///< the first and the last tick are these many steps from 0
  double last = 0;

  double low() const { return first * step; }
  double high() const { return last * step; }
  /// From 0 at the first tick to 1 at the last.
  double share(double value) const { return (value - low()) / (high() - low()); }
};

class Extent {
 public:
  void add(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }

  Axis axis() const {
    auto [low, high] = low_ <= high_ ? std::pair(low_, high_) : std::pair(0.0, 1.0);
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low <= 1e-9 * size || high - low < 1e-290) {
      const double room = size < 1e-280 ? 0.5 : size / 2;
      low -= room;
      high += room;
    }
    const double rough = (high - low) / kTicks;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double round : {5, 2, 1})
      if (round * power >= rough) step = round * power;
    // A hair of tolerance, lest 0.3 / 0.1 need a fourth step.
    return {step, std::floor(low / step + 1e-9), std::ceil(high / step - 1e-9)};
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

/// "0.25", "1500", "2.5e6".
std::string tick_label(double tick, const Axis& axis) {
  const double size = std::max(std::abs(axis.low()), std::abs(axis.high()));
  const double magnitude = std::floor(std::log10(axis.step) + 1e-9);
  std::array<char, 400> buffer;
  if (size < 1e6 && axis.step >= 1e-4) {
    const int digits = std::max(0, static_cast<int>(-magnitude));
    const auto end = std::to_chars(buffer.begin(), buffer.end(), tick == 0 ? 0 : tick,
                                   std::chars_format::fixed, digits);
    return {buffer.data(), end.ptr};
  }
  if (tick == 0) return "0";
  const double own_magnitude = std::floor(std::log10(std::abs(tick)) + 1e-9);
  const int digits = std::clamp(static_cast<int>(own_magnitude - magnitude), 0, 15);
  const auto end =
      std::to_chars(buffer.begin(), buffer.end(), tick, std::chars_format::scientific, digits);
  const std::string text(buffer.data(), end.ptr);  // such as 2.50e+06
  const std::size_t exponent = text.find('e');
  std::string mantissa = text.substr(0, exponent);
  if (digits > 0) mantissa.erase(mantissa.find_last_not_of("0.") + 1);
  const std::size_t digit = std::min(text.find_first_not_of('0', exponent + 2), text.size() - 1);
  return mantissa + (text[exponent + 1] == '-' ? "e-" : "e") + text.substr(digit);
}

void check(const Series& series) {
  const auto expect = [&](const char* what, std::size_t count) {
    require(count == series.x.size(), "the series '", series.name, "' has ", count, " values of ",
            what, " and ", series.x.size(), " of x; give as many of both");
  };
  expect("y", series.y.size());
  if (series.low.empty() && series.high.empty()) return;
  expect("low", series.low.size());
  expect("high", series.high.size());
}

bool has_point(const Series& series, std::size_t i) {
  return drawable(series.x[i]) && drawable(series.y[i]);
}

bool has_band(const Series& series, std::size_t i) {
  return !series.low.empty() && drawable(series.x[i]) && drawable(series.low[i]) &&
         drawable(series.high[i]);
}

/// Where numbers lie on the paper.
struct Plot {
  Axis x;
  Axis y;
  double bottom = 0;

  std::string at(double px, double py) const {
    return number(kLeft + x.share(px) * (kRight - kLeft)) + " " +
           number(bottom - y.share(py) * (bottom - kTop));
  }
};

double height_of(const Chart& chart) {
  const auto names = static_cast<double>(chart.series.size());
  return std::max(kLeastHeight, kTop + kLegendLine * (names + 1));
}

Plot plot_of(const Chart& chart) {
  Extent x;
  Extent y;
  for (const Series& series : chart.series) {
    check(series);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (has_point(series, i)) {
        x.add(series.x[i]);
        y.add(series.y[i]);
      }
      if (has_band(series, i)) {
        x.add(series.x[i]);
        y.add(series.low[i]);
        y.add(series.high[i]);
      }
    }
  }
  return {x.axis(), y.axis(), height_of(chart) - kBelow};
}

std::string axes(const Chart& chart, const Plot& plot) {
  std::string svg;
  for (double i = plot.x.first; i <= plot.x.last; ++i) {
    const double x = kLeft + plot.x.share(i * plot.x.step) * (kRight - kLeft);
    svg += line_between(x, kTop, x, plot.bottom, "grid");
    svg +=
        text_at(x, plot.bottom + 18, "text-anchor=\"middle\"", tick_label(i * plot.x.step, plot.x));
  }
  for (double i = plot.y.first; i <= plot.y.last; ++i) {
    const double y = plot.bottom - plot.y.share(i * plot.y.step) * (plot.bottom - kTop);
    svg += line_between(kLeft, y, kRight, y, "grid");
    svg += text_at(kLeft - 8, y + 4, "text-anchor=\"end\"", tick_label(i * plot.y.step, plot.y));
  }
  svg += concat("<path class=\"frame\" d=\"M", number(kLeft), " ", number(kTop), "V",
                number(plot.bottom), "H", number(kRight), "\"/>\n");
  const double middle = (kTop + plot.bottom) / 2;
  svg += text_at((kLeft + kRight) / 2, 24, "class=\"title\" text-anchor=\"middle\"", chart.title);
  svg += text_at((kLeft + kRight) / 2, plot.bottom + 42, "text-anchor=\"middle\"", chart.x_label);
  svg += text_at(18, middle,
                 concat("text-anchor=\"middle\" transform=\"rotate(-90 18 ", number(middle), ")\""),
                 chart.y_label);
  return svg;
}

/// One closed path for each stretch of the band without a gap.
std::string band_path(const Series& series, const Plot& plot) {
  std::string path;
  for (std::size_t begin = 0; begin < series.x.size(); ++begin) {
    std::size_t end = begin;
    for (; end < series.x.size() && has_band(series, end); ++end)
      path += (end == begin ? "M" : "L") + plot.at(series.x[end], series.low[end]);
    if (end == begin) continue;
    for (std::size_t i = end; i-- > begin;) path += "L" + plot.at(series.x[i], series.high[i]);
    path += "Z";
    begin = end;
  }
  return path;
}

std::string line_path(const Series& series, const Plot& plot) {
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const bool here = has_point(series, i);
    if (here) path += (drawing ? "L" : "M") + plot.at(series.x[i], series.y[i]);
    drawing = here;
  }
  return path;
}

/// On every point of a short line, on some of a long one, and on each that stands alone.
std::string mark_path(const Series& series, const Plot& plot, std::string_view mark) {
  const std::size_t every = series.x.size() / kMarkers + 1;
  const auto beside = [&](std::size_t i) { return i < series.x.size() && has_point(series, i); };
  std::string path;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const bool alone = !beside(i + 1) && (i == 0 || !beside(i - 1));
    if (has_point(series, i) && (i % every == 0 || alone))
      path += concat("M", plot.at(series.x[i], series.y[i]), mark);
  }
  return path;
}

std::string shortened(const std::string& name) {
  const std::string text = assume_utf8(name);
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U && ++characters > kLegendCharacters)
      return text.substr(0, i) + "…";
  return text;
}

std::string series_svg(const Series& series, std::size_t index, const Plot& plot) {
  const std::string_view dash = kDashes[index % kDashes.size()];
  const std::string_view mark = kMarks[index % kMarks.size()];
  const auto path = [](std::string_view attributes, const std::string& d) {
    return d.empty() ? "" : concat("<path ", attributes, " d=\"", d, "\"/>\n");
  };
  const std::string line = concat("class=\"line\" stroke-dasharray=\"", dash, "\"");
  const double x = kRight + 14;
  const double y = kTop + 10 + kLegendLine * static_cast<double>(index);
  return concat("<g class=\"c", index % kColours, "\">\n<title>", escaped(series.name),
                "</title>\n", path("class=\"band\"", band_path(series, plot)),
                path(line, line_path(series, plot)),
                path("class=\"mark\"", mark_path(series, plot, mark)),
                path(line, concat("M", number(x), " ", number(y), "h28")),
                path("class=\"mark\"", concat("M", number(x + 14), " ", number(y), mark)),
                text_at(x + 36, y + 4, "", shortened(series.name)), "</g>\n");
}

std::string chart_svg(const Chart& chart) {
  const Plot plot = plot_of(chart);
  std::string svg = "<title>" + escaped(chart.title) + "</title>\n" + axes(chart, plot);
  bool anything = false;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    svg += series_svg(series, i, plot);
    for (std::size_t point = 0; point < series.x.size(); ++point)
      anything = anything || has_point(series, point);
  }
  if (!anything)
    svg += text_at((kLeft + kRight) / 2, (kTop + plot.bottom) / 2, "text-anchor=\"middle\"",
                   "nothing to show");
  return svg;
}

std::string svg_file(double width, double height, const std::string& content) {
  const std::string w = number(width);
  const std::string h = number(height);
  return concat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "\" height=\"", h,
                "\" viewBox=\"0 0 ", w, " ", h, "\">\n", kStyle, "<rect class=\"back\" width=\"", w,
                "\" height=\"", h, "\"/>\n", content, "</svg>\n");
}

}  // namespace

std::string line_chart(const Chart& chart) { return chart_page({&chart, 1}); }

std::string chart_page(std::span<const Chart> charts, int columns) {
  require(columns >= 1, "cannot put ", columns, " charts side by side; give 1 or more");
  const std::size_t wide = std::min(static_cast<std::size_t>(columns), charts.size());
  std::string content;
  double top = 0;
  for (std::size_t begin = 0; begin < charts.size(); begin += wide) {
    double height = 0;
    for (std::size_t i = begin; i < std::min(begin + wide, charts.size()); ++i) {
      const double left = kChartWidth * static_cast<double>(i - begin);
      content += concat("<g role=\"img\" transform=\"translate(", number(left), " ", number(top),
                        ")\">\n", chart_svg(charts[i]), "</g>\n");
      height = std::max(height, height_of(charts[i]));
    }
    top += height;
  }
  return svg_file(kChartWidth * static_cast<double>(std::max<std::size_t>(wide, 1)),
                  std::max(top, 1.0), content);
}

}  // namespace commonplace
