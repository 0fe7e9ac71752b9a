#pragma once

#include <span>
#include <string>
#include <vector>

namespace commonplace {

/// One line of a chart. A point with a number that is not finite is left out, and the line has a
/// gap there.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;     ///< as long as x
  std::vector<double> low;   ///< a band around the line: as long as x, or empty
  std::vector<double> high;  ///< likewise
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

/// An SVG file with the chart: axes with round numbers, a legend, and lines told apart by colour,
/// dashes and markers alike. It follows the reader's choice of light or dark, runs no script and
/// asks for no other file. Any text is shown as it is. Error if the lengths of a series differ.
std::string line_chart(const Chart& chart);

/// The same with several charts in one file, `columns` side by side.
std::string chart_page(std::span<const Chart> charts, int columns = 1);

}  // namespace commonplace
