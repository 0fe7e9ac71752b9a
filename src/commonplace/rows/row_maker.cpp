#include "commonplace/rows/row_maker.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/rows/stored_record.h"

namespace commonplace {

namespace fs = std::filesystem;

RowMaker::RowMaker(Library& library, const Collection& collection, const std::string& name,
                   const Run& run)
    : library_(library),
      collection_(collection),
      name_(name),
      model_name_(collection.name + "." + name),
      run_(run),
      folder_(library.path() / "unfinished" / concat(collection.id, "-", name)),
      sources_(image_sources(library, collection)),
      states_(sources_.size()),
      done_(sources_.size(), false) {
  require_same(run.comm, state_of(library, collection),
               concat("collection '", collection.name, "'"));
}

std::optional<RowMaker::Stored> RowMaker::stored(
    const std::string& fingerprint, std::int64_t columns,
    const std::function<std::string(const std::string&)>& source) const {
  const std::vector<FeatureRecord> records = feature_records(library_, collection_);
  const auto record = std::find_if(records.begin(), records.end(), [&](const FeatureRecord& each) {
    return each.name == name_ && !each.sparse;
  });
  const auto table_record = find_model(library_, row_table_name(model_name_), kRowTableKind);
  if (record == records.end() || !table_record) return {};
  RowTable table = load_table(table_record->file);
  if (table.model != fingerprint || record->columns != columns ||
      record->source != source(table.digest))
    return {};
  return Stored{*record, std::move(table)};
}

void RowMaker::keep_pictures(const RowTable& table, std::int64_t count) {
  const std::vector<std::string> found =
      make_by_picture(count, "comparing pictures", run_, [&](std::int64_t number) {
        const ImageSource& source = sources_[static_cast<std::size_t>(number)];
        const auto known = table.states.find(source.id);
        RowState state;
        if (known == table.states.end() || !known->second.known || source.location.empty())
          return to_bytes(state);
        try {
          if (read_image(source).fingerprint == known->second.fingerprint) state = known->second;
        } catch (const Error&) {
          state = known->second;
          state.away = true;
        }
        return to_bytes(state);
      });
  for (std::size_t i = 0; i < found.size(); ++i) {
    states_[i] = row_state(found[i]);
    done_[i] = states_[i].known;
  }
}

std::int64_t RowMaker::count_kept(const FeatureRecord& record) {
  unchanged_ = record.rows == std::ssize(sources_) &&
               std::all_of(done_.begin(), done_.end(), [](bool done) { return done; });
  kept_record_ = record;
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < done_.size(); ++i)
    if (done_[i] && states_[i].problem.empty()) ++kept;
  return kept;
}

std::vector<std::int64_t> RowMaker::rest() const {
  std::vector<std::int64_t> rest;
  for (std::size_t i = 0; i < done_.size(); ++i)
    if (!done_[i]) rest.push_back(static_cast<std::int64_t>(i));
  return rest;
}

std::int64_t RowMaker::made() const {
  return std::count_if(states_.begin(), states_.end(),
                       [](const RowState& state) { return state.problem.empty(); });
}

void RowMaker::add_skipped(std::size_t i, std::vector<SkippedItem>& skipped) const {
  if (!states_[i].problem.empty())
    skipped.push_back({sources_[i].id, states_[i].problem});
  else if (states_[i].away)
    skipped.push_back({sources_[i].id, concat("cannot be read now: ", sources_[i].location,
                                              "; what was made of it before is kept")});
}

std::string RowMaker::store_made(const std::string& fingerprint) {
  const std::string digest = digest_of(fingerprint, sources_, states_);
  store_table(library_, row_table_name(model_name_), digest, fingerprint, sources_, states_);
  return digest;
}

FeatureRecord RowMaker::finish(const std::function<FeatureRecord()>& store) {
  FeatureRecord record;
  on_root(run_.comm, [&] {
    record = store();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    fs::remove(folder_.parent_path(), ignored);  // unless other work is unfinished
  });
  return broadcast_record(run_.comm, record);
}

}  // namespace commonplace
