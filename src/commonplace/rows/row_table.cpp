#include "commonplace/rows/row_table.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace {

namespace fs = std::filesystem;

namespace {

bool has_features(const Library& library, const Collection& collection, const std::string& name) {
  const std::vector<FeatureRecord> records = feature_records(library, collection);
  return std::any_of(records.begin(), records.end(),
                     [&](const FeatureRecord& each) { return each.name == name; });
}

bool is_there(const ImageSource& source) {
  std::error_code error;
  return fs::is_regular_file(source.location, error);
}

}  // namespace

void require_most_files(const Library& library, const Collection& collection,
                        const std::string& name, const std::vector<ImageSource>& sources,
                        Comm& comm) {
  std::int64_t files = 0;
  std::int64_t missing = 0;
  std::string first;
  for (const ImageSource& source : sources) {
    if (source.location.empty() || source.location.find("://") != std::string::npos) continue;
    ++files;
    if (!is_there(source) && missing++ == 0) first = source.location;
  }
  const bool stored = has_features(library, collection, name);
  if (!comm.broadcast(stored && files > 0 && missing * 10 >= files * 9, 0)) return;
  fail(missing, " of the ", files, " pictures of '", collection.name, "' are not there (such as ",
       first, "); the features '", name,
       "' are left as they are. If a disk is away, connect it and try again; if the pictures have "
       "moved or are gone, add their folder again");
}

void require_files_of_rows(const Library& library, const Collection& collection,
                           const std::string& name, const std::string& model,
                           const std::vector<ImageSource>& sources, Comm& comm) {
  const auto table_record = find_model(library, row_table_name(model), kRowTableKind);
  if (!table_record || !has_features(library, collection, name)) return;
  const RowTable table = load_table(table_record->file);
  std::int64_t missing = 0;
  std::string first;
  for (const ImageSource& source : sources) {
    const auto state = table.states.find(source.id);
    if (state == table.states.end() || !state->second.known || !state->second.problem.empty() ||
        source.location.empty() || is_there(source))
      continue;
    if (missing++ == 0) first = source.location;
  }
  if (!comm.broadcast(missing > 0, 0)) return;
  fail("everything would be made anew, but ", missing, " pictures of '", collection.name,
       "' that have features '", name, "' are not there (such as ", first,
       "); the features are left as they are. If a disk is away, connect it and try again; if "
       "the pictures are gone, remove the features first (commonplace remove)");
}

std::string digest_of(const std::string& model, const std::vector<ImageSource>& sources,
                      const std::vector<RowState>& states) {
  Xxh64 hash;
  auto add = [&](const std::string& text) {
    hash.update(std::as_bytes(std::span<const char>(text.data(), text.size() + 1)));
  };
  add(model);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    add(sources[i].id);
    add(states[i].problem);
    add(concat(states[i].known, " ", states[i].fingerprint));
  }
  return hexadecimal(hash.digest());
}

std::optional<ModelRecord> find_model(const Library& library, const std::string& name,
                                      const std::string& kind) {
  for (ModelRecord& record : model_records(library))
    if (record.name == name && record.kind == kind) return std::move(record);
  return {};
}

void store_table(Library& library, const std::string& name, const std::string& digest,
                 const std::string& model, const std::vector<ImageSource>& sources,
                 const std::vector<RowState>& states) {
  std::vector<std::string> ids;
  std::vector<std::string> problems;
  std::vector<std::int64_t> fingerprints;
  std::vector<std::int32_t> known;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ids.push_back(sources[i].id);
    problems.push_back(states[i].problem);
    fingerprints.push_back(static_cast<std::int64_t>(states[i].fingerprint));
    known.push_back(states[i].known ? 1 : 0);
  }
  store_model(library, {name, kRowTableKind, {}, "{}", "{}", ""}, [&](const fs::path& path) {
    TensorWriter writer;
    describe_model(writer, kRowTableKind, 1, "{}");
    writer.set("digest", digest);
    writer.set("model", model);
    writer.add_strings("ids", ids);
    writer.add_strings("problems", problems);
    writer.add("fingerprints", std::span<const std::int64_t>(fingerprints));
    writer.add("known", std::span<const std::int32_t>(known));
    writer.write(path);
  });
}

RowTable load_table(const fs::path& path) {
  const TensorFile file(path);
  require_kind(file, kRowTableKind, 1);
  RowTable table{file.metadata("digest"), file.metadata("model"), {}};
  const std::vector<std::string> ids = file.strings("ids");
  const std::vector<std::string> problems = file.strings("problems");
  const auto fingerprints = file.longs("fingerprints");
  const auto known = file.ints("known");
  require(problems.size() == ids.size() && fingerprints.size() == ids.size() &&
              known.size() == ids.size(),
          file.name(), ": the columns differ in length; the file is damaged");
  for (std::size_t i = 0; i < ids.size(); ++i)
    table.states[ids[i]] = {known[i] != 0, static_cast<std::uint64_t>(fingerprints[i]),
                            problems[i]};
  return table;
}

}  // namespace commonplace
