#include "commonplace/suggest/ask.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "commonplace/base/error.h"
#include "commonplace/base/top_k.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/rows/unseen.h"

namespace commonplace::suggest {
namespace {

constexpr std::int64_t kBlock = 512;
constexpr std::size_t kWords = 5;
constexpr std::size_t kKnown = 3;
/// A word that changes the confidence by less is no reason.
constexpr double kLeastReason = 0.005;

using Columns = std::unordered_set<std::int32_t>;
using ColumnByKey = std::unordered_map<std::string, std::int32_t>;

/// The tags that must not be suggested for a thing that has `tags`, as columns.
Columns columns_of(const Model& model, const ColumnByKey& by_key,
                   std::span<const std::string> tags) {
  Columns columns;
  for (const std::string& tag : tags)
    for (const std::string& meant : meant_by(model.control, tag))
      if (const auto found = by_key.find(tag_key(meant)); found != by_key.end())
        columns.insert(found->second);
  return columns;
}

/// Adds a tag that was rejected, which says nothing of the levels above it.
void add_rejected(const Model& model, const ColumnByKey& by_key, const std::string& tag,
                  Columns& columns) {
  if (const auto found = by_key.find(tag_key(rejected_by(model.control, tag)));
      found != by_key.end())
    columns.insert(found->second);
}

/// The tags of an item that are rejected now.
std::vector<std::string> rejected_tags(const Library& library, const std::string& collection,
                                       const std::string& id) {
  std::map<std::string, Decision> newest;  // by the tag's key
  for (Decision& each : decision_history(library, collection, id))
    newest.insert_or_assign(tag_key(each.tag), std::move(each));
  std::vector<std::string> tags;
  for (const auto& [key, decision] : newest)
    if (decision.verdict == Verdict::rejected) tags.push_back(decision.tag);
  return tags;
}

/// Error unless the thing has something that the model tells tags from.
/// `why` is what kept features from being made of it.
void require_evidence(const Model& model, const EvidenceOf& thing, const std::string& why) {
  std::string wanted;
  for (const auto& source : model.evidence.sources) {
    if (source.is_text() || (source.is_tags() && !thing.tags.empty()) ||
        thing.vectors.contains(source.name) || thing.sparse.contains(source.name))
      return;
    wanted +=
        (wanted.empty() ? "" : " or ") +
        (source.is_tags() ? "--tag TAG" : "--image FILE or --vector " + source.name + "=FILE.npy");
  }
  require(why.empty(), why);
  fail("this model tells tags from other things than a text; give ", wanted);
}

/// For each tag the columns of the levels above it.
std::vector<std::vector<std::int32_t>> parents_of(const Model& model, const ColumnByKey& by_key) {
  std::vector<std::vector<std::int32_t>> parents(model.tags.size());
  if (!model.control.parents) return parents;
  for (std::size_t tag = 0; tag < model.tags.size(); ++tag)
    for (const std::string& level : tag_path(model.tags[tag]))
      if (const auto found = by_key.find(tag_key(level));
          found != by_key.end() && found->second != static_cast<std::int32_t>(tag))
        parents[tag].push_back(found->second);
  return parents;
}

ColumnByKey number_tags(const Model& model) {
  ColumnByKey by_key;
  for (std::size_t i = 0; i < model.tags.size(); ++i)
    by_key.emplace(tag_key(model.tags[i]), static_cast<std::int32_t>(i));
  return by_key;
}

}  // namespace

struct Answerer::Parts {
  const Library& library;
  std::string name;
  int jobs;
  std::filesystem::path file{};  ///< that it was read from or kept in
  std::filesystem::file_time_type written{};
  Model model{};
  Update update{};
  ColumnByKey by_key{};
  Columns never{};  ///< tags that the vocabulary keeps from being suggested
  std::unordered_map<std::string, std::int64_t> known{};  ///< by id
  std::vector<std::vector<std::int32_t>> parents{};
  std::optional<SuggesterLookup> lookup{};
  std::unique_ptr<UnseenFeatures> unseen{};

  /// Makes the features that the thing lacks of its text and picture; returns why it could not.
  std::string complete(EvidenceOf& thing) const {
    std::string why;
    for (const auto& source : model.evidence.sources) {
      if (!source.dense || thing.vectors.contains(source.name)) continue;
      try {
        if (auto made = unseen->of(source.name, {thing.text, thing.picture, thing.picture_called}))
          thing.vectors.emplace(source.name, *std::move(made));
      } catch (const Error& error) {
        if (why.empty()) why = error.what();
      }
    }
    return why;
  }

  void set_file(const std::filesystem::path& path) {
    file = path;
    written = std::filesystem::last_write_time(path);
  }
  /// Whether the record is still of what was read or kept.
  bool is_of(const ModelRecord& record) const {
    std::error_code error;
    return record.name == name && record.file == file &&
           std::filesystem::last_write_time(file, error) == written;
  }

  void number() {
    const TagMeanings meanings(library);
    follow_vocabulary(model, meanings);  // an up to date model of another state was not asked to
    by_key = number_tags(model);
    never.clear();
    for (std::size_t i = 0; i < model.tags.size(); ++i)
      if (!meanings.may_be_proposed(model.tags[i])) never.insert(static_cast<std::int32_t>(i));
    parents = parents_of(model, by_key);
    lookup.emplace(model.suggester);
    known.clear();
    for (std::size_t i = 0; i < model.known_ids.size(); ++i)
      known.emplace(model.known_ids[i], static_cast<std::int64_t>(i));
  }

  /// What is taken from the library for one item.
  struct Asked {
    Columns barred;
    std::int64_t itself = -1;  ///< among the known
  };

  std::vector<Answer> answer(const StoredRows& raw, std::span<const Asked> asked,
                             const Options& options, int threads) const;
  Answer pick(std::span<const float> scores, const Asked& asked, const Options& options) const;
  void explain(const FeatureRows& raw, const StoredRows& prepared, std::int64_t row,
               const Asked& asked, const TagScores& ways, Answer& answer) const;
  void add_words(const FeatureRows& raw, std::int64_t row, const Asked& asked,
                 Answer& answer) const;
  void add_known(const FeatureRows& prepared, std::int64_t row, const Asked& asked,
                 Answer& answer) const;
  Matrix likeness_to_known(const FeatureRows& prepared, std::int64_t row) const;
  std::int32_t column_of(const std::string& tag) const {
    const auto found = by_key.find(tag_key(tag));
    require(found != by_key.end(), "the model '", name, "' does not know the tag '", tag, "'");
    return found->second;
  }
  double sureness(float score) const {
    return confidence(model.suggester.confidence, static_cast<double>(score));
  }
};

std::vector<Answer> Answerer::Parts::answer(const StoredRows& raw, std::span<const Asked> asked,
                                            const Options& options, int threads) const {
  const Suggester& suggester = model.suggester;
  const StoredRows prepared = prepare(suggester, raw.view(), threads);
  std::vector<std::int64_t> skip;
  for (const Asked& each : asked) skip.push_back(each.itself);
  TagScores ways = score_ways(suggester, *lookup, prepared.view(), skip, threads);
  if (ways.whitened.size() == 0) ways.whitened = lookup->basis.whiten(prepared.view(), threads);
  const VectorD diagonal = kernel_diagonal(suggester.basis.kernel, prepared.view());
  const Matrix scores = mix(suggester, *lookup, ways);
  const VectorD lengths = squared_norms(prepared.view());
  std::vector<Answer> answers;
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    Answer& one = answers.emplace_back();
    // Of something without a single known word nothing can be said, not even what is popular.
    if (lengths(row) == 0) continue;
    one = pick({scores.row(row).data(), static_cast<std::size_t>(scores.cols())},
               asked[static_cast<std::size_t>(row)], options);
    if (diagonal(row) > 0)
      one.familiarity =
          std::clamp(ways.whitened.row(row).cast<double>().squaredNorm() / diagonal(row), 0.0, 1.0);
    if (options.explain)
      explain(raw.view(), prepared, row, asked[static_cast<std::size_t>(row)], ways, one);
  }
  return answers;
}

Answer Answerer::Parts::pick(std::span<const float> scores, const Asked& asked,
                             const Options& options) const {
  // By score rather than confidence, which is the same for all of the greatest scores.
  std::vector<float> best(scores.begin(), scores.end());
  for (std::size_t tag = 0; tag < best.size(); ++tag)
    if (!asked.barred.contains(static_cast<std::int32_t>(tag)) &&
        !never.contains(static_cast<std::int32_t>(tag)))
      for (const std::int32_t parent : parents[tag])
        best[static_cast<std::size_t>(parent)] =
            std::max(best[static_cast<std::size_t>(parent)], scores[tag]);
  const double threshold = options.threshold.value_or(model.suggester.threshold);
  const std::int64_t wanted =
      options.limit + static_cast<std::int64_t>(asked.barred.size() + never.size());
  Answer answer;
  for (const std::int32_t tag :
       options.only.empty() ? best_tags(best, wanted) : std::vector{column_of(options.only)}) {
    const auto place = static_cast<std::size_t>(tag);
    const double sure = sureness(best[place]);
    if (asked.barred.contains(tag) || never.contains(tag) || sure < threshold ||
        std::ssize(answer.suggestions) >= options.limit)
      continue;
    Suggestion& one = answer.suggestions.emplace_back();
    one.tag = model.tags[place];
    one.confidence = sure;
    one.score = static_cast<double>(best[place]);
    one.implied = best[place] > scores[place];
  }
  return answer;
}

void Answerer::Parts::explain(const FeatureRows& raw, const StoredRows& prepared, std::int64_t row,
                              const Asked& asked, const TagScores& ways, Answer& answer) const {
  const SuggesterMixture& mixture = model.suggester.mixture;
  const Matrix sum = mix(model.suggester, *lookup, ways);
  for (Suggestion& each : answer.suggestions) {
    each.explained = true;
    const std::int32_t tag = by_key.at(tag_key(each.tag));
    const auto part = [&](const Matrix& way, double weight) {
      return way.size() > 0 ? weight * static_cast<double>(way(row, tag)) : 0;
    };
    each.reasons.from_tags = part(ways.tags, mixture.tags) + part(ways.linear, mixture.linear);
    each.reasons.from_neighbours = part(ways.neighbours, mixture.neighbours);
    each.reasons.from_category = part(ways.category, mixture.category);
    // The rest, which is more than its part where the name alone is worth more than all.
    if (ways.names.size() > 0)
      each.reasons.from_name = static_cast<double>(sum(row, tag)) - each.reasons.from_tags -
                               each.reasons.from_neighbours - each.reasons.from_category;
  }
  if (raw.is_sparse()) add_words(raw, row, asked, answer);
  add_known(prepared.view(), row, asked, answer);
}

void Answerer::Parts::add_words(const FeatureRows& raw, std::int64_t row, const Asked& asked,
                                Answer& answer) const {
  // Each word, or all of a dense source, is left out in turn, and what is left is asked again.
  const auto columns = raw.sparse().row_indices(row);
  const auto values = raw.sparse().row_values(row);
  std::vector<std::string> names;
  std::vector<std::size_t> unit;  // of each column, in `names`
  for (const std::int32_t column : columns) {
    std::string stands_for = model.evidence.column_name(column);
    if (names.empty() || names.back() != stands_for) names.push_back(std::move(stands_for));
    unit.push_back(names.size() - 1);
  }
  StoredRows without;
  without.is_sparse = true;
  without.sparse.columns = raw.columns();
  without.sparse.push_row(raw.sparse(), row);
  for (std::size_t left_out = 0; left_out < names.size(); ++left_out) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (unit[i] != left_out) without.sparse.push(columns[i], values[i]);
    without.sparse.end_row();
  }
  const StoredRows prepared = prepare(model.suggester, without.view(), jobs);
  const std::vector<std::int64_t> skip(names.size() + 1, asked.itself);
  const Matrix scores = mix(model.suggester, *lookup,
                            score_ways(model.suggester, *lookup, prepared.view(), skip, jobs));
  for (Suggestion& each : answer.suggestions) {
    const std::int32_t tag = by_key.at(tag_key(each.tag));
    const double with_all = sureness(scores(0, tag));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double falls = with_all - sureness(scores(static_cast<Eigen::Index>(i) + 1, tag));
      if (falls >= kLeastReason) each.reasons.words.push_back({names[i], falls});
    }
    std::stable_sort(each.reasons.words.begin(), each.reasons.words.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (each.reasons.words.size() > kWords) each.reasons.words.resize(kWords);
  }
}

/// The cosine of one thing with each known item, 1 x known.
Matrix Answerer::Parts::likeness_to_known(const FeatureRows& prepared, std::int64_t row) const {
  if (!prepared.is_sparse())
    return products(slice(prepared, row, 1), model.suggester.known.view(), jobs);
  Matrix likeness = Matrix::Zero(1, model.suggester.known.view().rows());
  const Sparse thing = compared(model.suggester, slice(prepared, row, 1).sparse(), jobs);
  const auto features = thing.view().row_indices(0);
  const auto values = thing.view().row_values(0);
  const SparseView columns = lookup->known_columns.view();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto having = columns.row_indices(features[i]);
    const auto theirs = columns.row_values(features[i]);
    for (std::size_t j = 0; j < having.size(); ++j) likeness(0, having[j]) += values[i] * theirs[j];
  }
  return likeness;
}

void Answerer::Parts::add_known(const FeatureRows& prepared, std::int64_t row, const Asked& asked,
                                Answer& answer) const {
  const Suggester& suggester = model.suggester;
  const Matrix likeness = likeness_to_known(prepared, row);
  const SparseView tags = suggester.known_tags.view();
  for (Suggestion& each : answer.suggestions) {
    const std::int32_t tag = by_key.at(tag_key(each.tag));
    std::vector<std::pair<float, std::int64_t>> having;
    for (std::int64_t item = 0; item < tags.rows; ++item) {
      if (item == asked.itself || likeness(0, item) <= 0) continue;
      const auto of_item = tags.row_indices(item);
      const auto place = std::lower_bound(of_item.begin(), of_item.end(), tag);
      if (place == of_item.end() || *place != tag ||
          tags.row_values(item)[static_cast<std::size_t>(place - of_item.begin())] <= 0)
        continue;
      having.emplace_back(-likeness(0, item), item);
    }
    keep_first(having, kKnown);
    for (const auto& [less, item] : having)
      each.reasons.known.push_back(
          {model.known_ids[static_cast<std::size_t>(item)], -static_cast<double>(less)});
  }
}

Answerer::Answerer(const Library& library, const std::string& model, const std::string& collection,
                   const Run& run)
    : parts_(new Parts{library, model_for(library, model, collection), run.jobs}) {
  parts_->set_file(model_record(library, parts_->name).file);
  parts_->model = load_model(TensorFile(parts_->file));
  parts_->unseen = std::make_unique<UnseenFeatures>(library, parts_->model.collection);
  if (has_collection(library, parts_->model.collection))
    parts_->update = update_model(parts_->model, library, run);
  parts_->number();
}
Answerer::~Answerer() = default;
Answerer::Answerer(Answerer&&) noexcept = default;

std::vector<Answer> Answerer::ask(std::span<const EvidenceOf> things,
                                  const Options& options) const {
  std::vector<Parts::Asked> asked;
  std::vector<EvidenceOf> whole(things.begin(), things.end());
  std::vector<std::string> why;
  for (EvidenceOf& thing : whole) {
    why.push_back(parts_->complete(thing));
    require_evidence(parts_->model, thing, why.back());
    asked.push_back({columns_of(parts_->model, parts_->by_key, thing.tags), -1});
  }
  std::vector<Answer> answers =
      parts_->answer(evidence_rows(parts_->model.evidence, whole), asked, options, parts_->jobs);
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i].unseen = std::move(why[i]);
  return answers;
}

void Answerer::ask_all(const std::string& collection_name, const Options& options,
                       const std::function<void(std::int64_t, const std::string&, Answer&&)>& visit,
                       const Run& run) const {
  const ReadSnapshot snapshot = read_snapshot(parts_->library);
  const Collection source = commonplace::collection(parts_->library, collection_name);
  const bool own = collection_name == parts_->model.collection;
  const StoredRows rows = evidence_rows(parts_->library, source, parts_->model.evidence, false,
                                        {.jobs = run.jobs, .progress = run.progress});
  std::unordered_map<std::string, std::vector<std::string>> rejected;
  for (const Decision& each : decisions_in_force(parts_->library, collection_name))
    if (each.verdict == Verdict::rejected) rejected[each.item].push_back(each.tag);
  ItemReader reader(parts_->library, source);
  Item item;
  for (std::int64_t begin = 0; begin < source.items; begin += kBlock) {
    run.progress({"suggesting tags", static_cast<std::uint64_t>(begin),
                  static_cast<std::uint64_t>(source.items), "items"});
    const std::int64_t count = std::min(kBlock, source.items - begin);
    std::vector<std::int64_t> which;
    std::vector<Parts::Asked> asked;
    std::vector<std::string> ids;
    for (std::int64_t i = 0; i < count && reader.next(item); ++i) {
      std::vector<std::string> has;
      for (const ItemTag& tag : item.tags) has.push_back(tag.name);
      const auto known = parts_->known.find(item.id);
      asked.push_back({columns_of(parts_->model, parts_->by_key, has),
                       own && known != parts_->known.end() ? known->second : -1});
      if (const auto found = rejected.find(item.id); found != rejected.end())
        for (const std::string& tag : found->second)
          add_rejected(parts_->model, parts_->by_key, tag, asked.back().barred);
      which.push_back(begin + i);
      ids.push_back(item.id);
    }
    std::vector<Answer> answers =
        parts_->answer(take_rows(rows.view(), which), asked, options, run.jobs);
    for (std::size_t i = 0; i < answers.size(); ++i) visit(which[i], ids[i], std::move(answers[i]));
  }
}

std::vector<Answer> Answerer::ask(const std::string& collection_name,
                                  std::span<const std::string> ids, const Options& options) const {
  const ReadSnapshot snapshot = read_snapshot(parts_->library);
  const Collection source = commonplace::collection(parts_->library, collection_name);
  const bool own = collection_name == parts_->model.collection;
  EvidenceReader reader(parts_->library, source, parts_->model.evidence);
  std::vector<EvidenceOf> things;
  std::vector<Parts::Asked> asked;
  for (const std::string& id : ids) {
    std::optional<EvidenceOf> thing = reader.find(id);
    require(thing.has_value(), "collection '", collection_name, "' has no item '", id, "'");
    const auto known = parts_->known.find(id);
    asked.push_back({columns_of(parts_->model, parts_->by_key, thing->tags),
                     own && known != parts_->known.end() ? known->second : -1});
    for (const std::string& tag : rejected_tags(parts_->library, collection_name, id))
      add_rejected(parts_->model, parts_->by_key, tag, asked.back().barred);
    parts_->complete(*thing);  // of an item that came after the features were made
    things.push_back(*std::move(thing));
  }
  return parts_->answer(evidence_rows(parts_->model.evidence, things), asked, options,
                        parts_->jobs);
}

const std::string& Answerer::name() const { return parts_->name; }
const Model& Answerer::model() const { return parts_->model; }
const std::string& Answerer::collection() const { return parts_->model.collection; }
const Update& Answerer::update() const { return parts_->update; }

Update Answerer::refresh() {
  const std::string before = parts_->model.state;
  const Update update = update_model(parts_->model, parts_->library, {.jobs = parts_->jobs});
  if (update.any() || parts_->model.state != before) parts_->number();
  return update;
}

bool Answerer::keep(Library& library) {
  for (const ModelRecord& record : model_records(library))
    if (parts_->is_of(record)) {
      const auto write = [&](const std::filesystem::path& path) { save(parts_->model, path); };
      parts_->set_file(store_model(library, record, write).file);
      return true;
    }
  return false;
}

std::vector<std::pair<std::string, std::string>> models(const Library& library) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const ModelRecord& record : model_records(library))
    if (record.kind == kModelKind)
      result.emplace_back(record.name, json_from(record.report).value("collection", ""));
  return result;
}

std::string model_for(const Library& library, const std::string& model,
                      const std::string& collection) {
  if (!model.empty()) {
    const ModelRecord record = model_record(library, model);
    require(record.kind == kModelKind, "the model '", model, "' is of the kind '", record.kind,
            "'; expected one made by 'commonplace learn LIB suggest'");
    return model;
  }
  std::vector<std::string> fitting;
  std::string all;
  for (const auto& [name, of] : models(library)) {
    all += (all.empty() ? "'" : ", '") + name + "'";
    if (collection.empty() || of == collection) fitting.push_back(name);
  }
  require(!all.empty(),
          "no model that suggests tags has been learned; run 'commonplace learn LIB suggest",
          " --collection NAME'");
  if (fitting.empty() && !collection.empty() && models(library).size() == 1)
    return models(library)[0].first;
  require(fitting.size() == 1, "it is not clear which model to use; name one of ", all,
          " with --model");
  return fitting[0];
}

}  // namespace commonplace::suggest
