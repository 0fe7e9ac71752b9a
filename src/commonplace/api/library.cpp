#include "commonplace/library.h"

#include <algorithm>

#include "commonplace/api/inside.h"
#include "commonplace/library/items/import_items.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/rows/image_features.h"
#include "commonplace/rows/text_features.h"

namespace commonplace::api {
namespace {

namespace house = ::commonplace;

house::Collection chosen(const Library& library, std::string_view name) {
  return house::collection(inside(library), name);
}

Features translate(const FeatureRecord& record) {
  return {record.name, record.sparse, record.rows, record.columns, record.source};
}

}  // namespace

Library Library::create(const std::filesystem::path& path) {
  house::Library::create(path);
  return Library(path, Access::write);
}

Library::Library(const std::filesystem::path& path, Access access)
    : parts_(new Parts{house::Library(path, access == Access::write
                                                ? house::Library::Access::write
                                                : house::Library::Access::read)}) {}
Library::~Library() = default;
Library::Library(Library&&) noexcept = default;
Library& Library::operator=(Library&&) noexcept = default;
const std::filesystem::path& Library::path() const { return parts_->library.path(); }

std::vector<Collection> collections(const Library& library) {
  return each_of(house::collections(inside(library)), [](const house::Collection& each) {
    return Collection{each.name, each.source, each.root, each.format, each.items, each.changed};
  });
}

void remove_collection(Library& library, std::string_view collection) {
  house::remove_collection(inside(library), chosen(library, collection));
}

AddReport add(Library& library, const std::string& collection, const std::filesystem::path& source,
              const AddOptions& options, const Run& run) {
  ImportOptions import;
  import.format = options.format;
  import.read.map = options.map;
  import.read.root = options.root;
  import.read.labels_from_folders = options.labels_from_folders;
  import.read.jobs = run.jobs;
  import.strict = options.strict;
  import.prune = options.prune;
  const ImportSummary summary =
      import_collection(inside(library), collection, source, import, inside(run).progress);
  return {summary.format,
          summary.added,
          summary.updated,
          summary.unchanged,
          summary.removed,
          summary.missing,
          summary.bad,
          each_of(summary.problems,
                  [](const Problem& each) { return to_string(each.where) + ": " + each.message; })};
}

void add(Library& library, const std::string& collection, std::span<const Item> items) {
  house::add_items(inside(library), collection, {items.begin(), items.end()});
}

std::optional<Item> find_item(const Library& library, std::string_view collection,
                              std::string_view id) {
  return ItemReader(inside(library), chosen(library, collection)).find(id);
}

void visit_items(const Library& library, std::string_view collection,
                 const std::function<bool(const Item& item)>& visit, bool machine_tags) {
  ItemReader reader(inside(library), chosen(library, collection), {machine_tags, 0});
  Item item;
  while (reader.next(item))
    if (!visit(item)) return;
}

std::vector<TagUse> tags(const Library& library, std::string_view collection) {
  return each_of(tag_uses(inside(library), chosen(library, collection)),
                 [](const house::TagUse& each) {
                   return TagUse{each.name, each.items};
                 });
}

void decide(Library& library, std::string_view collection, std::span<const Decision> decisions) {
  house::decide(inside(library), chosen(library, collection),
                each_of(decisions, [](const Decision& each) {
                  return house::Decision{each.item, each.tag,
                                         static_cast<house::Verdict>(each.verdict), each.time};
                }));
}

std::vector<Decision> decisions(const Library& library, std::string_view collection) {
  return each_of(decisions_in_force(inside(library), collection), [](const house::Decision& each) {
    return Decision{each.item, each.tag, static_cast<Verdict>(each.verdict), each.time};
  });
}

std::vector<Features> features(const Library& library, std::string_view collection) {
  return each_of(feature_records(inside(library), chosen(library, collection)), translate);
}

Features store_features(Library& library, std::string_view collection, std::string_view name,
                        std::span<const float> values, std::size_t columns) {
  require(columns > 0 && values.size() % columns == 0, "the features '", name, "' have ",
          values.size(), " values; expected a multiple of the ", columns, " columns");
  const auto rows = static_cast<Eigen::Index>(values.size() / columns);
  Matrix matrix(rows, static_cast<Eigen::Index>(columns));
  std::copy(values.begin(), values.end(), matrix.data());
  const house::Collection owner = chosen(library, collection);
  require(rows == owner.items, "the features '", name, "' have ", rows, " rows; expected one for ",
          "each of the ", owner.items, " items of '", owner.name, "'");
  return translate(house::store_features(inside(library), owner, name, matrix, "memory"));
}

Features make_features(Library& library, std::string_view collection, const std::string& what,
                       const Settings& settings, const std::string& name, const Run& run) {
  const house::Collection owner = chosen(library, collection);
  const std::string called = name.empty() ? what : name;
  TfidfOptions words;
  if (what == "text" || what == "tags") {
    apply_settings(settings, words);
    return translate(
        what == "text"
            ? make_text_features(inside(library), owner, called, words, inside(run)).record
            : make_tag_features(inside(library), owner, called, words, inside(run)).record);
  }
  if (what == "topics" || what == "tag_topics") {
    PlsaOptions topics;
    apply_settings(settings, words, topics);
    return translate(make_topics(inside(library), owner, called, what == "tag_topics", words,
                                 topics, inside(run))
                         .record);
  }
  ImageFeatureOptions pictures;
  apply_settings(settings, pictures);
  pictures.image = what;
  return translate(
      make_image_features(inside(library), owner, called, pictures, false, inside(run)).record);
}

std::vector<Model> models(const Library& library) {
  return each_of(model_records(inside(library)), [](const ModelRecord& each) {
    return Model{each.name, each.kind, each.options, each.report, each.created};
  });
}

void remove_model(Library& library, std::string_view name) {
  house::remove_model(inside(library), name);
}

}  // namespace commonplace::api
