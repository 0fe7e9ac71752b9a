#include <algorithm>
#include <charconv>

#include "commonplace/formats/item_values.h"
#include "commonplace/formats/reading.h"
#include "commonplace/formats/sparse_text.h"

namespace commonplace {
namespace {

/// Whether indices count from 0 or from 1, and whether targets are lists of labels, is told from
/// the beginning of the file: this many lines or bytes, whichever comes first.
constexpr std::size_t kLinesToJudge = 1'000;
constexpr std::size_t kBytesToJudge = std::size_t{16} << 20;

struct Line {
  std::string text;
  Where where;
};

struct Conventions {
  std::int64_t first = 1;
  bool targets_are_tags = false;
};

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

Conventions judge(const std::vector<Line>& lines) {
  Conventions conventions;
  for (const Line& line : lines) {
    std::string_view rest = line.text;
    if (take_labels(rest).find(',') != std::string_view::npos) conventions.targets_are_tags = true;
    for (const std::string_view word : split(rest, " \t"))
      if (whole_number(word.substr(0, word.find(':'))) == 0) conventions.first = 0;
  }
  return conventions;
}

void require_number(std::string_view target) {
  std::string_view digits = target;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  require(problem == std::errc{} && end == digits.data() + digits.size(), "the target ",
          in_quotes(target), " is not a number; expected `target index:value ...`");
}

void add_target(Item& item, std::string_view target, const Conventions& conventions) {
  const bool tags = conventions.targets_are_tags || target.find(',') != std::string_view::npos;
  for (std::string_view part : split(target, tags ? "," : "")) {
    require_number(part);
    if (part.starts_with('+')) part.remove_prefix(1);
    if (tags) {
      item.tags.push_back(plain_tag(std::string(part)));
    } else {
      item.labels.push_back({"class", std::string(part)});
    }
  }
}

void emit(const Line& line, const Conventions& conventions, const Sink& sink) {
  Record record;
  record.where = line.where;
  record.item.id = std::to_string(line.where.line);
  const auto work = [&] {
    require_utf8(line.text);
    std::string_view rest = line.text;
    add_target(record.item, take_labels(rest), conventions);
    for (const std::string_view word : split(rest, " \t")) {
      if (word.starts_with("qid:")) {
        const auto query = whole_number(word.substr(4));
        require(query.has_value(), in_quotes(word), " is not qid:number");
        record.item.metadata = concat("{\"qid\":", *query, "}");
      } else {
        add_feature(record.features, word, conventions.first,
                    kMostSparseColumns - conventions.first);
      }
    }
    sort_features(record.features, conventions.first);
  };
  if (understand(sink, record.where, work)) sink.record(std::move(record));
}

}  // namespace

void read_svmlight(LineReader& lines, const Sink& sink) {
  ReadingProgress progress(sink, lines.where().file);
  std::vector<Line> judged;
  std::size_t bytes = 0;
  std::string_view written;
  const auto next = [&](Line& line) {
    while (lines.next(written)) {
      const std::string_view text = without_comment(written);
      if (trim(text).empty()) continue;
      line = {std::string(text), lines.where()};
      return true;
    }
    return false;
  };
  Line line;
  while (judged.size() < kLinesToJudge && bytes < kBytesToJudge && next(line)) {
    bytes += line.text.size();
    judged.push_back(std::move(line));
  }
  const Conventions conventions = judge(judged);
  for (const Line& each : judged) emit(each, conventions, sink);
  while (next(line)) {
    progress.step(lines.source());
    emit(line, conventions, sink);
  }
}

}  // namespace commonplace
