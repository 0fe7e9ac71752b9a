#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/base/fields.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// What the library knows of a model; its numbers are in `file`.
struct ModelRecord {
  std::string name;
  std::string kind;            ///< "named" for one that only gave tags elsewhere
  std::filesystem::path file;  ///< empty for such a one
  std::string options;         ///< JSON
  std::string report;          ///< JSON: what learning it took and achieved
  std::string created;
};
template <class Visit>
void visit_fields(const ModelRecord& record, Visit&& visit) {
  visit("name", record.name, "of the model");
  visit("kind", record.kind, "search, suggest, detect, relate, transfer or bridge-choice");
  visit("created", record.created, "when");
  visit("options", JsonObjectText{record.options}, "that it was learned with");
  visit("report", JsonObjectText{record.report}, "what learning took and achieved");
}

/// All models, by name.
std::vector<ModelRecord> model_records(const Library& library);
/// The one of that name; Error, listing the names there are, if there is none.
ModelRecord model_record(const Library& library, std::string_view name);

/// Stores a model under `record.name` and replaces the one before, whose machine tags stay; all or
/// nothing. `write` is given the path for the model's file; `record.file` and `record.created` are
/// filled in.
ModelRecord store_model(Library& library, ModelRecord record,
                        const std::function<void(const std::filesystem::path&)>& write);

/// Removes a model, its file and the tags it gave; Error if there is none.
void remove_model(Library& library, std::string_view name);

/// The name under which the index of a collection's words is recorded; nobody can give it to a
/// model.
std::string word_index_name(const Collection& collection);
/// The file of a collection's index of words, if one was stored. It is no model: model_records has
/// it not, and it goes with its collection.
std::optional<std::filesystem::path> word_index_file(const Library& library,
                                                     const Collection& collection);
/// Stores the index of words of a collection and replaces the one before, as store_model does.
void store_word_index(Library& library, const Collection& collection,
                      const std::function<void(const std::filesystem::path&)>& write);

/// Records a name that machine tags are given under, if there is no model of that name yet.
void name_model(Library& library, std::string_view name);

struct MachineTag {
  std::string item;
  std::string tag;
  double score = 0;  ///< in [0, 1]
};
/// Replaces all that `model` said of the items of `collection`; all or nothing. Human tags and
/// decisions are not touched: they are not in the same table.
void store_machine_tags(Library& library, const Collection& collection, std::string_view model,
                        const std::vector<MachineTag>& tags);
/// How many tags `model` has given to items of `collection`.
std::int64_t count_machine_tags(const Library& library, const Collection& collection,
                                std::string_view model);

}  // namespace commonplace
