#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/error.h"
#include "commonplace/export.h"
#include "commonplace/item.h"
#include "commonplace/run.h"

namespace commonplace::api {

/// A directory with collections of items, their features, and models. Any number of processes may
/// read it while one writes. One Library is for one thread at a time; open another for another.
class COMMONPLACE_API Library {
 public:
  enum class Access { read, write };

  /// Makes an empty library. The directory may exist if it is empty.
  static Library create(const std::filesystem::path& path);
  /// Opens it and brings an older one up to date. Error if there is none.
  explicit Library(const std::filesystem::path& path, Access access = Access::read);
  ~Library();
  Library(Library&&) noexcept;
  Library& operator=(Library&&) noexcept;

  const std::filesystem::path& path() const;

  struct Parts;  ///< known to the library's own sources alone
  Parts& parts() { return *parts_; }
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

struct Collection {
  std::string name;
  std::string source;  ///< the file or folder that it was last added from
  std::string root;    ///< the folder that relative image paths start from
  std::string format;
  std::int64_t items = 0;
  std::string changed;  ///< when it was last added
};

/// All collections, by name.
COMMONPLACE_API std::vector<Collection> collections(const Library& library);
/// Removes the collection with its items, features and links. Decisions stay.
COMMONPLACE_API void remove_collection(Library& library, std::string_view collection);

struct AddOptions {
  std::string format{};  ///< as `commonplace add --format`; empty: recognise it
  /// From our field names to the source's: {"text", "overview"}.
  std::vector<std::pair<std::string, std::string>> map{};
  std::filesystem::path root{};      ///< the folder that relative image paths start from
  bool labels_from_folders = false;  ///< a file's folder becomes its label "folder"
  bool strict = false;               ///< the first bad record ends it and nothing is changed
  bool prune = false;                ///< items that the source no longer has are removed
};

struct AddReport {
  std::string format;
  std::int64_t added = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::int64_t removed = 0;
  std::int64_t missing = 0;           ///< kept although the source no longer has them
  std::int64_t bad = 0;               ///< records that were skipped
  std::vector<std::string> problems;  ///< "file:line: message", of the first hundred
};

/// Adds the items of a file or folder to a collection, which is made if need be. Items that are
/// there are updated where the source says something new; decisions stay. All or nothing.
COMMONPLACE_API AddReport add(Library& library, const std::string& collection,
                              const std::filesystem::path& source, const AddOptions& options = {},
                              const Run& run = {});

/// Adds items from memory to a collection, which is made if need be, or updates those of the same
/// ids; all or none. Error for an item that cannot be.
COMMONPLACE_API void add(Library& library, const std::string& collection,
                         std::span<const Item> items);

/// The item of that id; nothing if the collection has none.
COMMONPLACE_API std::optional<Item> find_item(const Library& library, std::string_view collection,
                                              std::string_view id);
/// Calls `visit` with each item, in the order of their rows, until it returns false. Memory does
/// not grow with the collection. With `machine_tags` also tags that models gave.
COMMONPLACE_API void visit_items(const Library& library, std::string_view collection,
                                 const std::function<bool(const Item& item)>& visit,
                                 bool machine_tags = false);

/// A tag and how many items have it.
struct TagUse {
  std::string name;
  std::int64_t items = 0;
};
/// The tags of a collection, most used first; decisions are heeded.
COMMONPLACE_API std::vector<TagUse> tags(const Library& library, std::string_view collection);

enum class Verdict {
  rejected = -1,  ///< not this tag: it is hidden, never suggested again, and counts as a negative
  withdrawn = 0,  ///< as if nothing had been decided
  accepted = 1,   ///< this tag, as if the user had given it
};

struct Decision {
  std::string item;
  std::string tag;
  Verdict verdict = Verdict::accepted;
  std::string time{};  ///< of those that are read
};

/// Adds to the log of decisions, all or none. Each item must be in the collection.
COMMONPLACE_API void decide(Library& library, std::string_view collection,
                            std::span<const Decision> decisions);
/// The decisions in force for a collection, oldest first.
COMMONPLACE_API std::vector<Decision> decisions(const Library& library,
                                                std::string_view collection);

/// Features of a collection: row r belongs to the item of row r.
struct Features {
  std::string name;
  bool sparse = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::string source;  ///< a file, or how they were computed
};
/// The features of a collection, by name.
COMMONPLACE_API std::vector<Features> features(const Library& library, std::string_view collection);
/// Stores vectors, such as embeddings, under a name in place of those before: one row of `columns`
/// numbers for each item, one row after the other.
COMMONPLACE_API Features store_features(Library& library, std::string_view collection,
                                        std::string_view name, std::span<const float> values,
                                        std::size_t columns);
/// Makes features of `what` the items have: "text" or "tags" (sparse tf-idf), "topics" (dense, of
/// text), "tag_topics" (dense), or of pictures "sift", "surf", "gist" (dense). They are named as
/// `what` unless `name` says otherwise.
COMMONPLACE_API Features make_features(Library& library, std::string_view collection,
                                       const std::string& what, const Settings& settings = {},
                                       const std::string& name = {}, const Run& run = {});

/// A model that was learned.
struct Model {
  std::string name;
  std::string kind;     ///< search, suggest, detect, relate, bridges, ...
  std::string options;  ///< JSON
  std::string report;   ///< JSON: what learning it took and achieved
  std::string created;
};
/// All models, by name.
COMMONPLACE_API std::vector<Model> models(const Library& library);
/// Removes a model and the tags it gave; Error if there is none.
COMMONPLACE_API void remove_model(Library& library, std::string_view name);

}  // namespace commonplace::api

#ifndef COMMONPLACE_INSIDE
namespace commonplace {
using api::add;
using api::AddOptions;
using api::AddReport;
using api::Collection;
using api::collections;
using api::decide;
using api::Decision;
using api::decisions;
using api::Features;
using api::features;
using api::find_item;
using api::Library;
using api::make_features;
using api::Model;
using api::models;
using api::remove_collection;
using api::remove_model;
using api::store_features;
using api::tags;
using api::TagUse;
using api::Verdict;
using api::visit_items;
}  // namespace commonplace
#endif
