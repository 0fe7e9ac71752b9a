#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

#include "app/cli/keep/json.h"
#include "commonplace/base/join.h"
#include "commonplace/detect/apply.h"
#include "commonplace/detect/evaluate_report.h"
#include "commonplace/detect/learn.h"
#include "commonplace/detect/update.h"
#include "commonplace/library/stored/evaluations.h"
#include "commonplace/library/tags/lessons.h"
#include "commonplace/relate/evaluate_report.h"
#include "commonplace/relate/learn.h"
#include "commonplace/relate/rows.h"
#include "commonplace/search/evaluate.h"
#include "commonplace/search/learn.h"
#include "commonplace/suggest/apply.h"
#include "commonplace/suggest/audit.h"
#include "commonplace/suggest/evaluate_report.h"
#include "commonplace/suggest/learn.h"
#include "commonplace/suggest/update.h"
#include "commonplace/transfer/ask.h"
#include "commonplace/transfer/evaluate.h"
#include "open_library.h"
#include "options.h"

namespace commonplace::python {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What is learned.

std::string learn_search(OpenLibrary& self, const std::string& target, const Names& auxiliaries,
                         const std::string& name, const py::dict& options, int jobs,
                         const py::object& progress) {
  const auto parsed = options_from<search::ModelOptions>(options);
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    return to_json(search::learn(library, target, auxiliaries, name, parsed, run));
  });
}

std::string learn_suggest(OpenLibrary& self, const std::string& collection, const std::string& name,
                          const py::dict& options, int jobs, const py::object& progress) {
  const auto parsed = options_from<suggest::ModelOptions>(options);
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    return to_json(suggest::learn(library, collection, name, parsed, run));
  });
}

std::string learn_detect(OpenLibrary& self, const std::string& collection, const std::string& name,
                         const py::dict& options, int jobs, const py::object& progress) {
  const auto parsed = options_from<detect::ModelOptions>(options);
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    return to_json(detect::learn(library, collection, name, parsed, run));
  });
}

std::string learn_relate(OpenLibrary& self, const std::string& name, const py::dict& options,
                         int jobs, const py::object& progress) {
  const auto parsed = options_from<relate::ModelOptions>(options);
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    return to_json(relate::learn(library, name, parsed, run));
  });
}

std::string learn_transfer(OpenLibrary& self, const Names& candidates, const py::dict& options,
                           int jobs, const py::object& progress) {
  const auto parsed = options_from<transfer::ReadOptions>(options);
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    return to_json(transfer::learn_bridges(library, candidates, parsed, {}, run));
  });
}

/// Brings one model up to date.
std::string update_model(OpenLibrary& self, const std::string& verb, const std::string& name,
                         int jobs, const py::object& progress) {
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    if (verb == "relate") return to_json(relate::update(library, name, run));
    Json json = {{"model", name}};
    json.update(verb == "suggest" ? as_json(suggest::update(library, name, run))
                                  : as_json(detect::update(library, name, run)));
    return text_of(json);
  });
}

/// Does whatever is out of date in the library.
std::string update_library(OpenLibrary& self, int jobs, const py::object& progress) {
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    const std::optional<KeepLock> lock = KeepLock::take(library);
    require(lock.has_value(), self.path(), ": another process is bringing it up to date");
    const KeepTools tools = keep_tools();
    const std::vector<KeptStep> did = bring_up_to_date(
        library, tools, [](const KeptStep&) {}, run);
    return text_of(app::as_json(plan_upkeep(library, tools), did));
  });
}

std::string status(OpenLibrary& self) {
  return unlocked([&] {
    Json json = app::as_json(plan_upkeep(self.reading(), keep_tools()));
    json["working"] = is_kept_now(self.reading());
    return text_of(json);
  });
}

// What is answered.

std::string search(OpenLibrary& self, const py::dict& asked, const Names& collections,
                   const Names& models, int jobs, const py::object& progress) {
  const search::Options options{.limit = given<std::int64_t>(asked, "limit", 20),
                                .explain = given(asked, "explain", false),
                                .whole_terms = given(asked, "exact", false),
                                .words_only = given(asked, "words_only", false)};
  const search::Query query = search::parse_query(given<std::string>(asked, "query", ""));
  const auto like = given<std::string>(asked, "like", "");
  const auto picture = given<std::string>(asked, "picture", "");
  const auto picture_called = given<std::string>(asked, "picture_called", "the picture");
  require(like.empty() || collections.size() == 1, "say which collection has '", like, "'");
  return watched(jobs, progress, [&](const Run& run) {
    search::Results::Searchers searchers;
    std::vector<search::Ranking> rankings;
    for (const search::SearchPlace& place :
         search::search_places(self.reading(), collections, models)) {
      searchers.push_back(self.searcher(place, run));
      const search::Answerer& searcher = *searchers.back();
      rankings.push_back(!like.empty() ? searcher.rank_like(collections.front(), like, options)
                         : !picture.empty()
                             ? searcher.rank_like_picture(picture, picture_called, options)
                             : searcher.rank(query, options));
    }
    const search::Results results(searchers, std::move(rankings), options.limit);
    return to_json(search::Answer{results.page(0, options.limit, options), results.unknown(),
                                  results.problem()});
  });
}

suggest::EvidenceOf evidence_from(const py::dict& from) {
  suggest::EvidenceOf thing;
  thing.text = given<std::string>(from, "text", "");
  thing.tags = given<Names>(from, "tags", {});
  thing.vectors = given<std::map<std::string, std::vector<float>>>(from, "vectors", {});
  thing.picture = given<std::string>(from, "picture", "");
  thing.picture_called = given<std::string>(from, "picture_called", "the picture");
  return thing;
}

Names suggest(OpenLibrary& self, const std::vector<py::dict>& things, const Names& ids,
              const std::string& collection, const std::string& model, std::int64_t limit,
              std::optional<double> threshold, bool explain, int jobs, const py::object& progress) {
  std::vector<suggest::EvidenceOf> evidence;
  for (const py::dict& each : things) evidence.push_back(evidence_from(each));
  suggest::Options options;
  options.limit = limit;
  options.threshold = threshold;
  options.explain = explain;
  return watched(jobs, progress, [&](const Run& run) {
    const suggest::Answerer& asked = self.suggester(model, collection, run);
    Names answers;
    for (const suggest::Answer& each : asked.ask(evidence, options))
      answers.push_back(to_json(each));
    const std::string& from = collection.empty() ? asked.collection() : collection;
    if (!ids.empty())
      for (const suggest::Answer& each : asked.ask(from, ids, options))
        answers.push_back(to_json(each));
    return answers;
  });
}

std::string apply(OpenLibrary& self, const std::string& collection, const std::string& concept_name,
                  const std::string& model, double above, std::int64_t limit_per_item, bool dry_run,
                  int jobs, const py::object& progress) {
  return self.writing(jobs, progress, [&](Library& library, const Run& run) {
    commonplace::collection(library, collection);
    if (!concept_name.empty()) {
      detect::ApplyOptions options;
      options.dry_run = dry_run;
      options.above = above;
      const detect::Answerer finder(library, model, collection, run);
      return text_of(
          app::as_json(detect::apply(library, finder, concept_name, options, run), concept_name));
    }
    const suggest::ApplyOptions options{above, limit_per_item, dry_run};
    const suggest::Answerer suggester(library, model, collection, run);
    return text_of(app::as_json(suggest::apply(library, suggester, collection, options, run),
                                suggester.name(), collection, options));
  });
}

std::string runs(OpenLibrary& self) {
  Json all = Json::array();
  for (const MachineRun& each : machine_runs(self.reading())) all.push_back(app::as_json(each));
  return text_of(all);
}

/// Takes a run back, or puts it in force again.
std::string change_run(OpenLibrary& self, std::int64_t id, bool undo) {
  return self.writing(1, py::none(), [&](Library& library, const Run&) {
    const std::int64_t changed = undo ? undo_run(library, id) : restore_run(library, id);
    Json json = app::as_json(machine_run(library, id));
    json["changed"] = changed;
    return text_of(json);
  });
}

/// Looks for wrong and missing tags, and keeps what it finds with the library.
std::string audit(OpenLibrary& self, const std::string& collection, const py::dict& options,
                  int jobs, const py::object& progress) {
  const auto all = all_options_from<suggest::ModelOptions, suggest::AuditOptions>(options);
  const auto& [model, how] = all;
  return self.writing(
      jobs, progress, [&, &model = model, &how = how](Library& library, const Run& run) {
        const suggest::Audit found =
            suggest::audit(library, collection, model, how, suggest::kMostFaults, run);
        suggest::store_audit(library, found);
        return to_json(found);
      });
}

std::string teach(OpenLibrary& self, const std::string& collection, const std::string& concept_name,
                  const std::vector<std::pair<std::string, int>>& lessons) {
  std::vector<Lesson> stored;
  for (const auto& [item, shows] : lessons) stored.push_back({item, shows, ""});
  return self.writing(1, py::none(), [&](Library& library, const Run&) {
    const Collection chosen =
        commonplace::collection(library, detect::collection_to_teach(library, collection));
    commonplace::teach(library, chosen, concept_name, stored);
    std::int64_t shown = 0;
    std::int64_t not_shown = 0;
    for (const Lesson& each : lessons_in_force(library, chosen.name, concept_name))
      (each.shows > 0 ? shown : not_shown) += 1;
    return text_of({{"concept", concept_name},
                    {"collection", chosen.name},
                    {"shown", shown},
                    {"not_shown", not_shown}});
  });
}

std::string detect(OpenLibrary& self, const std::string& concept_name,
                   const std::string& collection, const std::string& model, std::int64_t limit,
                   bool uncertain, int jobs, const py::object& progress) {
  const detect::Options options{.limit = limit, .uncertain = uncertain};
  return watched(jobs, progress, [&](const Run& run) {
    return to_json(self.finder(model, collection, run).ask(concept_name, options));
  });
}

/// What can be detected.
std::string concepts(OpenLibrary& self, const std::string& collection, const std::string& model,
                     int jobs, const py::object& progress) {
  return watched(jobs, progress, [&](const Run& run) {
    Json all = Json::array();
    for (const detect::DetectableConcept& each : self.finder(model, collection, run).concepts())
      all.push_back(as_json(each));
    return text_of(all);
  });
}

std::string relate(OpenLibrary& self, const py::dict& asked, const std::string& model, int jobs) {
  relate::Query query;
  query.item = given<std::string>(asked, "item", "");
  query.collection = given<std::string>(asked, "collection", "");
  query.tag = given<std::string>(asked, "tag", "");
  query.text = given<std::string>(asked, "text", "");
  query.modalities = given<Names>(asked, "kinds", {});
  query.limit = given<std::int64_t>(asked, "limit", 10);
  query.explain = given(asked, "explain", false);
  if (const auto at = given<std::optional<std::pair<double, double>>>(asked, "at", {}))
    query.at = Place{at->first, at->second};
  return watched(jobs, py::none(), [&](const Run& run) {
    return to_json(self.relation(model, run.jobs).ask(query));
  });
}

transfer::Request request_from(const py::dict& from) {
  transfer::Request request;
  request.sources = given<Names>(from, "sources", {});
  request.target = given<std::string>(from, "target", "");
  request.through = given<Names>(from, "through", {});
  request.direct = given(from, "direct", false);
  request.chain = given(from, "chain", false);
  request.candidates = given<Names>(from, "candidates", {});
  request.most = given<std::size_t>(from, "most", 3);
  request.force = given(from, "force", false);
  request.dry_run = given(from, "dry_run", false);
  request.above = given<double>(from, "above", 0);
  request.name = given<std::string>(from, "name", "");
  return request;
}

std::string transfer(OpenLibrary& self, const py::dict& asked, const py::dict& options, int jobs,
                     const py::object& progress) {
  const auto request = request_from(asked);
  const auto [read, how] = all_options_from<transfer::ReadOptions, transfer::Options>(options);
  return self.writing(jobs, progress,
                      [&, &read = read, &how = how](Library& library, const Run& run) {
                        return to_json(transfer::ask(library, request, read, how, run));
                      });
}

std::string bridges(OpenLibrary& self, const py::dict& asked, const py::dict& options, int jobs,
                    const py::object& progress) {
  const auto request = request_from(asked);
  const auto read = options_from<transfer::ReadOptions>(options);
  return watched(jobs, progress, [&](const Run& run) {
    return to_json(transfer::rank_library_bridges(self.reading(), request, read, run));
  });
}

// What is measured: JSON, the figures as SVG, and why it is not kept with the library, if so.

using Measurement = std::tuple<std::string, std::string, std::string>;

template <class Evaluate>
Measurement measure(OpenLibrary& self, const std::string& verb, const std::string& about, int jobs,
                    const py::object& progress, Evaluate evaluate) {
  return watched(jobs, progress, [&](const Run& run) {
    const auto found = evaluate(self.reading(), run);
    std::string json = to_json(found);
    std::string problem;
    try {
      Library library(self.path(), Library::Access::write);
      store_evaluation(library, {0, verb, about, json});
    } catch (const Error& error) {
      problem = error.what();
    }
    return Measurement{std::move(json), evaluation_plot(found), std::move(problem)};
  });
}

Measurement evaluate_search(OpenLibrary& self, const std::string& target, const Names& auxiliaries,
                            const py::dict& options, int jobs, const py::object& progress) {
  const auto all = all_options_from<search::ModelOptions, search::EvaluationOptions>(options);
  return measure(self, "search", target, jobs, progress,
                 [&](const Library& library, const Run& run) {
                   return search::evaluate(library, target, auxiliaries, std::get<0>(all),
                                           std::get<1>(all), run);
                 });
}

Measurement evaluate_suggest(OpenLibrary& self, const std::string& collection,
                             const py::dict& options, int jobs, const py::object& progress) {
  const auto all = all_options_from<suggest::ModelOptions, suggest::EvaluationOptions>(options);
  const auto& [model, how] = all;
  return measure(self, "suggest", collection, jobs, progress,
                 [&, &model = model, &how = how](const Library& library, const Run& run) {
                   return suggest::evaluate(
                       suggest::split_collection(library, collection, model, how.split, run),
                       model.suggester, how, run);
                 });
}

Measurement evaluate_detect(OpenLibrary& self, const std::string& collection,
                            const py::dict& options, int jobs, const py::object& progress) {
  const auto all = all_options_from<detect::ModelOptions, detect::EvaluationOptions>(options);
  const auto& [model, how] = all;
  return measure(self, "detect", collection, jobs, progress,
                 [&, &model = model, &how = how](const Library& library, const Run& run) {
                   return detect::evaluate(detect::collection_trial(library, collection, model),
                                           how, model.detector, run);
                 });
}

Measurement evaluate_relate(OpenLibrary& self, const py::dict& options, int jobs,
                            const py::object& progress) {
  const auto all = all_options_from<relate::ModelOptions, relate::EvaluationOptions>(options);
  const auto& [model, how] = all;
  const std::string about = how.target.empty() ? model.read.collections : how.target;
  return measure(self, "relate", about, jobs, progress,
                 [&model = model, &how = how](const Library& library, const Run& run) {
                   return relate::evaluate(relate::read_data(library, model.read, run), model, how,
                                           run);
                 });
}

Measurement evaluate_transfer(OpenLibrary& self, const Names& sources, const Names& through,
                              const std::string& target, const py::dict& options, int jobs,
                              const py::object& progress) {
  const auto all =
      all_options_from<transfer::ReadOptions, transfer::Options, transfer::EvaluationOptions>(
          options);
  const auto& [read, how, evaluation] = all;
  return measure(self, "transfer", join(sources) + " to " + target, jobs, progress,
                 [&, &read = read, &how = how, &evaluation = evaluation](const Library& library,
                                                                         const Run& run) {
                   Names path = sources;
                   path.insert(path.end(), through.begin(), through.end());
                   path.push_back(target);
                   std::vector<transfer::Input> inputs;
                   for (const std::string& name : path)
                     inputs.push_back(transfer::transfer_input(library, name, read.features));
                   return transfer::evaluate(transfer::read_data(inputs, sources.size(), read, run),
                                             sources.size(), how, evaluation, run);
                 });
}

/// Lists what learning by a verb, or measuring it, may be told: (name, default, help).
py::list options_of_verb(const std::string& verb, bool evaluating) {
  if (verb == "search")
    return evaluating ? options_of<search::EvaluationOptions>()
                      : options_of<search::ModelOptions>();
  if (verb == "suggest")
    return evaluating ? options_of<suggest::EvaluationOptions>()
                      : options_of<suggest::ModelOptions>();
  if (verb == "detect")
    return evaluating ? options_of<detect::EvaluationOptions>()
                      : options_of<detect::ModelOptions>();
  if (verb == "relate")
    return evaluating ? options_of<relate::EvaluationOptions>()
                      : options_of<relate::ModelOptions>();
  require(verb == "transfer", "there is no verb '", verb,
          "'; expected search, suggest, detect, relate or transfer");
  return evaluating ? options_of<transfer::EvaluationOptions>()
                    : options_of<transfer::ReadOptions, transfer::Options>();
}

}  // namespace

void bind_verbs(py::module_& module, LibraryClass& library) {
  const auto jobs = py::arg("jobs");
  const auto progress = py::arg("progress");
  library
      .def("learn_search", one_at_a_time(&learn_search), py::arg("target"), py::arg("auxiliaries"),
           py::arg("name"), py::arg("options"), jobs, progress)
      .def("learn_suggest", one_at_a_time(&learn_suggest), py::arg("collection"), py::arg("name"),
           py::arg("options"), jobs, progress)
      .def("learn_detect", one_at_a_time(&learn_detect), py::arg("collection"), py::arg("name"),
           py::arg("options"), jobs, progress)
      .def("learn_relate", one_at_a_time(&learn_relate), py::arg("name"), py::arg("options"), jobs,
           progress)
      .def("learn_transfer", one_at_a_time(&learn_transfer), py::arg("candidates"),
           py::arg("options"), jobs, progress)
      .def("update_model", one_at_a_time(&update_model), py::arg("verb"), py::arg("name"), jobs,
           progress)
      .def("update", one_at_a_time(&update_library), jobs, progress)
      .def("status", one_at_a_time(&status))
      .def("search", one_at_a_time(&search), py::arg("asked"), py::arg("collections"),
           py::arg("models"), jobs, progress)
      .def("suggest", one_at_a_time(&suggest), py::arg("things"), py::arg("ids"),
           py::arg("collection"), py::arg("model"), py::arg("limit"), py::arg("threshold"),
           py::arg("explain"), jobs, progress)
      .def("apply", one_at_a_time(&apply), py::arg("collection"), py::arg("concept_name"),
           py::arg("model"), py::arg("above"), py::arg("limit_per_item"), py::arg("dry_run"), jobs,
           progress)
      .def("audit", one_at_a_time(&audit), py::arg("collection"), py::arg("options"), jobs,
           progress)
      .def("runs", one_at_a_time(&runs))
      .def("change_run", one_at_a_time(&change_run), py::arg("run"), py::arg("undo"))
      .def("teach", one_at_a_time(&teach), py::arg("collection"), py::arg("concept_name"),
           py::arg("lessons"))
      .def("detect", one_at_a_time(&detect), py::arg("concept_name"), py::arg("collection"),
           py::arg("model"), py::arg("limit"), py::arg("uncertain"), jobs, progress)
      .def("concepts", one_at_a_time(&concepts), py::arg("collection"), py::arg("model"), jobs,
           progress)
      .def("relate", one_at_a_time(&relate), py::arg("asked"), py::arg("model"), jobs)
      .def("transfer", one_at_a_time(&transfer), py::arg("asked"), py::arg("options"), jobs,
           progress)
      .def("bridges", one_at_a_time(&bridges), py::arg("asked"), py::arg("options"), jobs, progress)
      .def("evaluate_search", one_at_a_time(&evaluate_search), py::arg("target"),
           py::arg("auxiliaries"), py::arg("options"), jobs, progress)
      .def("evaluate_suggest", one_at_a_time(&evaluate_suggest), py::arg("collection"),
           py::arg("options"), jobs, progress)
      .def("evaluate_detect", one_at_a_time(&evaluate_detect), py::arg("collection"),
           py::arg("options"), jobs, progress)
      .def("evaluate_relate", one_at_a_time(&evaluate_relate), py::arg("options"), jobs, progress)
      .def("evaluate_transfer", one_at_a_time(&evaluate_transfer), py::arg("sources"),
           py::arg("through"), py::arg("target"), py::arg("options"), jobs, progress);
  module.def("verb_options", &options_of_verb, py::arg("verb"), py::arg("evaluating"));
}

}  // namespace commonplace::python
