#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "commonplace/comm/comm.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/image_rows.h"
#include "commonplace/rows/image_sources.h"

namespace commonplace {

/// Kind and name have words of when rows were of pictures alone: libraries hold them.
constexpr const char* kRowTableKind = "image_table";
inline std::string row_table_name(const std::string& model) { return model + ".images"; }

/// An item that cannot be read; its row is the one it had while it could, else zeros.
struct SkippedItem {
  std::string id;
  std::string reason;
};

/// What the rows of stored features were made of, by item: of which file or text, by which model.
struct RowTable {
  std::string digest;  ///< the features made together with it have it in their source
  std::string model;   ///< fingerprint of the model
  std::unordered_map<std::string, RowState> states;
};

/// A number for what `store_table` would store.
std::string digest_of(const std::string& model, const std::vector<ImageSource>& sources,
                      const std::vector<RowState>& states);

void store_table(Library& library, const std::string& name, const std::string& digest,
                 const std::string& model, const std::vector<ImageSource>& sources,
                 const std::vector<RowState>& states);
RowTable load_table(const std::filesystem::path& path);

/// Refuses to go on where rows that are stored would be made of nearly no file: Error if nine in
/// ten of the pictures are not there. Collective.
void require_most_files(const Library& library, const Collection& collection,
                        const std::string& name, const std::vector<ImageSource>& sources,
                        Comm& comm);
/// Refuses to make everything anew where a picture that has a row is not there: what was made of it
/// before does not fit another model, so it would be lost. Collective.
void require_files_of_rows(const Library& library, const Collection& collection,
                           const std::string& name, const std::string& model,
                           const std::vector<ImageSource>& sources, Comm& comm);

/// The model of that name and kind, if there is one.
std::optional<ModelRecord> find_model(const Library& library, const std::string& name,
                                      const std::string& kind);

}  // namespace commonplace
