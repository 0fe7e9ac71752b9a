#include "commonplace/formats/recognise.h"

#include <algorithm>
#include <map>

#include "commonplace/base/join.h"
#include "commonplace/formats/fields.h"
#include "commonplace/formats/pictures/photo.h"
#include "commonplace/formats/reading.h"
#include "commonplace/formats/sparse_text.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPeek = std::size_t{64} << 10;

/// ".csv" of tags.csv.gz, in small letters.
std::string ending_of(const fs::path& file) {
  const std::string ending = lower_case(file.extension().string());
  return ending == ".gz" ? lower_case(file.stem().extension().string()) : ending;
}

/// The beginning of a file, unpacked, without a byte order mark.
std::string beginning_of(const fs::path& file) {
  const auto source = open_bytes(file);
  std::string bytes(kPeek, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const std::size_t got = source->read(bytes.data() + size, bytes.size() - size);
    if (got == 0) break;
    size += got;
  }
  bytes.resize(size);
  require(!bytes.starts_with("\xFF\xFE") && !bytes.starts_with("\xFE\xFF"), file.string(),
          ": is UTF-16; convert it first, e.g. with iconv -f utf-16 -t utf-8");
  return bytes.starts_with("\xEF\xBB\xBF") ? bytes.substr(3) : bytes;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool are_features(const std::vector<std::string_view>& words) {
  Features features;
  try {
    for (const std::string_view word : words)
      if (!word.starts_with("qid:")) add_feature(features, word, 0, kMostSparseColumns);
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// "3,17 2:0.5 9:1", with labels that are numbers and at least one feature.
bool is_sparse_line(std::string_view line) {
  const std::string_view labels = take_labels(line);
  const auto words = split(line, " \t\r");
  return labels.find_first_not_of("0123456789,.+-eE") == std::string_view::npos && !words.empty() &&
         are_features(words);
}

bool is_xc(std::string_view text) {
  const auto header = split(take_line(text), " \t\r");
  const auto is_number = [](std::string_view word) { return whole_number(word).has_value(); };
  if (header.size() != 3 || !std::all_of(header.begin(), header.end(), is_number)) return false;
  while (!text.empty()) {
    const bool cut_off = text.find('\n') == std::string_view::npos;
    const std::string_view line = take_line(text);
    if (line.find(':') != std::string_view::npos) return cut_off || is_sparse_line(line);
  }
  return true;
}

bool is_svmlight(std::string_view text) {
  while (!text.empty()) {
    const bool cut_off = text.find('\n') == std::string_view::npos && text.size() > kPeek / 2;
    std::string_view line = take_line(text);
    line = line.substr(0, line.find('#'));
    if (trim(line).empty()) continue;
    if (cut_off) line = line.substr(0, line.rfind(' '));
    return is_sparse_line(line);
  }
  return false;
}

/// A line that begins "@word{".
bool is_bibtex(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = trim(take_line(text));
    if (!line.starts_with('@')) continue;
    const std::size_t opening = line.find_first_of("{(");
    const std::string_view word = trim(line.substr(1, opening == line.npos ? 0 : opening - 1));
    if (!word.empty() &&
        lower_case(word).find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos)
      return true;
  }
  return false;
}

/// A header of two or more columns of which one has a usual name.
bool is_csv(std::string_view text) {
  const std::string_view header = take_line(text);
  const FieldNames names({});
  for (const char separator : std::string_view(",;\t|")) {
    const auto columns = split(header, {&separator, 1});
    for (std::string_view column : columns) {
      if (column.size() > 1 && column.front() == '"' && column.back() == '"')
        column = column.substr(1, column.size() - 2);
      for (const FieldNames::Target& target : names.targets())
        if (columns.size() > 1 && target.matches(column)) return true;
    }
  }
  return false;
}

std::optional<std::string> format_of_content(std::string_view bytes) {
  const std::string_view text = trim(bytes);
  if (text.empty() || text.find('\0') != std::string_view::npos) return std::nullopt;
  if (text.front() == '{') {
    const std::size_t end = json_value_end(text);
    const bool one_line = end == std::string_view::npos ? text.find('\n') == std::string_view::npos
                                                        : text.find('\n') >= end;
    return one_line ? std::optional<std::string>("jsonl") : std::nullopt;
  }
  if (text.front() == '[') {
    const bool has_href = text.find("\"href\"") != std::string_view::npos;
    return has_href ? std::optional<std::string>("pinboard") : std::nullopt;
  }
  if (text.front() == '<') {
    const std::string small = lower_case(text);
    const bool bookmarks =
        small.find("netscape-bookmark-file") != std::string::npos ||
        (small.find("<dl") != std::string::npos && small.find("<dt") != std::string::npos);
    return bookmarks ? std::optional<std::string>("bookmarks") : std::nullopt;
  }
  if (is_xc(text)) return "xc";
  if (is_svmlight(bytes)) return "svmlight";
  if (is_bibtex(text)) return "bibtex";
  if (is_csv(text)) return "csv";
  return std::nullopt;
}

/// Endings that settle the format by themselves.
std::optional<std::string> format_of_ending(const std::string& ending) {
  static const std::map<std::string, std::string> formats{
      {".csv", "csv"},           {".tsv", "tsv"},         {".tab", "tsv"},
      {".bib", "bibtex"},        {".bibtex", "bibtex"},   {".svm", "svmlight"},
      {".svmlight", "svmlight"}, {".libsvm", "svmlight"}, {".jsonl", "jsonl"},
      {".ndjson", "jsonl"}};
  const auto found = formats.find(ending);
  return found == formats.end() ? std::nullopt : std::optional(found->second);
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    std::error_code unknown;
    if (entry->is_regular_file(unknown) && !is_hidden(entry->path()))
      files.push_back(entry->path());
  }
  require(!problem, folder.string(), ": cannot be listed: ", problem.message());
  std::sort(files.begin(), files.end());
  return files;
}

bool is_names_of_xc(const fs::path& file) {
  const std::string stem = plain_stem(file);
  return ending_of(file) == ".txt" && (stem == "features" || stem == "labels");
}

/// Whether there is a photograph somewhere below; gives up after a million entries.
bool has_pictures_below(const fs::path& folder) {
  constexpr std::size_t kMostEntries = 1'000'000;
  std::error_code problem;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         problem);
  for (; !problem && entry != fs::recursive_directory_iterator() && seen < kMostEntries; ++seen) {
    if (is_picture(entry->path()) && !is_hidden(entry->path())) return true;
    entry.increment(problem);
  }
  return false;
}

std::string recognise_folder(const fs::path& folder) {
  std::map<std::string, std::size_t> counts;
  for (const fs::path& file : files_in(folder)) {
    if (is_names_of_xc(file)) continue;
    if (const auto format = format_of_file(file)) ++counts[*format];
  }
  if (counts.empty()) {
    require(has_pictures_below(folder), folder.string(),
            ": this folder holds nothing that can be read; the formats are ",
            join(import_formats()));
    return "photos";
  }
  std::string found;
  for (const auto& [format, count] : counts)
    found += concat(found.empty() ? "" : ", ", count, " ", format);
  require(counts.size() == 1, folder.string(), ": this folder holds files of several formats (",
          found, "); name one file, or say which to read with --format");
  return counts.begin()->first;
}

}  // namespace

std::string plain_stem(const fs::path& file) {
  return lower_case(file.extension().string()) == ".gz" ? file.stem().stem().string()
                                                        : file.stem().string();
}

std::optional<std::string> format_of_file(const fs::path& file) {
  if (is_picture(file)) return "photos";
  if (ending_of(file) == ".xmp") return std::nullopt;  // of a picture, in whatever encoding
  const auto by_name = format_of_ending(ending_of(file));
  if (by_name && by_name != "jsonl") return by_name;
  const auto by_content = format_of_content(beginning_of(file));
  return by_content ? by_content : by_name;
}

std::vector<fs::path> files_of_format(const fs::path& folder, const std::string& format) {
  std::vector<fs::path> files;
  for (const fs::path& file : files_in(folder))
    if (!is_names_of_xc(file) && format_of_file(file) == format) files.push_back(file);
  return files;
}

const std::vector<std::string>& import_formats() {
  static const std::vector<std::string> formats{
      "jsonl", "csv", "tsv", "bookmarks", "pinboard", "bibtex", "xc", "svmlight", "photos"};
  return formats;
}

std::string recognise_format(const fs::path& source) {
  std::error_code problem;
  require(fs::exists(source, problem), source.string(), ": there is no such file or folder");
  if (fs::is_directory(source, problem)) return recognise_folder(source);
  const std::string ending = ending_of(source);
  require(ending != ".npy" && ending != ".npz", source.string(),
          ": is a matrix, not a collection; use `commonplace features ... --from`");
  const auto format = format_of_file(source);
  require(format != "photos", source.string(), ": is one picture; add the folder that it is in");
  require(format.has_value(), source.string(), ": is in no format that is known; the formats are ",
          join(import_formats()), ". Say which it is with --format",
          ending == ".json" ? ", or write one JSON object a line (jq -c '.[]')" : "");
  return *format;
}

}  // namespace commonplace
