#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include "app/cli/answers_json.h"
#include "arrays.h"
#include "commonplace/api/inside.h"
#include "commonplace/detect/ask.h"
#include "commonplace/detect/learn.h"
#include "commonplace/detect/model.h"
#include "commonplace/detect/update.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/library/decisions.h"
#include "commonplace/library/import_items.h"
#include "commonplace/library/items.h"
#include "commonplace/library/lessons.h"
#include "commonplace/library/stored_features.h"
#include "commonplace/library/stored_models.h"
#include "commonplace/relate/ask.h"
#include "commonplace/relate/learn.h"
#include "commonplace/rows/encoder_features.h"
#include "commonplace/search/ask.h"
#include "commonplace/search/learn.h"
#include "commonplace/suggest/ask.h"
#include "commonplace/suggest/learn.h"
#include "commonplace/suggest/update.h"
#include "commonplace/transfer/ask.h"
#include "module.h"
#include "options.h"
#include "watched.h"

namespace commonplace::python {
namespace {

using Json = nlohmann::ordered_json;

/// A library open for reading; what writes opens it once more. Answers are JSON, the same as
/// `--json` has on the command line.
class OpenLibrary {
 private:
  const Library& reading() const { return api::inside(library_); }

  template <class Work>
  auto writing(int jobs, const py::object& progress, Work work) {
    api::Library library(library_.path(), api::Library::Access::write);
    return watched(jobs, progress, [&](const Run& run) { return work(library, run); });
  }
  template <class Work>
  auto in_house(int jobs, const py::object& progress, Work work) {
    return writing(jobs, progress, [&](api::Library& library, const Run& run) {
      return work(api::inside(library), run);
    });
  }
  template <class Learn>
  std::string learned(int jobs, const py::object& progress, Learn learn) {
    const std::string report = in_house(jobs, progress, [&](Library& library, const Run& run) {
      return to_json(learn(library, run));
    });
    forget();
    return report;
  }

 public:
  explicit OpenLibrary(const std::string& path) : library_(std::filesystem::path(path)) {}
  static void create(const std::string& path) { Library::create(path); }

  std::string path() const { return library_.path().string(); }
  std::string collections() const { return to_json(app::collections_answer(reading())); }
  std::string models() const {
    JsonMaker json;
    write_json(json.value(), model_records(reading()));
    return json.text();
  }
  std::string items(const std::string& collection, bool machine) const {
    const Collection chosen = commonplace::collection(reading(), collection);
    return unlocked([&] {
      Json all = Json::array();
      ItemReader reader(reading(), chosen, {.machine = machine});
      for (Item item; reader.next(item);) all.push_back(app::item_json(item));
      return all.dump(-1, ' ', false, Json::error_handler_t::replace);
    });
  }
  std::string item(const std::string& collection, const std::string& id) const {
    return app::whole_item_json(reading(), commonplace::collection(reading(), collection), id)
        .dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  std::vector<std::string> ids(const std::string& collection) const {
    return item_ids(reading(), commonplace::collection(reading(), collection));
  }
  std::vector<std::pair<std::string, std::int64_t>> tags(const std::string& collection) const {
    std::vector<std::pair<std::string, std::int64_t>> uses;
    for (const api::TagUse& each : api::tags(library_, collection))
      uses.emplace_back(each.name, each.items);
    return uses;
  }

  std::string add_source(const std::string& collection, const std::string& source,
                         const std::string& format, bool labels_from_folders, bool prune, int jobs,
                         const py::object& progress) {
    api::AddOptions options;
    options.format = format;
    options.labels_from_folders = labels_from_folders;
    options.prune = prune;
    const api::AddReport report =
        writing(jobs, progress, [&](api::Library& library, const Run& run) {
          return api::add(library, collection, source, options,
                          {.jobs = run.jobs, .progress = run.progress});
        });
    return Json{{"format", report.format},   {"added", report.added},
                {"updated", report.updated}, {"unchanged", report.unchanged},
                {"removed", report.removed}, {"missing", report.missing},
                {"bad", report.bad},         {"problems", report.problems}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void add_items(const std::string& collection, const std::vector<Item>& items) {
    writing(1, py::none(), [&](api::Library& library, const Run&) {
      api::add(library, collection, items);
      return 0;
    });
  }
  void decide(const std::string& collection,
              const std::vector<std::tuple<std::string, std::string, int>>& decisions) {
    std::vector<Decision> stored;
    for (const auto& [item, tag, verdict] : decisions) {
      require(verdict >= -1 && verdict <= 1, "a verdict is ", verdict, "; expected -1, 0 or 1");
      stored.push_back({item, tag, static_cast<Verdict>(verdict), ""});
    }
    in_house(1, py::none(), [&](Library& library, const Run&) {
      commonplace::decide(library, commonplace::collection(library, collection), stored);
      return 0;
    });
  }
  std::vector<std::tuple<std::string, std::string, int, std::string>> decisions(
      const std::string& collection) const {
    std::vector<std::tuple<std::string, std::string, int, std::string>> all;
    for (const Decision& each : decisions_in_force(reading(), collection))
      all.emplace_back(each.item, each.tag, static_cast<int>(each.verdict), each.time);
    return all;
  }

  /// (name, sparse, rows, columns, source, file) of each.
  std::vector<std::tuple<std::string, bool, std::int64_t, std::int64_t, std::string, std::string>>
  features(const std::string& collection) const {
    std::vector<std::tuple<std::string, bool, std::int64_t, std::int64_t, std::string, std::string>>
        all;
    for (const FeatureRecord& each :
         feature_records(reading(), commonplace::collection(reading(), collection)))
      all.emplace_back(each.name, each.sparse, each.rows, each.columns, each.source,
                       each.file.string());
    return all;
  }
  /// Data, indices, starts, columns and their names.
  py::tuple sparse_features(const std::string& collection, const std::string& name) const {
    const SparseFeatures features(
        feature_record(reading(), commonplace::collection(reading(), collection), name));
    Sparse rows = copy(features.matrix());
    return py::make_tuple(give(std::move(rows.values)), give(std::move(rows.indices)),
                          give(std::move(rows.starts)), rows.columns, features.names());
  }
  void store_features(const std::string& collection, const std::string& name, const Rows& rows) {
    const FeatureRows features = rows.rows();
    in_house(1, py::none(), [&](Library& library, const Run&) {
      const Collection chosen = commonplace::collection(library, collection);
      if (features.is_sparse())
        commonplace::store_features(library, chosen, name, features.sparse(), {}, "Python");
      else
        commonplace::store_features(library, chosen, name, Matrix(features.dense()), "Python");
      return 0;
    });
  }
  void make_features(const std::string& collection, const std::string& what,
                     const api::Settings& settings, const std::string& name, int jobs,
                     const py::object& progress) {
    writing(jobs, progress, [&](api::Library& library, const Run& run) {
      api::make_features(library, collection, what, settings, name,
                         {.jobs = run.jobs, .progress = run.progress});
      return 0;
    });
  }
  void encode_features(const std::string& collection, const std::string& name,
                       const std::string& encoder, const std::string& runtime, int jobs,
                       const py::object& progress) {
    EncoderFeatureOptions options;
    options.encoder = encoder;
    options.runtime = runtime;
    in_house(jobs, progress, [&](Library& library, const Run& run) {
      make_encoder_features(library, commonplace::collection(library, collection), name, options,
                            run);
      return 0;
    });
  }

  std::string learn_search(const std::string& target, const std::vector<std::string>& auxiliaries,
                           const std::string& name, const py::dict& options, int jobs,
                           const py::object& progress) {
    const auto parsed = options_from<search::ModelOptions>(options);
    return learned(jobs, progress, [&](Library& library, const Run& run) {
      return search::learn(library, target, auxiliaries, name, parsed, run);
    });
  }
  std::string learn_suggest(const std::string& collection, const std::string& name,
                            const py::dict& options, int jobs, const py::object& progress) {
    const auto parsed = options_from<suggest::ModelOptions>(options);
    return learned(jobs, progress, [&](Library& library, const Run& run) {
      return suggest::learn(library, collection, name, parsed, run);
    });
  }
  std::string learn_detect(const std::string& collection, const std::string& name,
                           const py::dict& options, int jobs, const py::object& progress) {
    const auto parsed = options_from<detect::ModelOptions>(options);
    return learned(jobs, progress, [&](Library& library, const Run& run) {
      return detect::learn(library, collection, name, parsed, run);
    });
  }
  std::string learn_relate(const std::string& name, const py::dict& options, int jobs,
                           const py::object& progress) {
    const auto parsed = options_from<relate::ModelOptions>(options);
    return learned(jobs, progress, [&](Library& library, const Run& run) {
      return relate::learn(library, name, parsed, run);
    });
  }

  std::string search(const std::string& query, const std::vector<std::string>& collections,
                     const std::vector<std::string>& models, std::int64_t limit, bool explain,
                     int jobs, const py::object& progress) {
    const search::Query parsed = search::parse_query(query);
    const search::Options options{.limit = limit, .explain = explain};
    return watched(jobs, progress, [&](const Run& run) {
      search::Results::Searchers searchers;
      std::vector<search::Ranking> rankings;
      for (const search::SearchPlace& place :
           search::search_places(reading(), collections, models)) {
        searchers.push_back(searcher(place, run));
        rankings.push_back(searchers.back()->rank(parsed, options));
      }
      const search::Results results(searchers, std::move(rankings), limit);
      return to_json(
          search::Answer{results.page(0, limit, options), results.unknown(), results.problem()});
    });
  }
  std::vector<std::string> suggest(const std::vector<suggest::EvidenceOf>& things,
                                   const std::vector<std::string>& ids,
                                   const std::string& collection, const std::string& model,
                                   std::int64_t limit, std::optional<double> threshold,
                                   bool explain, int jobs, const py::object& progress) {
    suggest::Options options;
    options.limit = limit;
    options.threshold = threshold;
    options.explain = explain;
    return watched(jobs, progress, [&](const Run& run) {
      const suggest::Answerer& asked = suggester(model, collection, run);
      std::vector<std::string> answers;
      for (const suggest::Answer& each : asked.ask(things, options))
        answers.push_back(to_json(each));
      const std::string& from = collection.empty() ? asked.collection() : collection;
      if (!ids.empty())
        for (const suggest::Answer& each : asked.ask(from, ids, options))
          answers.push_back(to_json(each));
      return answers;
    });
  }
  void teach(const std::string& collection, const std::string& concept_name,
             const std::vector<std::pair<std::string, int>>& lessons) {
    std::vector<Lesson> stored;
    for (const auto& [item, shows] : lessons) stored.push_back({item, shows, ""});
    in_house(1, py::none(), [&](Library& library, const Run&) {
      commonplace::teach(
          library,
          commonplace::collection(library, detect::collection_to_teach(library, collection)),
          concept_name, stored);
      return 0;
    });
  }
  std::string detect(const std::string& concept_name, const std::string& collection,
                     const std::string& model, std::int64_t limit, bool uncertain, int jobs,
                     const py::object& progress) {
    const detect::Options options{.limit = limit, .uncertain = uncertain};
    return watched(jobs, progress, [&](const Run& run) {
      return to_json(finder(model, collection, run).ask(concept_name, options));
    });
  }
  std::string relate(const relate::Query& query, const std::string& model, int jobs) {
    return unlocked([&] { return to_json(relation(model, jobs).ask(query)); });
  }
  std::string transfer(const transfer::Request& request, const py::dict& options, int jobs,
                       const py::object& progress) {
    const auto parsed = options_from<transfer::Options>(options);
    const std::string answer = in_house(jobs, progress, [&](Library& library, const Run& run) {
      return to_json(transfer::ask(library, request, {}, parsed, run));
    });
    forget();
    return answer;
  }

 private:
  /// What was opened is opened anew when the library's models or collections are others.
  void forget() {
    searchers_.clear();
    suggesters_.clear();
    finders_.clear();
    relations_.clear();
  }
  void heed_changes() {
    std::string now = collections() + models();
    if (now == opened_at_) return;
    opened_at_ = std::move(now);
    forget();
  }

  std::shared_ptr<const search::Answerer> searcher(const search::SearchPlace& place,
                                                   const Run& run) {
    heed_changes();
    auto& held = searchers_[{place.collection, place.model}];
    if (!held)
      held = std::make_shared<search::Answerer>(reading(), place.collection, place.model, run);
    return held;
  }
  const suggest::Answerer& suggester(const std::string& model, const std::string& collection,
                                     const Run& run) {
    heed_changes();
    auto& held = suggesters_[{model, collection}];
    if (!held)
      held = std::make_unique<suggest::Answerer>(reading(), model, collection, run);
    else
      held->refresh();
    return *held;
  }
  const detect::Answerer& finder(const std::string& model, const std::string& collection,
                                 const Run& run) {
    heed_changes();
    auto& held = finders_[{model, collection}];
    if (!held) held = std::make_unique<detect::Answerer>(reading(), model, collection, run);
    return *held;
  }
  const relate::Answerer& relation(const std::string& model, int jobs) {
    heed_changes();
    auto& held = relations_[model];
    if (!held) held = std::make_unique<relate::Answerer>(reading(), model, jobs);
    return *held;
  }

  using Names = std::pair<std::string, std::string>;
  api::Library library_;
  std::string opened_at_;
  std::map<Names, std::shared_ptr<const search::Answerer>> searchers_;
  std::map<Names, std::unique_ptr<suggest::Answerer>> suggesters_;
  std::map<Names, std::unique_ptr<detect::Answerer>> finders_;
  std::map<std::string, std::unique_ptr<relate::Answerer>> relations_;
};

template <class Value>
Value given(const py::dict& from, const char* name, Value otherwise) {
  return from.contains(name) && !py::object(from[name]).is_none()
             ? py::object(from[name]).cast<Value>()
             : otherwise;
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

suggest::EvidenceOf evidence_from(const py::dict& from) {
  suggest::EvidenceOf thing;
  thing.text = given<std::string>(from, "text", "");
  thing.tags = given<std::vector<std::string>>(from, "tags", {});
  thing.vectors = given<std::map<std::string, std::vector<float>>>(from, "vectors", {});
  thing.picture = given<std::string>(from, "picture", "");
  thing.picture_called = given<std::string>(from, "picture_called", "the picture");
  return thing;
}

relate::Query query_from(const py::dict& from) {
  relate::Query query;
  query.item = given<std::string>(from, "item", "");
  query.collection = given<std::string>(from, "collection", "");
  query.tag = given<std::string>(from, "tag", "");
  query.text = given<std::string>(from, "text", "");
  query.modalities = given<std::vector<std::string>>(from, "kinds", {});
  query.limit = given<std::int64_t>(from, "limit", 10);
  query.explain = given<bool>(from, "explain", false);
  if (const auto at = given<std::optional<std::pair<double, double>>>(from, "at", {}))
    query.at = Place{at->first, at->second};
  return query;
}

transfer::Request request_from(const py::dict& from) {
  transfer::Request request;
  request.sources = given<std::vector<std::string>>(from, "sources", {});
  request.target = given<std::string>(from, "target", "");
  request.through = given<std::vector<std::string>>(from, "through", {});
  request.direct = given<bool>(from, "direct", false);
  request.force = given<bool>(from, "force", false);
  request.dry_run = given<bool>(from, "dry_run", false);
  request.above = given<double>(from, "above", 0);
  request.name = given<std::string>(from, "name", "");
  return request;
}

}  // namespace

void bind_library(py::module_& module) {
  using Self = OpenLibrary;
  py::class_<Self>(module, "Library")
      .def(py::init<const std::string&>(), py::arg("path"))
      .def_static("create", &Self::create, py::arg("path"))
      .def_property_readonly("path", &Self::path)
      .def("collections", &Self::collections)
      .def("models", &Self::models)
      .def("items", &Self::items, py::arg("collection"), py::arg("machine"))
      .def("item", &Self::item, py::arg("collection"), py::arg("id"))
      .def("ids", &Self::ids, py::arg("collection"))
      .def("tags", &Self::tags, py::arg("collection"))
      .def("add_source", &Self::add_source, py::arg("collection"), py::arg("source"),
           py::arg("format"), py::arg("labels_from_folders"), py::arg("prune"), py::arg("jobs"),
           py::arg("progress"))
      .def(
          "add_items",
          [](Self& self, const std::string& collection, const std::vector<py::dict>& items) {
            std::vector<Item> parsed;
            for (const py::dict& each : items) parsed.push_back(item_from(each));
            self.add_items(collection, parsed);
          },
          py::arg("collection"), py::arg("items"))
      .def("decide", &Self::decide, py::arg("collection"), py::arg("decisions"))
      .def("decisions", &Self::decisions, py::arg("collection"))
      .def("features", &Self::features, py::arg("collection"))
      .def("sparse_features", &Self::sparse_features, py::arg("collection"), py::arg("name"))
      .def("store_features", &Self::store_features, py::arg("collection"), py::arg("name"),
           py::arg("rows"))
      .def("make_features", &Self::make_features, py::arg("collection"), py::arg("what"),
           py::arg("settings"), py::arg("name"), py::arg("jobs"), py::arg("progress"))
      .def("encode_features", &Self::encode_features, py::arg("collection"), py::arg("name"),
           py::arg("encoder"), py::arg("runtime"), py::arg("jobs"), py::arg("progress"))
      .def("learn_search", &Self::learn_search, py::arg("target"), py::arg("auxiliaries"),
           py::arg("name"), py::arg("options"), py::arg("jobs"), py::arg("progress"))
      .def("learn_suggest", &Self::learn_suggest, py::arg("collection"), py::arg("name"),
           py::arg("options"), py::arg("jobs"), py::arg("progress"))
      .def("learn_detect", &Self::learn_detect, py::arg("collection"), py::arg("name"),
           py::arg("options"), py::arg("jobs"), py::arg("progress"))
      .def("learn_relate", &Self::learn_relate, py::arg("name"), py::arg("options"),
           py::arg("jobs"), py::arg("progress"))
      .def("search", &Self::search, py::arg("query"), py::arg("collections"), py::arg("models"),
           py::arg("limit"), py::arg("explain"), py::arg("jobs"), py::arg("progress"))
      .def(
          "suggest",
          [](Self& self, const std::vector<py::dict>& things, const std::vector<std::string>& ids,
             const std::string& collection, const std::string& model, std::int64_t limit,
             std::optional<double> threshold, bool explain, int jobs, const py::object& progress) {
            std::vector<suggest::EvidenceOf> evidence;
            for (const py::dict& each : things) evidence.push_back(evidence_from(each));
            return self.suggest(evidence, ids, collection, model, limit, threshold, explain, jobs,
                                progress);
          },
          py::arg("things"), py::arg("ids"), py::arg("collection"), py::arg("model"),
          py::arg("limit"), py::arg("threshold"), py::arg("explain"), py::arg("jobs"),
          py::arg("progress"))
      .def("teach", &Self::teach, py::arg("collection"), py::arg("concept"), py::arg("lessons"))
      .def("detect", &Self::detect, py::arg("concept"), py::arg("collection"), py::arg("model"),
           py::arg("limit"), py::arg("uncertain"), py::arg("jobs"), py::arg("progress"))
      .def(
          "relate",
          [](Self& self, const py::dict& query, const std::string& model, int jobs) {
            return self.relate(query_from(query), model, jobs);
          },
          py::arg("query"), py::arg("model"), py::arg("jobs"))
      .def(
          "transfer",
          [](Self& self, const py::dict& request, const py::dict& options, int jobs,
             const py::object& progress) {
            return self.transfer(request_from(request), options, jobs, progress);
          },
          py::arg("request"), py::arg("options"), py::arg("jobs"), py::arg("progress"));
}

}  // namespace commonplace::python
