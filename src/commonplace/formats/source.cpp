#include <algorithm>
#include <filesystem>

#include "commonplace/base/join.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/reading.h"
#include "commonplace/formats/recognise.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

/// The lines of NAME.txt or NAME.txt.gz in `folder`, or nothing if there is none.
std::vector<std::string> read_names(const fs::path& folder, const std::string& name) {
  std::vector<std::string> names;
  for (const char* ending : {".txt", ".txt.gz"}) {
    const fs::path file = folder / (name + ending);
    std::error_code problem;
    if (!fs::is_regular_file(file, problem)) continue;
    LineReader lines(open_bytes(file), file.string());
    std::string_view line;
    while (lines.next(line)) names.push_back(assume_utf8(trim(line)));
    return names;
  }
  return names;
}

/// Train comes before the others, as it does everywhere else.
void put_training_first(std::vector<fs::path>& files) {
  std::stable_partition(files.begin(), files.end(),
                        [](const fs::path& file) { return plain_stem(file) == "train"; });
}

void read_xc_files(std::vector<fs::path> files, const Sink& sink) {
  put_training_first(files);
  const fs::path folder = files.front().parent_path();
  const XcNames names{read_names(folder, "features"), read_names(folder, "labels")};
  Sink each_sink = sink;
  std::size_t columns = 0;
  each_sink.feature_names = [&](std::vector<std::string>&& told) {
    columns = told.size();
    if (sink.feature_names) sink.feature_names(std::move(told));
  };
  for (const fs::path& file : files) {
    LineReader lines(open_bytes(file), file.string());
    read_xc(lines, names, files.size() > 1 ? plain_stem(file) : "", each_sink);
    each_sink.feature_names = [&](std::vector<std::string>&& told) {
      require(told.size() == columns, files.front().string(), ": has ", columns,
              " features, but another file of the folder has ", told.size());
    };
  }
}

void read_svmlight_file(const fs::path& file, const std::string& id_prefix, const Sink& sink) {
  Sink renaming = sink;
  renaming.record = [&](Record&& record) {
    record.item.id.insert(0, id_prefix);
    sink.record(std::move(record));
  };
  LineReader lines(open_bytes(file), file.string());
  read_svmlight(lines, renaming);
}

void read_text_file(const fs::path& file, const std::string& format, const ReadOptions& options,
                    const Sink& sink) {
  const std::string name = file.string();
  if (format == "jsonl") {
    LineReader lines(open_bytes(file), name);
    read_jsonl(lines, options, sink);
  } else if (format == "csv" || format == "tsv") {
    read_csv(*open_bytes(file), name, format == "tsv" ? '\t' : '\0', options, sink);
  } else if (format == "bookmarks") {
    read_bookmarks(*open_bytes(file), name, sink);
  } else if (format == "pinboard") {
    read_pinboard(*open_bytes(file), name, sink);
  } else if (format == "bibtex") {
    LineReader lines(open_bytes(file), name);
    read_bibtex(lines, sink);
  } else {
    read_svmlight_file(file, options.id_prefix, sink);
  }
}

void require_known(const std::string& format) {
  const std::vector<std::string>& formats = import_formats();
  require(std::find(formats.begin(), formats.end(), format) != formats.end(), in_quotes(format),
          " is not a format; the formats are ", join(formats));
}

}  // namespace

void read_source(const fs::path& source, const std::string& format, const ReadOptions& options,
                 const Sink& sink) {
  require_known(format);
  std::error_code problem;
  require(fs::exists(source, problem), source.string(), ": there is no such file or folder");
  const bool folder = fs::is_directory(source, problem);
  if (format == "photos") {
    require(folder, source.string(), ": photos are read from a folder; add the one it is in");
    return read_photos(source, options, sink);
  }
  const std::vector<fs::path> files =
      folder ? files_of_format(source, format) : std::vector<fs::path>{source};
  require(!files.empty(), source.string(), ": there is no ", format, " file in this folder");
  if (format == "xc") return read_xc_files(files, sink);
  for (const fs::path& file : files) {
    ReadOptions own = options;
    if (files.size() > 1) own.id_prefix = plain_stem(file) + "/" + options.id_prefix;
    read_text_file(file, format, own, sink);
  }
}

}  // namespace commonplace
