#include "commonplace/rows/row_table.h"

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/xxhash64.h"

namespace commonplace {

namespace fs = std::filesystem;

std::string digest_of(const std::string& model, const std::vector<ImageSource>& sources,
                      const std::vector<ImageState>& states) {
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
                 const std::vector<ImageState>& states) {
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
