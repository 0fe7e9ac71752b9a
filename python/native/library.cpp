#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include "app/cli/answers_json.h"
#include "arrays.h"
#include "commonplace/library/items/import_items.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/items/links.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/rows/encoder_features.h"
#include "module.h"
#include "open_library.h"

namespace commonplace::python {

namespace {

std::string opened_state(const Library& library) {
  JsonMaker models;
  write_json(models.value(), model_records(library));
  return to_json(app::collections_answer(library)) + models.text();
}

}  // namespace

void OpenLibrary::heed_changes() {
  std::string now = opened_state(reading());
  if (now == opened_at_) return;
  opened_at_ = std::move(now);
  searchers_.clear();
  suggesters_.clear();
  finders_.clear();
  relations_.clear();
}

std::shared_ptr<const search::Answerer> OpenLibrary::searcher(const search::SearchPlace& place,
                                                              const Run& run) {
  heed_changes();
  auto& held = searchers_[{place.collection, place.model}];
  if (!held)
    held = std::make_shared<search::Answerer>(reading(), place.collection, place.model, run);
  return held;
}

const suggest::Answerer& OpenLibrary::suggester(const std::string& model,
                                                const std::string& collection, const Run& run) {
  heed_changes();
  auto& held = suggesters_[{model, collection}];
  if (!held)
    held = std::make_unique<suggest::Answerer>(reading(), model, collection, run);
  else
    held->refresh();
  return *held;
}

const detect::Answerer& OpenLibrary::finder(const std::string& model, const std::string& collection,
                                            const Run& run) {
  heed_changes();
  auto& held = finders_[{model, collection}];
  if (!held) held = std::make_unique<detect::Answerer>(reading(), model, collection, run);
  return *held;
}

const relate::Answerer& OpenLibrary::relation(const std::string& model, int jobs) {
  heed_changes();
  auto& held = relations_[model];
  if (!held) held = std::make_unique<relate::Answerer>(reading(), model, jobs);
  return *held;
}

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string path(OpenLibrary& self) { return self.path(); }

std::string collections(OpenLibrary& self) {
  return to_json(app::collections_answer(self.reading()));
}

std::string models(OpenLibrary& self) {
  JsonMaker json;
  write_json(json.value(), model_records(self.reading()));
  return json.text();
}

// What is in a collection.

std::string items(OpenLibrary& self, const std::string& collection, bool machine) {
  const Collection chosen = commonplace::collection(self.reading(), collection);
  return unlocked([&] {
    Json all = Json::array();
    ItemReader reader(self.reading(), chosen, {.machine = machine});
    for (Item item; reader.next(item);) all.push_back(app::item_json(item));
    return text_of(all);
  });
}

std::string item(OpenLibrary& self, const std::string& collection, const std::string& id) {
  return text_of(app::whole_item_json(self.reading(),
                                      commonplace::collection(self.reading(), collection), id));
}

std::vector<std::pair<std::string, std::int64_t>> tags(OpenLibrary& self,
                                                       const std::string& collection) {
  std::vector<std::pair<std::string, std::int64_t>> uses;
  for (const api::TagUse& each : api::tags(self.front(), collection))
    uses.emplace_back(each.name, each.items);
  return uses;
}

std::string add_source(OpenLibrary& self, const std::string& collection, const std::string& source,
                       const std::string& format, bool labels_from_folders, bool prune, int jobs,
                       const py::object& progress) {
  api::AddOptions options;
  options.format = format;
  options.labels_from_folders = labels_from_folders;
  options.prune = prune;
  const api::AddReport report =
      self.front_writing(jobs, progress, [&](api::Library& library, const Run& run) {
        return api::add(library, collection, source, options,
                        {.jobs = run.jobs, .progress = run.progress});
      });
  return text_of({{"format", report.format},
                  {"added", report.added},
                  {"updated", report.updated},
                  {"unchanged", report.unchanged},
                  {"removed", report.removed},
                  {"missing", report.missing},
                  {"bad", report.bad},
                  {"problems", report.problems}});
}

Item item_from(const py::dict& from) {
  Item item;
  item.id = given<std::string>(from, "id", "");
  item.title = given<std::string>(from, "title", "");
  item.text = given<std::string>(from, "text", "");
  for (const std::string& tag : given<std::vector<std::string>>(from, "tags", {}))
    item.tags.emplace_back().name = tag;
  item.image = given<std::string>(from, "image", "");
  item.time = given<std::string>(from, "time", "");
  if (const auto at = given<std::optional<std::pair<double, double>>>(from, "place", {}))
    item.place = Place{at->first, at->second};
  for (const auto& [field, value] : given<std::map<std::string, std::string>>(from, "labels", {}))
    item.labels.push_back({.field = field, .value = value});
  item.metadata = given<std::string>(from, "metadata", "");
  return item;
}

void add_items(OpenLibrary& self, const std::string& collection,
               const std::vector<py::dict>& items) {
  std::vector<Item> parsed;
  for (const py::dict& each : items) parsed.push_back(item_from(each));
  self.front_writing(1, py::none(), [&](api::Library& library, const Run&) {
    api::add(library, collection, parsed);
    return 0;
  });
}

// What people say of it.

void decide(OpenLibrary& self, const std::string& collection,
            const std::vector<std::tuple<std::string, std::string, int>>& decisions) {
  std::vector<Decision> stored;
  for (const auto& [item, tag, verdict] : decisions) {
    require(verdict >= -1 && verdict <= 1, "a verdict is ", verdict, "; expected -1, 0 or 1");
    stored.push_back({item, tag, static_cast<Verdict>(verdict), ""});
  }
  self.writing(1, py::none(), [&](Library& library, const Run&) {
    commonplace::decide(library, commonplace::collection(library, collection), stored);
    return 0;
  });
}

std::vector<std::tuple<std::string, std::string, int, std::string>> decisions(
    OpenLibrary& self, const std::string& collection) {
  std::vector<std::tuple<std::string, std::string, int, std::string>> all;
  for (const Decision& each : decisions_in_force(self.reading(), collection))
    all.emplace_back(each.item, each.tag, static_cast<int>(each.verdict), each.time);
  return all;
}

using LinkTuple = std::tuple<std::string, std::string, double>;

/// Links from a file, or if `file` is empty those given.
std::string link(OpenLibrary& self, const std::string& from, const std::string& to,
                 const std::string& file, const std::vector<LinkTuple>& links, int jobs,
                 const py::object& progress) {
  std::vector<Link> stored;
  for (const auto& [a, b, weight] : links) stored.push_back({a, b, weight});
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    const Collection first = commonplace::collection(library, from);
    const Collection second = commonplace::collection(library, to);
    const LinkSummary summary = file.empty()
                                    ? store_links(library, first, second, stored)
                                    : import_links(library, first, second, file, run.progress);
    Json json = {{"from", first.name}, {"to", second.name}};
    json.update(as_json(summary));
    return text_of(json);
  });
}

std::vector<LinkTuple> links(OpenLibrary& self, const std::string& from, const std::string& to) {
  std::vector<LinkTuple> all;
  visit_links(self.reading(), commonplace::collection(self.reading(), from),
              commonplace::collection(self.reading(), to),
              [&](const Link& each) { all.emplace_back(each.a, each.b, each.weight); });
  return all;
}

// Features.

/// Name, whether it is sparse, rows, columns, where it comes from, file.
using FeatureTuple =
    std::tuple<std::string, bool, std::int64_t, std::int64_t, std::string, std::string>;

std::vector<FeatureTuple> features(OpenLibrary& self, const std::string& collection) {
  std::vector<FeatureTuple> all;
  for (const FeatureRecord& each :
       feature_records(self.reading(), commonplace::collection(self.reading(), collection)))
    all.emplace_back(each.name, each.sparse, each.rows, each.columns, each.source,
                     each.file.string());
  return all;
}

/// Shows numpy numbers of a mapped file, which `owner` keeps open; they cannot be written to.
template <class Scalar>
py::array shown(std::span<const Scalar> values, const py::capsule& owner) {
  py::array_t<Scalar> array({static_cast<py::ssize_t>(values.size())}, {sizeof(Scalar)},
                            values.data(), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// Values, columns and starts of sparse features as they lie in their mapped file, how many columns
/// there are, and their names, which may be none.
py::tuple sparse_features(OpenLibrary& self, const std::string& collection,
                          const std::string& name) {
  auto held = std::make_unique<SparseFeatures>(
      feature_record(self.reading(), commonplace::collection(self.reading(), collection), name));
  const SparseFeatures& features = *held;
  const py::capsule owner(held.release(),
                          [](void* at) { delete static_cast<SparseFeatures*>(at); });
  const SparseView rows = features.matrix();
  return py::make_tuple(shown(rows.values, owner), shown(rows.indices, owner),
                        shown(rows.starts, owner), rows.columns, features.names());
}

void store_features(OpenLibrary& self, const std::string& collection, const std::string& name,
                    const Rows& rows) {
  const FeatureRows features = rows.rows();
  self.writing(1, py::none(), [&](Library& library, const Run&) {
    const Collection chosen = commonplace::collection(library, collection);
    if (features.is_sparse()) {
      commonplace::store_features(library, chosen, name, features.sparse(), {}, "Python");
    } else {
      const MatrixView dense = features.dense();
      commonplace::store_features(
          library, chosen, {name, false, dense.rows(), dense.cols(), "Python", {}},
          NpyNumbers::float32, [&](NpyWriter& writer) { writer.write(dense); });
    }
    return 0;
  });
}

void make_features(OpenLibrary& self, const std::string& collection, const std::string& what,
                   const api::Settings& settings, const std::string& name, int jobs,
                   const py::object& progress) {
  self.front_writing(jobs, progress, [&](api::Library& library, const Run& run) {
    api::make_features(library, collection, what, settings, name,
                       {.jobs = run.jobs, .progress = run.progress});
    return 0;
  });
}

void encode_features(OpenLibrary& self, const std::string& collection, const std::string& name,
                     const std::string& encoder, const std::string& runtime, int jobs,
                     const py::object& progress) {
  EncoderFeatureOptions options;
  options.encoder = encoder;
  options.runtime = runtime;
  self.writing(jobs, progress, [&](Library& library, const Run& run) {
    make_encoder_features(library, commonplace::collection(library, collection), name, options,
                          run);
    return 0;
  });
}

}  // namespace

void bind_library(py::module_& module) {
  const auto jobs = py::arg("jobs");
  const auto progress = py::arg("progress");
  LibraryClass library(module, "Library");
  library.def(py::init<const std::string&>(), py::arg("path"))
      .def_static(
          "create", [](const std::string& at) { Library::create(at); }, py::arg("path"))
      .def_property_readonly("path", &path)
      .def("collections", one_at_a_time(&collections))
      .def("models", one_at_a_time(&models))
      .def("items", one_at_a_time(&items), py::arg("collection"), py::arg("machine"))
      .def("item", one_at_a_time(&item), py::arg("collection"), py::arg("id"))
      .def("tags", one_at_a_time(&tags), py::arg("collection"))
      .def("add_source", one_at_a_time(&add_source), py::arg("collection"), py::arg("source"),
           py::arg("format"), py::arg("labels_from_folders"), py::arg("prune"), jobs, progress)
      .def("add_items", one_at_a_time(&add_items), py::arg("collection"), py::arg("items"))
      .def("decide", one_at_a_time(&decide), py::arg("collection"), py::arg("decisions"))
      .def("decisions", one_at_a_time(&decisions), py::arg("collection"))
      .def("link", one_at_a_time(&link), py::arg("from"), py::arg("to"), py::arg("file"),
           py::arg("links"), jobs, progress)
      .def("links", one_at_a_time(&links), py::arg("from"), py::arg("to"))
      .def("features", one_at_a_time(&features), py::arg("collection"))
      .def("sparse_features", one_at_a_time(&sparse_features), py::arg("collection"),
           py::arg("name"))
      .def("store_features", one_at_a_time(&store_features), py::arg("collection"), py::arg("name"),
           py::arg("rows"))
      .def("make_features", one_at_a_time(&make_features), py::arg("collection"), py::arg("what"),
           py::arg("settings"), py::arg("name"), jobs, progress)
      .def("encode_features", one_at_a_time(&encode_features), py::arg("collection"),
           py::arg("name"), py::arg("encoder"), py::arg("runtime"), jobs, progress);
  bind_verbs(module, library);
}

}  // namespace commonplace::python
