#include "commonplace/eval/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/programs.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace plot_test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Point {
  double x = 0;
  double y = 0;
};

/// The first match of each group, for every match of `pattern`.
std::vector<std::vector<std::string>> matches(const std::string& svg, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::vector<std::string>> result;
  for (std::sregex_iterator at(svg.begin(), svg.end(), expression), end; at != end; ++at) {
    result.emplace_back();
    for (std::size_t i = 1; i < at->size(); ++i) result.back().push_back((*at)[i]);
  }
  return result;
}

/// The lines of a chart; those of the legend are left out.
std::vector<std::string> lines_of(const std::string& svg) {
  std::vector<std::string> lines;
  for (const auto& match :
       matches(svg, "class=\"line\" stroke-dasharray=\"[^\"]*\" d=\"([^\"]*)\""))
    if (match[0].find('h') == std::string::npos) lines.push_back(match[0]);
  return lines;
}

std::vector<Point> points_of(const std::string& path) {
  std::vector<Point> points;
  for (const auto& match : matches(path, "[ML](-?[0-9.]+) (-?[0-9.]+)"))
    points.push_back({std::stod(match[0]), std::stod(match[1])});
  return points;
}

struct Tick {
  std::string label;
  double place = 0;
};

/// Labels centred under the plot, or set to its left, with their places.
std::vector<Tick> ticks_of(const std::string& svg, bool horizontal) {
  const std::string pattern = horizontal ? "<text x=\"([0-9.]+)\" y=\"[0-9.]+\" "
                                           "text-anchor=\"middle\">(-?[0-9.e-]+)</text>"
                                         : "<text x=\"[0-9.]+\" y=\"([0-9.]+)\" "
                                           "text-anchor=\"end\">(-?[0-9.e-]+)</text>";
  std::vector<Tick> ticks;
  for (const auto& match : matches(svg, pattern))
    ticks.push_back({match[1], std::stod(match[0]) - (horizontal ? 0 : 4)});
  return ticks;
}

/// Where `value` should lie, by the first and the last tick.
double place_of(double value, const std::vector<Tick>& ticks) {
  const double low = std::stod(ticks.front().label);
  const double high = std::stod(ticks.back().label);
  return ticks.front().place +
         (value - low) / (high - low) * (ticks.back().place - ticks.front().place);
}

Chart chart_of(std::vector<double> x, std::vector<double> y) {
  return {"title", "across", "up", {{"line", std::move(x), std::move(y), {}, {}}}};
}

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks) result.push_back(tick.label);
  return result;
}

void expect_xml(const std::string& svg) {
  if (!test::has_program("python3")) GTEST_SKIP() << "python3 is not installed";
  const test::TemporaryDirectory directory;
  const auto file = directory.write("chart.svg", svg);
  EXPECT_EQ(test::output_of("python3 -c 'import sys, xml.etree.ElementTree as tree\n"
                            "print(tree.parse(sys.argv[1]).getroot().tag)' " +
                            test::shell_quoted(file.string())),
            "{http://www.w3.org/2000/svg}svg\n");
}

TEST(Plot, PointsLieWhereTheTicksSay) {
  const std::vector<double> x{0, 1, 2.5, 10};
  const std::vector<double> y{-3, 0.5, 4, 1.25};
  const std::string svg = line_chart(chart_of(x, y));
  const auto across = ticks_of(svg, true);
  const auto up = ticks_of(svg, false);
  EXPECT_EQ(labels(across), (std::vector<std::string>{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels(up), (std::vector<std::string>{"-4", "-2", "0", "2", "4"}));
  ASSERT_EQ(lines_of(svg).size(), 1U);
  const auto points = points_of(lines_of(svg)[0]);
  ASSERT_EQ(points.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(points[i].x, place_of(x[i], across), 0.02);
    EXPECT_NEAR(points[i].y, place_of(y[i], up), 0.02);
  }
  EXPECT_GT(points[0].y, points[2].y) << "up is less in SVG";
}

TEST(Plot, TicksAreRoundAtEveryScale) {
  const auto labels_for = [](double low, double high) {
    return labels(ticks_of(line_chart(chart_of({low, high}, {0, 1})), true));
  };
  EXPECT_EQ(labels_for(0, 0.3),
            (std::vector<std::string>{"0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30"}));
  EXPECT_EQ(labels_for(0, 3e6),
            (std::vector<std::string>{"0", "5e5", "1e6", "1.5e6", "2e6", "2.5e6", "3e6"}));
  EXPECT_EQ(labels_for(0, 1e-7),
            (std::vector<std::string>{"0", "2e-8", "4e-8", "6e-8", "8e-8", "1e-7"}));
  EXPECT_EQ(labels_for(1850, 1999).front(), "1850");
  for (const double low : {-1e300, -5.0, 0.0, 1e-300, 7.0, 123456.0})
    for (const double size : {1e-320, 1e-12, 1e-3, 1.0, 17.0, 1e9, 1e300}) {
      const auto ticks = ticks_of(line_chart(chart_of({low, low + size}, {0, 1})), true);
      EXPECT_GE(ticks.size(), 3U) << low << " + " << size;
      EXPECT_LE(ticks.size(), 10U) << low << " + " << size;
      for (const Tick& tick : ticks) EXPECT_TRUE(std::isfinite(tick.place));
    }
}

TEST(Plot, NumbersThatAreNoneAreLeftOut) {
  const std::string svg =
      line_chart(chart_of({0, 1, 2, 3, kInfinity, 5}, {1, 2, kNaN, 3, 4, -kInfinity}));
  ASSERT_EQ(lines_of(svg).size(), 1U);
  const std::string line = lines_of(svg)[0];
  EXPECT_EQ(points_of(line).size(), 3U);
  EXPECT_EQ(std::count(line.begin(), line.end(), 'M'), 2) << "a gap begins a line anew: " << line;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Plot, BandsEncloseTheirLineAndWidenTheAxis) {
  Chart chart = chart_of({0, 1, 2, 3}, {5, 6, 7, 8});
  chart.series[0].low = {1, 5, kNaN, 7};
  chart.series[0].high = {9, 7, 8, 21};
  const std::string svg = line_chart(chart);
  const auto bands = matches(svg, "class=\"band\" d=\"([^\"]*)\"");
  ASSERT_EQ(bands.size(), 1U);
  EXPECT_EQ(std::count(bands[0][0].begin(), bands[0][0].end(), 'Z'), 2);
  const auto points = points_of(bands[0][0]);
  ASSERT_EQ(points.size(), 6U);
  const auto up = ticks_of(svg, false);
  const double expected[] = {1, 5, 7, 9, 7, 21};  // low and then back along high, twice
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_NEAR(points[i].y, place_of(expected[i], up), 0.02);
  EXPECT_GE(std::stod(up.back().label), 21.0);
}

TEST(Plot, LinesDifferInMoreThanColour) {
  Chart chart;
  for (int i = 0; i < 30; ++i)
    chart.series.push_back({"line " + std::to_string(i), {0, 1}, {0, 1.0 * i}, {}, {}});
  const std::string svg = line_chart(chart);
  const auto dashes = matches(svg, "class=\"line\" stroke-dasharray=\"([^\"]*)\" d=\"[^\"h]*\"");
  const auto marks = matches(svg, "class=\"mark\" d=\"M[0-9.]+ [0-9.]+(m[^\"M]*)\"");
  ASSERT_EQ(dashes.size(), 30U);
  ASSERT_EQ(marks.size(), 30U);  // of the legend, one each
  std::set<std::string> looks;
  for (std::size_t i = 0; i < 30; ++i) looks.insert(dashes[i][0] + marks[i][0]);
  EXPECT_EQ(looks.size(), 30U);
}

TEST(Plot, HostileTextIsShownNotObeyed) {
  const std::string hostile = "</text><script>alert(\"1\")</script>&amp;'\x01\xff\xef\xbf\xbf";
  Chart chart = chart_of({0, 1}, {0, 1});
  chart.title = chart.x_label = chart.y_label = chart.series[0].name = hostile;
  const std::string svg = line_chart(chart);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;alert(&quot;1&quot;)"), std::string::npos);
  EXPECT_NE(svg.find("&amp;amp;"), std::string::npos);
  expect_xml(svg);
}

TEST(Plot, LongNamesAreCutBetweenCharacters) {
  Chart chart = chart_of({0, 1}, {0, 1});
  for (int i = 0; i < 40; ++i) chart.series[0].name += "é";
  const std::string svg = line_chart(chart);
  EXPECT_NE(svg.find("é…</text>"), std::string::npos);
  EXPECT_NE(svg.find("<title>" + chart.series[0].name + "</title>"), std::string::npos);
  expect_xml(svg);
}

TEST(Plot, ChartsWithNothingInThem) {
  for (const Chart& chart : {Chart{}, chart_of({}, {}), chart_of({kNaN}, {1})}) {
    const std::string svg = line_chart(chart);
    EXPECT_NE(svg.find("nothing to show"), std::string::npos);
    EXPECT_TRUE(lines_of(svg).empty());
    expect_xml(svg);
  }
  EXPECT_EQ(line_chart(chart_of({3}, {4})).find("nothing to show"), std::string::npos);
  expect_xml(chart_page({}));
}

TEST(Plot, APageHoldsAllItsCharts) {
  std::vector<Chart> charts(5, chart_of({0, 1}, {0, 1}));
  for (std::size_t i = 0; i < charts.size(); ++i) charts[i].title = "chart " + std::to_string(i);
  const auto places = [&](int columns) {
    std::set<std::pair<double, double>> result;
    for (const auto& match :
         matches(chart_page(charts, columns), "translate\\(([0-9.]+) ([0-9.]+)\\)"))
      result.insert({std::stod(match[0]), std::stod(match[1])});
    return result;
  };
  const auto below = places(1);
  ASSERT_EQ(below.size(), 5U);
  for (const auto& [x, y] : below) EXPECT_EQ(x, 0);
  const auto beside = places(2);
  ASSERT_EQ(beside.size(), 5U);
  EXPECT_EQ(std::count_if(beside.begin(), beside.end(), [](const auto& p) { return p.first > 0; }),
            2);
  const std::string page = chart_page(charts, 2);
  for (const Chart& chart : charts) EXPECT_NE(page.find(chart.title), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  expect_xml(page);
}

TEST(Plot, LengthsThatDifferAreRefused) {
  EXPECT_THROW(line_chart(chart_of({1, 2}, {1})), Error);
  Chart chart = chart_of({1, 2}, {1, 2});
  chart.series[0].low = {1, 2};
  EXPECT_THROW(line_chart(chart), Error);
  chart.series[0].high = {1};
  EXPECT_THROW(line_chart(chart), Error);
  chart.series[0].high = {3, 4};
  EXPECT_NO_THROW(line_chart(chart));
  EXPECT_THROW(chart_page({&chart, 1}, 0), Error);
}

}  // namespace plot_test
}  // namespace commonplace
