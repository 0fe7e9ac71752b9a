#include "commonplace/io/csv.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace commonplace {
namespace {

constexpr std::size_t kLongestRecord = std::size_t{64} << 20;
constexpr std::string_view kSeparators = ",;\t|";

}  // namespace

CsvRecords::CsvRecords(ByteSource& source, std::string name, char separator)
    : source_(source), name_(std::move(name)), separator_(separator) {
  fill();
  if (std::string_view(buffer_).starts_with("\xEF\xBB\xBF")) at_ = 3;
  take_separator_line();
  if (separator_ == '\0') separator_ = guess_separator();
}

bool CsvRecords::next() {
  do {
    cells_.assign(1, {});
    problem_.clear();
    cell_was_quoted_ = false;
    size_ = 0;
    first_line_ = line_;
    if (!read_record()) return false;
  } while (cells_.size() == 1 && cells_.front().empty() && problem_.empty());
  return true;
}

bool CsvRecords::fill() {
  constexpr std::size_t kChunk = 1 << 16;
  buffer_.resize(kChunk);
  buffer_.resize(source_.read(buffer_.data(), kChunk));
  at_ = 0;
  return !buffer_.empty();
}
/// Reads more behind what is in the buffer; false at the end.
bool CsvRecords::fill_more() {
  constexpr std::size_t kChunk = 1 << 16;
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  buffer_.resize(before + source_.read(buffer_.data() + before, kChunk));
  return buffer_.size() > before;
}

/// Tells whether the quote that was just read opens a cell in quotes: always, but between tabs only
/// if the quote that closes it is followed by the end of the cell.
bool CsvRecords::opens_quoted_cell() {
  constexpr std::size_t kFurthest = std::size_t{1} << 20;
  if (separator_ != '\t') return true;
  for (std::size_t ahead = 0; ahead < kFurthest; ++ahead) {
    if (at_ + ahead >= buffer_.size() && !fill_more()) return false;
    if (buffer_[at_ + ahead] != '"') continue;
    if (at_ + ahead + 1 >= buffer_.size() && !fill_more()) return true;
    const char after = buffer_[at_ + ahead + 1];
    if (after != '"') return after == separator_ || after == '\n' || after == '\r';
    ++ahead;
  }
  return false;
}

/// The next character, which stays; false at the end.
bool CsvRecords::peek(char& c) {
  if (at_ == buffer_.size() && !fill()) return false;
  c = buffer_[at_];
  return true;
}

/// Excel's first line "sep=;".
void CsvRecords::take_separator_line() {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.size() < 6 || !rest.starts_with("sep=")) return;
  const std::size_t end = rest.substr(5).starts_with("\r\n") ? 7 : 6;
  if (rest[end - 1] != '\n') return;
  if (separator_ == '\0') separator_ = rest[4];
  at_ += end;
  ++line_;
}

/// The candidate that stands most often in the header, outside quotes.
char CsvRecords::guess_separator() const {
  std::array<std::size_t, kSeparators.size()> counts{};
  bool quoted_part = false;
  for (std::size_t at = at_; at < buffer_.size(); ++at) {
    const char c = buffer_[at];
    if (c == '"') quoted_part = !quoted_part;
    if (quoted_part) continue;
    if (c == '\n' || c == '\r') break;
    const std::size_t candidate = kSeparators.find(c);
    if (candidate != std::string_view::npos) ++counts[candidate];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return kSeparators[static_cast<std::size_t>(most - counts.begin())];
}

void CsvRecords::append(char c) {
  if (++size_ > kLongestRecord)
    fail(to_string(where()), ": this record is longer than ", kLongestRecord >> 20,
         " MiB; is a quote not closed?");
  cells_.back() += c;
}

bool CsvRecords::read_record() {
  char c = '\0';
  if (!peek(c)) return false;
  while (peek(c)) {
    ++at_;
    if (c == '\n' || c == '\r') {
      char after = '\0';
      if (c == '\r' && peek(after) && after == '\n') ++at_;
      ++line_;
      return true;
    }
    if (c == separator_) {
      cells_.emplace_back();
      cell_was_quoted_ = false;
    } else if (c == '"' && cells_.back().empty() && !cell_was_quoted_ && opens_quoted_cell()) {
      read_quoted();
    } else if (c != ' ' || !cell_was_quoted_) {
      if (cell_was_quoted_)
        problem_ = concat("cell ", cells_.size(),
                          " goes on after its closing quote; a quote within quotes is doubled");
      append(c);
    }
  }
  return true;
}

/// The rest of a cell whose opening quote has been read, with the closing quote.
void CsvRecords::read_quoted() {
  cell_was_quoted_ = true;
  char c = '\0';
  while (peek(c)) {
    ++at_;
    if (c == '"') {
      if (!peek(c) || c != '"') return;
      ++at_;
    } else if (c == '\n') {
      ++line_;
    }
    append(c);
  }
  problem_ = concat("the quote of cell ", cells_.size(), " is never closed");
}

}  // namespace commonplace
