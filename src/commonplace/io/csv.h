#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/io/lines.h"

namespace commonplace {

/// The records of a CSV file after RFC 4180, over as many lines as their quotes ask for. Excel's
/// first line "sep=;" is understood. Between tabs a quote is a character like any other, unless it
/// opens a cell that ends with the quote that closes it. Error for a record of more than 64 MiB.
class CsvRecords {
 public:
  /// `name` is what errors call the source; the separator '\0' means: guess it among , ; tab |
  /// by the first line.
  CsvRecords(ByteSource& source, std::string name, char separator);

  /// The next record's cells; false at the end. Lines without anything are passed over.
  bool next();
  const std::vector<std::string>& cells() const { return cells_; }
  /// What is wrong with the record's quotes, or empty.
  const std::string& problem() const { return problem_; }
  /// The first line of the record.
  Where where() const { return {name_, first_line_}; }

 private:
  bool fill();
  bool fill_more();
  bool opens_quoted_cell();
  bool peek(char& c);
  void take_separator_line();
  char guess_separator() const;
  void append(char c);
  bool read_record();
  void read_quoted();

  ByteSource& source_;
  std::string name_;
  char separator_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::vector<std::string> cells_;
  bool cell_was_quoted_ = false;
  std::string problem_;
  std::size_t size_ = 0;
  std::size_t line_ = 1;
  std::size_t first_line_ = 1;
};

}  // namespace commonplace
