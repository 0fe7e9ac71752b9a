#include "commonplace/rows/text_features.h"

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/io/options_json.h"
#include "commonplace/learn/rank_parts.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/rank_words.h"
#include "commonplace/rows/stored_record.h"

namespace commonplace {
namespace {

TagSource tags_of(ItemReader& reader) {
  return [&reader, item = Item()](std::vector<TagCount>& tags) mutable {
    if (!reader.next(item)) return false;
    tags.clear();
    for (ItemTag& tag : item.tags) tags.push_back({std::move(tag.name), tag.count});
    return true;
  };
}

std::vector<std::string> column_names(const Vocabulary& vocabulary) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(vocabulary.size()));
  for (std::int32_t column = 0; column < vocabulary.size(); ++column)
    names.emplace_back(vocabulary.name(column));
  return names;
}

void require_items(const Collection& collection) {
  require(collection.items > 0, "collection '", collection.name, "' has no items");
}

template <class Model>
void store(Library& library, const std::string& name, const std::string& kind, const Model& model,
           const std::string& report) {
  store_model(library, {name, kind, {}, options_to_json(model.options), report, ""},
              [&](const std::filesystem::path& path) { save(model, path); });
}

TfidfFit tfidf_of_text(const Library& library, const Collection& collection,
                       const TfidfOptions& options, const Run& run) {
  return fit_tfidf(count_words(library, collection, options.tokens, run), options);
}

TfidfFit tfidf_of_tags(const Library& library, const Collection& collection,
                       const TfidfOptions& options, const Progress& progress) {
  ItemReader reader(library, collection);
  return fit_tags(tags_of(reader), options, progress);
}

MadeFeatures store_tfidf(Library& library, const Collection& collection, const std::string& name,
                         const TfidfFit& fit, Comm& comm) {
  MadeFeatures made;
  made.model = collection.name + "." + name;
  on_root(comm, [&] {
    const std::string kind = fit.model.of_tags ? "tags" : "tfidf";
    store(library, made.model, kind, fit.model, "{}");
    made.record = store_features(library, collection, name, fit.matrix.view(),
                                 column_names(fit.model.vocabulary), kind + " by " + made.model);
  });
  made.record = broadcast_record(comm, made.record);
  return made;
}

std::string report_json(const Convergence& report) {
  return concat("{\"iterations\":", report.iterations,
                ",\"converged\":", report.converged ? "true" : "false",
                ",\"objective\":", report.objective.empty() ? 0 : report.objective.back(), "}");
}

}  // namespace

MadeFeatures make_text_features(Library& library, const Collection& collection,
                                const std::string& name, const TfidfOptions& options,
                                const Run& run) {
  require_items(collection);
  return store_tfidf(library, collection, name, tfidf_of_text(library, collection, options, run),
                     run.comm);
}

MadeFeatures make_tag_features(Library& library, const Collection& collection,
                               const std::string& name, const TfidfOptions& options,
                               const Run& run) {
  require_items(collection);
  // Reading is all there is to it, which the others would only do once more.
  const TfidfFit fit =
      run.comm.rank() == 0 ? tfidf_of_tags(library, collection, options, run.progress) : TfidfFit();
  return store_tfidf(library, collection, name, fit, run.comm);
}

MadeFeatures make_topics(Library& library, const Collection& collection, const std::string& name,
                         bool of_tags, const TfidfOptions& terms, const PlsaOptions& options,
                         const Run& run) {
  require_items(collection);
  require_same(run.comm, state_of(library, collection),
               concat("collection '", collection.name, "'"));
  // pLSA is a model of counts, so the weights are switched off.
  TfidfOptions counts = terms;
  counts.weights = {.sublinear = false, .idf = false, .smooth = false, .normalise = false};
  TfidfFit counted = of_tags ? tfidf_of_tags(library, collection, counts, run.progress)
                             : tfidf_of_text(library, collection, counts, run);
  if (run.comm.size() > 1) counted.matrix = own_part(counted.matrix.view(), run.comm);
  const PlsaFit fit = fit_plsa(counted.matrix.view(), options, run);
  const Matrix document_topics = run.comm.gather_rows(fit.document_topics);

  MadeFeatures made;
  made.model = collection.name + "." + name;
  made.report = fit.report;
  on_root(run.comm, [&] {
    store(library, made.model + ".terms", of_tags ? "tags" : "tfidf", counted.model, "{}");
    store(library, made.model, "plsa", fit.model, report_json(fit.report));
    made.record =
        store_features(library, collection, name, document_topics,
                       std::string("pLSA of ") + (of_tags ? "tags" : "text") + " by " + made.model);
    forget_checkpoint(options.checkpoint, kPlsaCheckpoint);
  });
  made.record = broadcast_record(run.comm, made.record);
  return made;
}

MadeFeatures take_features(Library& library, const Collection& collection, const std::string& name,
                           const std::filesystem::path& file, const std::filesystem::path& ids,
                           const Run& run) {
  MadeFeatures made;
  on_root(run.comm, [&] {
    made.record = import_features(library, collection, name, file, ids, run.progress);
  });
  made.record = broadcast_record(run.comm, made.record);
  return made;
}

}  // namespace commonplace
