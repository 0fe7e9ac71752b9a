#include "commonplace/search/evaluate.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/eval/contest.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/features/tfidf.h"
#include "commonplace/io/json.h"
#include "commonplace/io/lines.h"
#include "commonplace/library/items/items.h"
#include "commonplace/math/unit_rows.h"
#include "commonplace/search/core/trial.h"
#include "commonplace/search/learn.h"
#include "commonplace/search/rivals/term_scores.h"

namespace commonplace::search {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Quality, average_precision, missing_average_precision,
                                   precision_at_recall, precision_at, curve)

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSweepSteps = 10;
/// A random choice of so many items of the target stands for all of them.
constexpr std::int64_t kMostItems = 50000;
constexpr std::uint64_t kRepetition = 0x9e37;

/// What the methods of one repetition share.
struct Stage {
  const Trial& trial;
  std::vector<Sparse> counts;  ///< the visible target, then the auxiliaries
  std::span<const float> idf;
  const ModelOptions& options;
  Run run;  ///< of this rank alone
};

/// Quality by method; -1 for methods without a place in the sweep.
struct Answers {
  std::vector<std::pair<std::string, int>> order;
  std::map<std::pair<std::string, int>, std::vector<Quality>> quality;

  void add(const std::string& method, int shared, Quality judged) {
    const std::pair key(method, shared);
    if (quality.find(key) == quality.end()) order.push_back(key);
    quality[key].push_back(std::move(judged));
  }
  /// Those of another repetition.
  void add(const Answers& others) {
    for (const auto& key : others.order)
      for (const Quality& judged : others.quality.at(key)) add(key.first, key.second, judged);
  }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Answers, order, quality)

struct TopicScores {
  Scores cosine;  ///< of the query's and the item's codes: the paper's ranking
  Scores read;    ///< the asked term read off the item's topics
};

/// Rankings by a subspace of the visible target and `others`.
TopicScores topic_scores(const Stage& stage, std::span<const Sparse> others,
                         const std::vector<TopicBlock>& blocks) {
  std::vector<Sparse> rows = {weighted_rows(stage.trial.visible.view(), stage.idf)};
  for (const Sparse& each : others) rows.push_back(weighted_rows(each.view(), stage.idf));
  std::vector<SparseView> views;
  for (const Sparse& each : rows) views.push_back(each.view());
  const SharedSubspaceFit fit =
      fit_shared_subspace(views, blocks, stage.options.subspace, stage.run);
  Matrix codes = fit.codes[0];

  Sparse queries;
  queries.columns = stage.trial.visible.columns;
  for (const std::int32_t term : stage.trial.asked) {
    queries.push(term, 1);
    queries.end_row();
  }
  const Matrix asked = encode(fit.model, 0, queries.view(), stage.run.jobs);
  TopicScores scores;
  scores.read = read_topics(stage.trial, fit);
  codes = unit_rows(std::move(codes), stage.run.jobs);
  for (Eigen::Index i = 0; i < asked.rows(); ++i) {
    const Eigen::VectorXf cosine = codes * asked.row(i).transpose();
    scores.cosine.emplace_back(cosine.data(), cosine.data() + cosine.size());
  }
  return scores;
}

void judge_topics(const Stage& stage, const std::string& method, int shared,
                  std::span<const Sparse> others, const std::vector<TopicBlock>& blocks,
                  Answers& answers) {
  const TopicScores scores = topic_scores(stage, others, blocks);
  answers.add(method, shared, judge(stage.trial, scores.cosine, stage.run.jobs));
  answers.add(method + " with own words", shared,
              judge(stage.trial, add_scores(own_scores(stage.trial, kOwnWord), scores.read),
                    stage.run.jobs));
}

/// The model as `learn` would choose and fit it from what is visible.
bool judge_hybrid(const Stage& stage, const std::string& method, std::vector<Sparse> counts,
                  Answers& answers) {
  const LearnedBorrowing learned = learn_borrowing(counts, stage.idf, stage.options, stage.run);
  const CodedItems items =
      code_items(learned.borrowing, stage.trial.visible.view(),
                 lender_rows(learned.report.lending, stage.trial.visible.rows()), stage.run.jobs);
  const std::vector<BorrowedEvidence> evidence =
      find_evidence(stage.trial, learned.borrowing, items, stage.run.jobs);
  answers.add(
      method, -1,
      judge(stage.trial, hybrid_scores(stage.trial, evidence, learned.report.weights, kOwnWord),
            stage.run.jobs));
  return learned.report.lending != Lending::target;
}

const char* const kOwnWords = "own words";
const char* const kRidge = "word-to-word ridge (EASE) with own words";
const char* const kHybrid = "commonplace";
const char* const kSweep = "shared topics";

/// Every method on one trial; whether borrowing was chosen.
bool run_methods(const Stage& stage, const Sparse* same_source, const EvaluationOptions& options,
                 Answers& answers) {
  const Trial& trial = stage.trial;
  const ModelOptions& model = stage.options;
  answers.add(kOwnWords, -1, judge(trial, own_scores(trial, 1), stage.run.jobs));
  answers.add("BM25", -1, judge(trial, bm25_scores(trial), stage.run.jobs));
  answers.add("tf-idf cosine", -1, judge(trial, cosine_scores(trial, stage.idf), stage.run.jobs));
  answers.add(
      kRidge, -1,
      judge(trial,
            add_scores(own_scores(trial, 1),
                       ease_scores(trial, stage.counts, model.associations.ridge, stage.run.jobs)),
            stage.run.jobs));
  judge_topics(stage, "NMF of the target alone", -1, {}, shared_blocks(1, model.rank, 1, 0),
               answers);
  const std::span<const Sparse> auxiliaries = std::span(stage.counts).subspan(1);
  const int collections = static_cast<int>(stage.counts.size());
  if (same_source)
    judge_topics(stage, "NMF with more of the same source", -1, {same_source, 1},
                 shared_blocks(2, model.rank, model.auxiliary_rank,
                               std::min(model.rank, model.auxiliary_rank)),
                 answers);
  judge_hybrid(stage, std::string(kHybrid) + ", the target alone", {stage.counts[0]}, answers);
  if (auxiliaries.empty()) return false;

  TopicBlock joint{{}, model.rank};
  for (int d = 0; d < collections; ++d) joint.members.push_back(d);
  judge_topics(stage, "fully joint NMF", -1, auxiliaries, {joint}, answers);
  const int most = std::min(model.rank, model.auxiliary_rank);
  for (int step = 0; options.sweep && step <= kSweepSteps; ++step) {
    const int shared = most * step / kSweepSteps;
    if (step > 0 && shared == most * (step - 1) / kSweepSteps) continue;
    judge_topics(stage, kSweep, shared, auxiliaries,
                 shared_blocks(collections, model.rank, model.auxiliary_rank, shared), answers);
  }
  return judge_hybrid(stage, kHybrid, stage.counts, answers);
}

/// Means of the repetitions, or, of one repetition, the values of the asked tags.
std::vector<double> samples(const std::vector<Quality>& repetitions,
                            std::vector<double> Quality::*measure) {
  if (repetitions.size() == 1) return repetitions[0].*measure;
  std::vector<double> means;
  for (const Quality& each : repetitions) means.push_back(mean(each.*measure));
  return means;
}

Measured difference(const Answers& answers, const std::string& better, const std::string& other) {
  const auto a = samples(answers.quality.at({better, -1}), &Quality::average_precision);
  const auto b = samples(answers.quality.at({other, -1}), &Quality::average_precision);
  return {mean(a) - mean(b), bootstrap_mean_difference(a, b)};
}

MethodQuality summarise(const std::pair<std::string, int>& key,
                        const std::vector<Quality>& repetitions) {
  MethodQuality result;
  result.method = key.first;
  result.shared = key.second;
  result.map = measured(samples(repetitions, &Quality::average_precision));
  result.missing_map = measured(samples(repetitions, &Quality::missing_average_precision));
  result.precision_at_recall = measured(samples(repetitions, &Quality::precision_at_recall));
  result.precision_at = measured(samples(repetitions, &Quality::precision_at));
  double asked = 0;
  for (const Quality& each : repetitions)
    for (const auto& curve : each.curve) {
      for (std::size_t i = 0; i < curve.size(); ++i) result.curve[i] += curve[i];
      ++asked;
    }
  for (double& value : result.curve) value /= asked;
  return result;
}

/// Lines "query TAB item id".
Trial read_judgements(const std::string& file, const Library& library, const Collection& target,
                      const Vocabulary& vocabulary, const Sparse& counts) {
  const auto rows = rows_by_id(library, target);
  std::map<std::int32_t, std::vector<std::uint8_t>> relevant;
  LineReader lines(open_bytes(file), file);
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos)
      fail(to_string(lines.where()), ": expected 'query TAB item id', found '", line, "'");
    const auto row = rows.find(std::string(line.substr(tab + 1)));
    if (row == rows.end())
      fail(to_string(lines.where()), ": collection '", target.name, "' has no item '",
           line.substr(tab + 1), "'");
    const std::int32_t term = vocabulary.find(fold(line.substr(0, tab)));
    if (term < 0)
      fail(to_string(lines.where()), ": '", line.substr(0, tab),
           "' is not a term of these collections; queries must be tags that are used");
    auto& marks = relevant[term];
    marks.resize(static_cast<std::size_t>(counts.rows()));
    marks[static_cast<std::size_t>(row->second)] = 1;
  }
  require(!relevant.empty(), file, ": there are no judgements in it");
  Trial trial;
  trial.visible = counts;
  for (auto& [term, marks] : relevant) {
    trial.asked.push_back(term);
    trial.relevant.push_back(std::move(marks));
  }
  return trial;
}

void check(const EvaluationOptions& options) {
  require(options.repeat >= 1 && options.repeat <= 1000, "repeat is ", options.repeat,
          "; expected 1 .. 1,000");
  require(options.judgements.empty() || options.repeat == 1,
          "with judgements nothing is hidden, so there is nothing to repeat");
}

Chart recall_chart(const Evaluation& evaluation) {
  Chart chart;
  chart.title = "Precision at each recall";
  chart.x_label = "recall";
  chart.y_label = "precision";
  for (const MethodQuality& each : evaluation.methods) {
    if (each.shared >= 0) continue;
    Series& series = chart.series.emplace_back();
    series.name = each.method;
    for (std::size_t i = 0; i < each.curve.size(); ++i) {
      series.x.push_back(static_cast<double>(i) / 10);
      series.y.push_back(each.curve[i]);
    }
  }
  return chart;
}

Chart sweep_chart(const Evaluation& evaluation, const std::string& label,
                  Measured MethodQuality::*measure) {
  std::vector<MethodQuality> swept = evaluation.methods;
  std::erase_if(swept, [](const MethodQuality& each) { return each.shared < 0; });
  return {label + " by topics in common", "topics in common", label,
          lines_by_method(swept, [&](const MethodQuality& each) {
            return ChartPoint{static_cast<double>(each.shared), (each.*measure).value,
                              (each.*measure).interval};
          })};
}

/// What one repetition found.
struct Repetition {
  Answers answers;
  std::int64_t asked = 0;
  bool borrowed = false;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Repetition, answers, asked, borrowed)

/// What is searched, the same in every repetition.
struct SearchMaterial {
  const Library& library;
  std::vector<Collection> collections;
  MergedTerms terms;
  Sparse whole;                         ///< the target's counts, or a sample of them
  std::optional<Sparse> same_source{};  ///< counts of that collection, if there is one
};

Repetition repeat_search(const SearchMaterial& material, const ModelOptions& model,
                         const EvaluationOptions& options, std::uint64_t seed, const Run& run) {
  const Vocabulary& vocabulary = material.terms.vocabulary;
  const Trial trial =
      options.judgements.empty()
          ? hide_terms(material.whole.view(), {options.hide, options.least, options.queries, seed})
          : read_judgements(options.judgements, material.library, material.collections[0],
                            vocabulary, material.whole);
  require(!trial.asked.empty(), "no tag of collection '", material.collections[0].name,
          "' is used by ", options.least,
          " or more items that have other tags too, so there is nothing to ask for; give a",
          " smaller --min-uses or add more tagged items");
  ModelOptions seeded = model;
  seeded.subspace.seed = seed;
  const std::vector<float> idf = inverse_document_frequency(vocabulary, {});
  Stage stage{
      trial, material.terms.counts, idf, seeded, {.jobs = run.jobs, .progress = run.progress}};
  stage.counts[0] = trial.visible;
  Repetition repetition;
  repetition.borrowed = run_methods(stage, material.same_source ? &*material.same_source : nullptr,
                                    options, repetition.answers);
  repetition.asked = std::ssize(trial.asked);
  return repetition;
}

}  // namespace

Evaluation evaluate(const Library& library, const std::string& target,
                    const std::vector<std::string>& auxiliaries, const ModelOptions& model,
                    const EvaluationOptions& options, const Run& run) {
  search::check(model);
  check(options);
  const ReadSnapshot snapshot = read_snapshot(library);
  SearchMaterial material{library, collections_to_learn(library, target, auxiliaries), {}, {}};
  if (!options.same_source.empty())
    material.collections.push_back(collection(library, options.same_source));
  for (const Collection& each : material.collections)
    require_same(run.comm, state_of(library, each), "collection '" + each.name + "'");
  material.terms = read_terms(library, material.collections, model.terms, run);
  if (!options.same_source.empty()) {
    material.same_source = std::move(material.terms.counts.back());
    material.terms.counts.pop_back();
  }

  Evaluation result;
  result.terms = material.terms.vocabulary.size();
  require(options.judgements.empty() || material.collections[0].items <= kMostItems, "collection '",
          target, "' has ", material.collections[0].items,
          " items; judgements are possible for at most ", kMostItems);
  material.whole = sample_rows(material.terms.counts[0], kMostItems, model.subspace.seed);
  result.items = material.whole.rows();
  std::vector<std::uint64_t> repetitions(static_cast<std::size_t>(options.repeat));
  std::iota(repetitions.begin(), repetitions.end(), std::uint64_t{0});
  Answers answers;
  for (const Repetition& each :
       run_contest(repetitions, "repetitions", run, [&](std::uint64_t number) {
         return repeat_search(material, model, options, model.subspace.seed + kRepetition * number,
                              run);
       })) {
    answers.add(each.answers);
    result.borrowed += each.borrowed ? 1.0 / options.repeat : 0;
    result.asked += static_cast<double>(each.asked) / options.repeat;
  }
  for (const auto& key : answers.order)
    result.methods.push_back(summarise(key, answers.quality.at(key)));
  const std::string ours =
      auxiliaries.empty() ? std::string(kHybrid) + ", the target alone" : kHybrid;
  result.over_words = difference(answers, ours, kOwnWords);
  result.over_ridge = difference(answers, ours, kRidge);
  return result;
}

std::string to_json(const Evaluation& evaluation) {
  Json methods = Json::array();
  for (const MethodQuality& each : evaluation.methods) {
    Json json = {{"method", each.method}};
    if (each.shared >= 0) json["shared"] = each.shared;
    json["map"] = measured_json(each.map);
    json["map_of_missing"] = measured_json(each.missing_map);
    json["precision_at_recall_0.1"] = measured_json(each.precision_at_recall);
    json["precision_at_10"] = measured_json(each.precision_at);
    json["curve"] = each.curve;
    methods.push_back(std::move(json));
  }
  const Json json = {{"items", evaluation.items},
                     {"terms", evaluation.terms},
                     {"asked", evaluation.asked},
                     {"methods", methods},
                     {"over_own_words", measured_json(evaluation.over_words)},
                     {"over_ridge", measured_json(evaluation.over_ridge)},
                     {"borrowed", evaluation.borrowed}};
  return json_text(json);
}

std::string evaluation_plot(const Evaluation& evaluation) {
  std::vector<Chart> charts = {recall_chart(evaluation)};
  const bool swept = std::any_of(evaluation.methods.begin(), evaluation.methods.end(),
                                 [](const MethodQuality& each) { return each.shared >= 0; });
  if (swept) {
    charts.push_back(sweep_chart(evaluation, "Mean average precision", &MethodQuality::map));
    charts.push_back(
        sweep_chart(evaluation, "Precision at recall 0.1", &MethodQuality::precision_at_recall));
  }
  return chart_page(charts);
}

}  // namespace commonplace::search
