#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/progress.h"
#include "commonplace/formats/item.h"
#include "commonplace/io/lines.h"

namespace commonplace {

/// From our field names to the source's: {"text", "overview"}, {"labels", "group"}. A field may be
/// named several times (two label fields, title and body both into text).
using FieldMap = std::vector<std::pair<std::string, std::string>>;

/// "text=overview,tags=keywords" -> pairs; Error for a field of ours other than id, title, text,
/// tags, image, lat, lon, time, labels. fields.h says what each takes.
FieldMap parse_field_map(const std::string& text);

struct ReadOptions {
  FieldMap map;
  std::vector<std::string> columns;  ///< of a CSV without a header: their names
  char tag_separator = '\0';         ///< between the tags in a cell of a CSV; '\0': guess it
  bool labels_from_folders = false;  ///< a file's folder becomes its label "folder"
  std::filesystem::path root;        ///< the folder that relative image paths start from
  int jobs = 0;                      ///< threads for formats with a file per item
  std::string id_prefix;  ///< put before line numbers that serve as ids, to tell files apart
};

/// What a source said of one item.
struct Record {
  Item item;
  Where where;
  /// For the sparse formats: (column, value), columns ascending.
  std::vector<std::pair<std::int32_t, float>> features;
};

/// Where a reader puts what it finds, all called from one thread. Only `record` is always used.
struct Sink {
  std::function<void(Record&&)> record;
  /// A record that could not be understood. It may throw, which ends the reading.
  std::function<void(const Where&, const std::string& message)> bad;
  /// Something of the source that was not taken, where no record is lost by it: files of kinds that
  /// are not read, a sidecar that could not be understood.
  std::function<void(const Where&, const std::string& message)> note;
  /// The names of the feature columns of a sparse source, before its first record.
  std::function<void(std::vector<std::string>&& names)> feature_names;
  Progress progress = no_progress;
};

/// One reader per format. Each takes the bytes (or the folder), calls the sink, and throws Error
/// only for what spoils the whole source (missing, truncated gzip, no header). Memory is bounded
/// by the largest record, except for Pinboard, one JSON document, which is limited to 1 GiB, and
/// browsers' bookmarks, which are held whole (256 MiB, a million bookmarks at most) because the
/// same address in two folders is one item.

/// One JSON object a line, a bookmark as Pinboard writes it among them.
void read_jsonl(LineReader& lines, const ReadOptions& options, const Sink& sink);
/// RFC 4180 with a header. The separator '\0' stands for the one of , ; tab | that the header has
/// most of. An empty cell is an absent value; a row of another length than the header is bad.
void read_csv(ByteSource& bytes, const std::string& name, char separator,
              const ReadOptions& options, const Sink& sink);
/// Netscape's HTML. The address is the id and metadata "url"; the folders are one tag
/// "folder/subfolder", without those that browsers make themselves; Firefox's queries (place:) are
/// left out and data: addresses are bad records.
void read_bookmarks(ByteSource& bytes, const std::string& name, const Sink& sink);
void read_pinboard(ByteSource& bytes, const std::string& name, const Sink& sink);
/// The key is the id, keywords are tags, LaTeX becomes Unicode, other fields and the type are
/// metadata. After a broken entry reading goes on at the next '@' at a line's start.
void read_bibtex(LineReader& lines, const Sink& sink);
/// `target index:value ... # comment`. A number is the label "class", a list of them tags. Whether
/// indices count from 0 or 1 is told by the first thousand lines. The line number is the id.
void read_svmlight(LineReader& lines, const Sink& sink);

/// The names that go with XC's numbers; empty where there are none.
struct XcNames {
  std::vector<std::string> features;
  std::vector<std::string> labels;
};
/// Labels become tags. A number of lines other than the header's is told to `bad` at the end.
/// `split` (such as "train"), when not empty, becomes the label "split" and the front of the ids.
void read_xc(LineReader& lines, const XcNames& names, const std::string& split, const Sink& sink);

/// A folder of photographs (JPEG, PNG, WebP, TIFF) and drawings (SVG), below it too.
void read_photos(const std::filesystem::path& folder, const ReadOptions& options, const Sink& sink);

/// The formats by name, as `--format` takes them.
const std::vector<std::string>& import_formats();

/// Which of them `source` is, by its name and its first bytes; Error if it is none, naming the
/// formats.
std::string recognise_format(const std::filesystem::path& source);

/// Reads `source` (a file, or a folder of files of one format) as `format`.
void read_source(const std::filesystem::path& source, const std::string& format,
                 const ReadOptions& options, const Sink& sink);

}  // namespace commonplace
