#include "commonplace/search/learn.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/eval/divergence.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/features/tfidf.h"
#include "commonplace/io/json.h"
#include "commonplace/io/options_json.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/search/core/sharing.h"
#include "commonplace/search/core/trial.h"
#include "commonplace/search/index.h"
#include "commonplace/search/meaning_index.h"

namespace commonplace::search {
namespace {

/// Choices are made on at most so many items of each collection.
constexpr std::int64_t kSample = 8000;
constexpr double kHiddenShare = 0.3;
constexpr std::int64_t kMostAsked = 150;
/// Fewer tell nothing.
constexpr std::int64_t kFewestAsked = 5;

std::vector<double> term_uses(const Sparse& counts) {
  std::vector<double> uses(static_cast<std::size_t>(counts.columns));
  for (std::size_t i = 0; i < counts.indices.size(); ++i)
    uses[static_cast<std::size_t>(counts.indices[i])] += static_cast<double>(counts.values[i]);
  return uses;
}

std::vector<SparseView> views(const std::vector<Sparse>& matrices) {
  std::vector<SparseView> result;
  for (const Sparse& matrix : matrices) result.push_back(matrix.view());
  return result;
}

/// Every rank has all counts, and weighs and fits its own rows of them.
SharedSubspaceFit fit_subspace(std::span<const SparseView> counts, std::span<const float> idf,
                               int shared, const ModelOptions& options, const Run& run) {
  std::vector<Sparse> weighted;
  for (const SparseView& each : counts) {
    const RowRange own = own_rows(each.rows, run.comm);
    weighted.push_back(
        weighted_rows(slice(FeatureRows(each), own.begin, own.end - own.begin).sparse(), idf));
  }
  const int collections = static_cast<int>(counts.size());
  return fit_shared_subspace(views(weighted),
                             shared_blocks(collections, options.rank, options.auxiliary_rank,
                                           shared, collections > 2 ? options.pairwise : 0),
                             options.subspace, run);
}

HeldOutQuality summary(const Quality& quality) {
  HeldOutQuality result;
  result.map = quality.map();
  result.interval = bootstrap_mean(quality.average_precision);
  result.missing_map = mean(quality.missing_average_precision);
  return result;
}

/// A trial of one setting on hidden tags.
struct LendingTrial {
  Quality quality;
  BorrowingWeights weights;
  std::vector<std::vector<float>> scores;  ///< of this rank's own
};

/// Makes the numbers of all ranks those of rank 0, so that all decide alike.
void follow_first(std::vector<double>& numbers, Comm& comm) {
  comm.broadcast(std::span<double>(numbers), 0);
}
void follow_first(Quality& quality, Comm& comm) {
  follow_first(quality.average_precision, comm);
  follow_first(quality.missing_average_precision, comm);
}

/// Searches the hyper-parameters by trials on hidden tags of a sample of the collections. Every
/// rank does all trials by itself, and takes over what rank 0 found.
class HyperparameterSearch {
 public:
  HyperparameterSearch(const std::vector<Sparse>& counts, std::span<const float> idf,
                       const ModelOptions& options, const Run& run)
      : idf_(idf), options_(options), run_(run) {
    for (const Sparse& each : counts)
      sampled_.push_back(sample_rows(each, kSample, options.subspace.seed));
    rows_ = sampled_rows(counts[0].rows(), kSample, options.subspace.seed);
    // Apart from what an evaluation with the same seed hides. A small collection is asked for rare
    // tags too.
    for (const std::int64_t least : {5, 2}) {
      trial_ = hide_terms(sampled_[0].view(), {.share = kHiddenShare,
                                               .least = least,
                                               .most = kMostAsked,
                                               .seed = mix(options.subspace.seed)});
      if (asked() >= kFewestAsked) break;
    }
    sampled_[0] = trial_.visible;
  }

  HeldOutRanking held_out(std::vector<std::vector<float>> scores) const {
    return {trial_, {}, rows_, std::move(scores)};
  }

  /// How many tags could be hidden and asked for.
  std::int64_t asked() const { return std::ssize(trial_.asked); }
  Quality words() const {
    Quality quality = judge(trial_, own_scores(trial_, kOwnWord), run_.jobs);
    follow_first(quality, run_.comm);
    return quality;
  }

  LendingTrial try_lending(Lending lending, int shared) const {
    const Borrowing borrowing = fit(lending, shared);
    const CodedItems items = code_items(borrowing, trial_.visible.view(),
                                        lender_rows(lending, trial_.visible.rows()), run_.jobs);
    const std::vector<BorrowedEvidence> evidence =
        find_evidence(trial_, borrowing, items, run_.jobs);
    LendingTrial result;
    result.weights = tune_weights(trial_, evidence, kOwnWord, run_.jobs);
    result.scores = hybrid_scores(trial_, evidence, result.weights, kOwnWord);
    result.quality = judge(trial_, result.scores, run_.jobs);
    follow_first(result.quality, run_.comm);
    run_.comm.broadcast(std::span<BorrowingWeights>(&result.weights, 1), 0);
    return result;
  }
  /// Own words and topics only: what is compared to choose how much to share.
  double topics_map(int shared) const {
    const SharedSubspaceFit fit = fit_subspace(views(sampled_), idf_, shared, options_,
                                               {.jobs = run_.jobs, .progress = run_.progress});
    const double map =
        judge(trial_, add_scores(own_scores(trial_, kOwnWord), read_topics(trial_, fit)), run_.jobs)
            .map();
    return run_.comm.broadcast(map, 0);
  }

  int by_rule() const {
    return smallest([](auto a, auto b, int most) { return sharing_by_rule(a, b, most); });
  }
  int by_rank() const {
    return smallest([&](auto a, auto b, int most) {
      return sharing_by_rank(a, b, most, options_.subspace.seed, run_.jobs);
    });
  }

 private:
  Borrowing fit(Lending lending, int shared) const {
    return fit_borrowing(views(sampled_), idf_, lending, shared, options_,
                         {.jobs = run_.jobs, .progress = run_.progress})
        .borrowing;
  }

  template <class Sharing>
  int smallest(const Sharing& sharing) const {
    int result = std::min(options_.rank, options_.auxiliary_rank) - options_.pairwise;
    for (std::size_t d = 1; d < sampled_.size(); ++d)
      result = std::min(result, sharing(sampled_[0].view(), sampled_[d].view(), result));
    return run_.comm.broadcast(result, 0);
  }

  std::span<const float> idf_;
  const ModelOptions& options_;
  Run run_;
  std::vector<Sparse> sampled_;
  std::vector<std::int64_t> rows_;  ///< of the target: those that are sampled
  Trial trial_;
};

/// How many topics to share, and what was tried to find out.
int choose_shared(const HyperparameterSearch& search, const ModelOptions& options,
                  std::vector<TuningTrial>& tried, const TuningBudget& budget, const Run& run) {
  if (options.shared == "rule") return search.by_rule();
  if (options.shared == "rank") return search.by_rank();
  if (options.shared != "auto") return std::stoi(options.shared);
  const int most = std::min(options.rank, options.auxiliary_rank) - options.pairwise;
  std::vector<int> candidates;
  for (int quarter = 0; quarter <= 4; ++quarter) candidates.push_back(most * quarter / 4);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  Tuner tuner(run, {.one_standard_error = false}, budget);
  int best = 0;
  for (const int shared : candidates)
    if (tuner.attempt(concat(shared, " topics in common"),
                      [&] { return std::vector{search.topics_map(shared)}; }))
      best = shared;
  tried.insert(tried.end(), tuner.trials().begin(), tuner.trials().end());
  return best;
}

/// Fills in the choices and what they were made on.
void choose(const HyperparameterSearch& search, bool has_auxiliaries, const ModelOptions& options,
            Report& report, HeldOutRanking& held_out, const Run& run) {
  const TuningBudget budget = tuning_budget(options.budget);
  report.asked = search.asked();
  if (report.asked < kFewestAsked) {
    report.asked = 0;
    report.weights = kUsualWeights;
    if (options.shared == "auto" || options.shared == "0" || !has_auxiliaries) return;
    report.lending = Lending::all;
    report.shared = choose_shared(search, options, report.tried, budget, run);
    return;
  }
  report.words = summary(search.words());
  const LendingTrial alone = search.try_lending(Lending::target, 0);
  report.alone = report.borrowed = summary(alone.quality);
  report.weights = alone.weights;
  held_out = search.held_out(alone.scores);
  if (!has_auxiliaries || options.shared == "0") return;

  const int shared = choose_shared(search, options, report.tried, budget, run);
  Lending lending = Lending::auxiliaries;
  LendingTrial borrowed = search.try_lending(lending, shared);
  LendingTrial all = search.try_lending(Lending::all, shared);
  if (clearly_better(all.quality.average_precision, borrowed.quality.average_precision)) {
    lending = Lending::all;
    borrowed = std::move(all);
  }
  report.borrowed = summary(borrowed.quality);
  const auto& after = borrowed.quality.average_precision;
  const auto& before = alone.quality.average_precision;
  report.gain = bootstrap_mean_difference(after, before);
  if (options.shared == "auto" && !clearly_better(after, before)) return;
  report.lending = lending;
  report.shared = shared;
  report.weights = borrowed.weights;
  held_out.scores = std::move(borrowed.scores);
}

/// What learning reads of the library, all at one moment.
struct Material {
  std::vector<Collection> collections;
  MergedTerms terms;
  std::vector<std::vector<std::string>> ids;  ///< per collection
};

/// Whether a collection has terms to learn from.
bool has_terms(const Library& library, const Collection& collection, const TermOptions& options) {
  return (options.text && facts_of(library, collection).text) ||
         !tag_matrix(library, collection).names.empty();
}

/// Those that have terms, of collections that may be without where there are vectors to learn from.
/// Nothing if the first has none.
std::vector<Collection> with_terms(const Library& library, std::vector<Collection> collections,
                                   const TermOptions& options) {
  if (!has_encoded_features(library, collections[0])) return collections;
  if (!has_terms(library, collections[0], options)) return {};
  std::erase_if(collections, [&](const Collection& each) {
    return each.id != collections[0].id && !has_terms(library, each, options);
  });
  return collections;
}

Material read_material(const Library& library, std::vector<Collection> collections,
                       const TermOptions& options, const Run& run) {
  Material material;
  material.collections = std::move(collections);
  for (const Collection& each : material.collections)
    require_same(run.comm, state_of(library, each), "collection '" + each.name + "'");
  material.terms = read_terms(library, material.collections, options, run);
  for (const Collection& each : material.collections)
    material.ids.push_back(item_ids(library, each));
  return material;
}

nlohmann::ordered_json as_json(const HeldOutQuality& quality) {
  return {{"map", quality.map},
          {"low", quality.interval.low},
          {"high", quality.interval.high},
          {"map_of_missing", quality.missing_map}};
}

}  // namespace

std::vector<Collection> collections_to_learn(const Library& library, const std::string& target,
                                             const std::vector<std::string>& auxiliaries) {
  std::vector<Collection> result = {collection(library, target)};
  for (const std::string& name : auxiliaries) {
    require(std::none_of(result.begin(), result.end(),
                         [&](const Collection& other) { return other.name == name; }),
            "collection '", name, "' is named twice; a collection cannot borrow from itself");
    result.push_back(collection(library, name));
  }
  for (const Collection& each : result)
    require(each.items > 0, "collection '", each.name, "' has no items; add some first");
  return result;
}

std::string to_string(Lending lending) {
  if (lending == Lending::target) return "target";
  return lending == Lending::auxiliaries ? "auxiliaries" : "all";
}

std::vector<std::int64_t> lender_rows(Lending lending, std::int64_t items) {
  if (lending == Lending::auxiliaries) return {};
  std::vector<std::int64_t> rows(static_cast<std::size_t>(items));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

FittedBorrowing fit_borrowing(std::span<const SparseView> counts, std::span<const float> idf,
                              Lending lending, int shared, const ModelOptions& options,
                              const Run& run) {
  if (lending == Lending::target) counts = counts.first(1);
  FittedBorrowing result;
  SharedSubspaceFit fit = fit_subspace(counts, idf, shared, options, run);
  Borrowing& borrowing = result.borrowing;
  borrowing.idf.assign(idf.begin(), idf.end());
  borrowing.subspace = std::move(fit.model);
  borrowing.neighbours = options.neighbours;
  borrowing.lenders.columns = counts[0].columns;
  for (std::size_t d = lending == Lending::auxiliaries ? 1 : 0; d < counts.size(); ++d) {
    const Sparse rows = root_counts(counts[d]);
    for (std::int64_t row = 0; row < rows.rows(); ++row)
      borrowing.lenders.push_row(rows.view(), row);
  }
  borrowing.associations = fit_associations(borrowing.lenders.view(), options.associations, run);
  result.report = std::move(fit.report);
  return result;
}

LearnedBorrowing learn_borrowing(const std::vector<Sparse>& counts, std::span<const float> idf,
                                 const ModelOptions& options, const Run& run) {
  LearnedBorrowing learned;
  // Trials are done again; the fit in the end may go on from a checkpoint.
  ModelOptions trial_options = options;
  trial_options.subspace.checkpoint = {};
  const HyperparameterSearch search(counts, idf, trial_options, run);
  choose(search, counts.size() > 1, options, learned.report, learned.held_out, run);
  const std::vector<SparseView> all = views(counts);
  FittedBorrowing fitted =
      fit_borrowing(all, idf, learned.report.lending, learned.report.shared, options, run);
  learned.borrowing = std::move(fitted.borrowing);
  learned.borrowing.weights = learned.report.weights;
  learned.report.fit = std::move(fitted.report);
  return learned;
}

namespace {

/// What words and tags teach.
struct LearnedWords {
  Model model;
  Report report;
  HeldOutRanking held_out;
};

LearnedWords learn_words(Material material, const ModelOptions& options, const Run& run) {
  const std::vector<Collection>& collections = material.collections;
  MergedTerms& terms = material.terms;
  const std::vector<float> idf = inverse_document_frequency(terms.vocabulary, {});
  LearnedBorrowing learned = learn_borrowing(terms.counts, idf, options, run);
  LearnedWords words{{}, std::move(learned.report), std::move(learned.held_out)};
  Report& report = words.report;
  report.terms = terms.vocabulary.size();
  for (std::size_t d = 1; d < collections.size(); ++d)
    report.lenders.push_back(
        {collections[d].name, collections[d].items,
         common_terms(terms.counts[0].view(), terms.counts[d].view()),
         jensen_shannon(term_uses(terms.counts[0]), term_uses(terms.counts[d]))});
  Model& model = words.model;
  model.target = collections[0].name;
  model.options = options;
  model.borrowing = std::move(learned.borrowing);
  model.vocabulary = std::move(terms.vocabulary);
  for (const std::int32_t term : words.held_out.trial.asked)
    words.held_out.asked.emplace_back(model.vocabulary.terms[term]);
  const std::size_t first = report.lending == Lending::auxiliaries ? 1 : 0;
  const std::size_t end = report.lending == Lending::target ? 1 : collections.size();
  for (std::size_t d = first; d < end; ++d) {
    model.lender_collections.resize(model.lender_ids.size() + material.ids[d].size(),
                                    static_cast<std::int32_t>(model.lending.size()));
    model.lender_ids.insert(model.lender_ids.end(), material.ids[d].begin(), material.ids[d].end());
    model.lending.push_back(collections[d].name);
  }
  return words;
}

}  // namespace

Report learn(Library& library, const std::string& target,
             const std::vector<std::string>& auxiliaries, const std::string& name,
             const ModelOptions& options, const Run& run) {
  check(options);
  std::vector<Collection> all;
  std::optional<Material> material;
  {
    const ReadSnapshot snapshot = read_snapshot(library);
    all = collections_to_learn(library, target, auxiliaries);
    std::vector<Collection> speaking = with_terms(library, all, options.terms);
    if (!speaking.empty())
      material = read_material(library, std::move(speaking), options.terms, run);
  }
  std::optional<LearnedWords> words;
  if (material) words = learn_words(std::move(*material), options, run);
  Report report;
  if (words) report = std::move(words->report);
  report.target = target;
  report.items = all[0].items;
  if (words) report.model = name.empty() ? "search." + target : name;

  on_root(run.comm, [&] {
    const HeldOutRanking nothing;
    const std::optional<MeaningModel> meaning =
        learn_meaning(library, all, words ? words->held_out : nothing, report.meaning, run);
    require(words || meaning, "collection '", target, "' has no tags to learn from; ",
            report.meaning.problem);
    // Made before anything is stored: whoever stops it finds the library as it was.
    std::optional<Index> index;
    std::optional<MeaningIndex> vectors;
    if (words) index = make_index(library, all[0], &words->model, run);
    if (meaning) vectors = make_meaning_index(library, all[0], *meaning, run);
    if (words) {
      const ModelRecord record = store_model(
          library, {report.model, kModelKind, {}, options_to_json(options), to_json(report), ""},
          [&](const std::filesystem::path& path) { save(words->model, path); });
      store_index(library, record, std::move(*index));
    }
    if (meaning)
      store_meaning(library, all[0], *meaning, std::move(*vectors));
    else if (report.meaning.problem.empty() && meaning_record(library, target))
      remove_model_and_index(library, meaning_name(target));
    forget_checkpoint(options.subspace.checkpoint, kSharedSubspaceCheckpoint);
  });
  return report;
}

std::string to_json(const Report& report) {
  using Json = nlohmann::ordered_json;
  Json lenders = Json::array();
  for (const LenderSummary& each : report.lenders)
    lenders.push_back({{"name", each.name},
                       {"items", each.items},
                       {"common_terms", each.common_terms},
                       {"divergence", each.divergence}});
  Json json = {{"model", report.model},
               {"target", report.target},
               {"items", report.items},
               {"terms", report.terms},
               {"auxiliary", lenders},
               {"tried", ordered_json_from(to_json(report.tried, "map"))},
               {"shared", report.shared},
               {"lending", to_string(report.lending)},
               {"held_out",
                {{"asked", report.asked},
                 {"words", as_json(report.words)},
                 {"alone", as_json(report.alone)},
                 {"borrowed", as_json(report.borrowed)},
                 {"gain", {{"low", report.gain.low}, {"high", report.gain.high}}}}},
               {"weights", ordered_json_from(options_to_json(report.weights))},
               {"fit",
                {{"iterations", report.fit.iterations},
                 {"converged", report.fit.converged},
                 {"objective", report.fit.objective}}}};
  for (const MeaningWaySummary& way : report.meaning.ways)
    json["meaning"].push_back({{"by", to_string(way.kind)},
                               {"features", way.features},
                               {"encoder", way.encoder},
                               {"captioned", way.captioned},
                               {"recall", way.recall},
                               {"among", way.among},
                               {"gain", way.gain},
                               {"weight", way.weight}});
  if (!report.meaning.problem.empty()) json["meaning_problem"] = report.meaning.problem;
  return json_text(json);
}

}  // namespace commonplace::search
