#include "commonplace/relate/ask.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

#include "commonplace/base/clock.h"
#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/spelling.h"
#include "commonplace/base/top_k.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/tag_meanings.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/rows/item_texts.h"

namespace commonplace::relate {
namespace {

constexpr std::size_t kExamples = 3;

/// What is asked: a position by each modality that says something of it.
struct Asked {
  Evidence evidence;                             ///< per modality 1 x dim, or empty
  std::string collection;                        ///< of the item, if one was asked for
  std::optional<std::int64_t> row;               ///< of that item
  std::vector<std::vector<std::int64_t>> known;  ///< per modality: nodes that the item has
  std::vector<std::string> rejected;             ///< keys of tags that it must not get
  std::optional<double> nearest;                 ///< metres, if a place has nothing near
};

/// How far a place says something, in metres: where the kernel has fallen to e⁻⁵, a place is as
/// good as nowhere. Infinite for kernels that do not fall with the distance.
double reach_of(const NystromFeatures& landmarks) {
  constexpr double kMetresPerDegree = kEarthRadius * std::numbers::pi / 180;
  const double width = landmarks.options.width * kMetresPerDegree;
  if (landmarks.count() > 0 && landmarks.options.kernel == "laplace") return 5 * width;
  if (landmarks.count() > 0 && current_word(landmarks.options.kernel) == kRbfKernel)
    return std::sqrt(10.0) * width;
  return std::numeric_limits<double>::infinity();
}

double metres_to_nearest(const Place& place, const std::vector<Place>& others) {
  double least = std::numeric_limits<double>::infinity();
  for (const Place& each : others)
    least = std::min(
        least, metres_between(place.latitude, place.longitude, each.latitude, each.longitude));
  return least;
}

std::vector<std::int64_t> first_by_score(const std::vector<double>& scores, std::size_t count,
                                         const std::vector<std::uint8_t>& leave_out) {
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (leave_out.empty() || leave_out[i] == 0) order.push_back(static_cast<std::int64_t>(i));
  keep_first(order, static_cast<std::int64_t>(count),
             greater_by([&](std::int64_t i) { return scores[static_cast<std::size_t>(i)]; }));
  return order;
}

}  // namespace

struct Answerer::Parts {
  Parts(const Library& library_, const std::string& name, int jobs_)
      : library(library_),
        model(load_model(TensorFile(model_record(library_, name).file))),
        jobs(jobs_) {
    const TagMeanings meanings(library_);
    for (PlacedModality& each : model.modalities)
      if (each.what.of == NodeType::tags) meanings.rename(each.names);
  }

  Asked ask(const Query& query) const;
  void ask_item(const Query& query, Asked& asked) const;
  void ask_tag(const Query& query, Asked& asked) const;
  void ask_place(const Query& query, Asked& asked) const;
  void ask_text(const Query& query, Asked& asked) const;
  Matrix at_place(std::size_t modality, const Place& place, Asked& asked) const;
  Matrix place_item(std::size_t modality, std::int64_t row, const Item& item, Asked& asked) const;
  std::vector<std::size_t> modalities_meant(const Query& query) const;
  std::vector<double> says(std::size_t target, const Asked& asked) const;
  RelatedNodes nodes_of(std::size_t target, const Asked& asked, const Query& query) const;
  KnownItems known_items(std::size_t target, const Asked& asked) const;
  GuessedPlace guess(std::size_t target, const Asked& asked) const;
  std::vector<std::string> examples(std::size_t target, std::int64_t node,
                                    const Asked& asked) const;
  const std::vector<std::string>& ids(const std::string& collection) const;
  std::string name_of(std::size_t modality, std::int64_t node) const;
  std::string collection_meant(const Query& query) const;

  const Library& library;
  Model model;
  int jobs;
  mutable std::map<std::string, std::vector<std::string>> ids_;
};

const std::vector<std::string>& Answerer::Parts::ids(const std::string& name) const {
  auto& known = ids_[name];
  if (known.empty()) known = item_ids(library, collection(library, name));
  return known;
}

std::string Answerer::Parts::name_of(std::size_t modality, std::int64_t node) const {
  const PlacedModality& of = model.modalities[modality];
  const auto i = static_cast<std::size_t>(node);
  if (!of.names.empty()) return of.names[i];
  if (!of.places.empty()) return to_string(of.places[i]);
  const auto& known = ids(of.what.collection);
  return i < known.size() ? known[i] : std::string();
}

std::string Answerer::Parts::collection_meant(const Query& query) const {
  std::vector<std::string> names;
  for (const PlacedModality& modality : model.modalities)
    if (std::find(names.begin(), names.end(), modality.what.collection) == names.end())
      names.push_back(modality.what.collection);
  if (!query.collection.empty()) {
    require(std::find(names.begin(), names.end(), query.collection) != names.end(),
            "the collection '", query.collection, "' is not related; there are ", join(names));
    return query.collection;
  }
  if (names.size() == 1 || query.item.empty()) return names.size() == 1 ? names[0] : "";
  std::vector<std::string> with;
  for (const std::string& name : names) {
    const auto& known = ids(name);
    if (std::find(known.begin(), known.end(), query.item) != known.end()) with.push_back(name);
  }
  require(with.size() <= 1, "'", query.item, "' is an item of ", join(with),
          "; say which with --collection");
  return with.empty() ? names[0] : with[0];
}

/// Where a place is by a modality of places; nowhere if none that is known is near, which is noted.
Matrix Answerer::Parts::at_place(std::size_t k, const Place& place, Asked& asked) const {
  const double nearest = metres_to_nearest(place, model.modalities[k].places);
  if (nearest > reach_of(model.space.landmarks[k])) {
    asked.nearest = asked.nearest ? std::min(*asked.nearest, nearest) : nearest;
    return Matrix();
  }
  const Matrix row = place_rows({place});
  return positions_of_rows(model.space, k, FeatureRows(row), jobs);
}

/// Where an item is by a modality that it may have been learned without.
Matrix Answerer::Parts::place_item(std::size_t k, std::int64_t row, const Item& item,
                                   Asked& asked) const {
  const PlacedModality& modality = model.modalities[k];
  const bool identity = model.space.projection.modalities[k].identity;
  if (modality.what.of == NodeType::text && !identity) {
    const Sparse words = encode(modality.text, item_text(item));
    return words.nonzeros() == 0 ? Matrix()
                                 : positions_of_rows(model.space, k, FeatureRows(words), jobs);
  }
  if (modality.what.of == NodeType::places && !identity && item.place)
    return at_place(k, *item.place, asked);
  if (modality.what.of == NodeType::items && !identity) {
    const FeatureRecord record =
        feature_record(library, collection(library, modality.what.collection), modality.features);
    if (row >= record.rows) return Matrix();
    if (record.sparse) {
      const SparseFeatures stored(record);
      Sparse one;
      one.columns = stored.matrix().columns;
      one.push_row(stored.matrix(), row);
      return one.nonzeros() == 0 ? Matrix()
                                 : positions_of_rows(model.space, k, FeatureRows(one), jobs);
    }
    const Matrix features = dense_features(record).view().row(row);
    return features.isZero(0) ? Matrix()
                              : positions_of_rows(model.space, k, FeatureRows(features), jobs);
  }
  if (modality.what.of == NodeType::tags || modality.what.of == NodeType::label) {
    Matrix mean = Matrix::Zero(1, model.space.dim());
    float count = 0;
    const auto add = [&](const std::string& name) {
      for (std::size_t i = 0; i < modality.names.size(); ++i)
        if (tag_key(modality.names[i]) == tag_key(name)) {
          mean += modality.positions.row(static_cast<Eigen::Index>(i));
          ++count;
        }
    };
    if (modality.what.of == NodeType::tags)
      for (const ItemTag& tag : item.tags) add(tag.name);
    else
      for (const Label& label : item.labels)
        if (label.field == modality.what.field) add(label.value);
    return count == 0 ? Matrix() : Matrix(mean / count);
  }
  return row < modality.nodes() ? Matrix(modality.positions.row(row)) : Matrix();
}

void Answerer::Parts::ask_item(const Query& query, Asked& asked) const {
  asked.collection = collection_meant(query);
  const Collection source = collection(library, asked.collection);
  const Item found = item(library, source, query.item);
  asked.row = row_of_item(library, source, query.item);
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    if (modality.what.collection != asked.collection) continue;
    asked.evidence[k] = place_item(k, *asked.row, found, asked);
    if (*asked.row < modality.has.rows())
      for (std::size_t i = 0; i < modality.has.view().row_indices(*asked.row).size(); ++i)
        if (modality.has.view().row_values(*asked.row)[i] > 0)
          asked.known[k].push_back(modality.has.view().row_indices(*asked.row)[i]);
  }
  for (const Decision& decision : decisions_in_force(library, asked.collection))
    if (decision.item == query.item && decision.verdict == Verdict::rejected)
      asked.rejected.push_back(tag_key(decision.tag));
}

void Answerer::Parts::ask_tag(const Query& query, Asked& asked) const {
  const std::string key = tag_key(query.tag);
  bool found = false;
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    if (modality.what.of != NodeType::tags) continue;
    if (!query.collection.empty() && modality.what.collection != query.collection) continue;
    for (std::size_t i = 0; i < modality.names.size(); ++i)
      if (tag_key(modality.names[i]) == key) {
        asked.evidence[k] = modality.positions.row(static_cast<Eigen::Index>(i));
        asked.known[k].push_back(static_cast<std::int64_t>(i));
        found = true;
      }
  }
  require(
      found, "the tag '", query.tag,
      "' is not related: no tag of that name was used often enough (--min-uses) when the model was "
      "learned");
}

void Answerer::Parts::ask_place(const Query& query, Asked& asked) const {
  bool found = false;
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    if (modality.what.of != NodeType::places || model.space.projection.modalities[k].identity)
      continue;
    asked.evidence[k] = at_place(k, *query.at, asked);
    found = true;
  }
  require(found, "the model relates no places; learn one with NAME/places");
}

void Answerer::Parts::ask_text(const Query& query, Asked& asked) const {
  bool found = false;
  bool said = false;
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    if (modality.what.of != NodeType::text) continue;
    if (!query.collection.empty() && modality.what.collection != query.collection) continue;
    found = true;
    const Sparse words = encode(modality.text, query.text);
    if (words.nonzeros() == 0) continue;
    said = true;
    asked.evidence[k] = positions_of_rows(model.space, k, FeatureRows(words), jobs);
  }
  require(found, "the model relates no text; learn one with NAME/text");
  require(said, "none of the words in '", query.text, "' is known to the model");
}

Asked Answerer::Parts::ask(const Query& query) const {
  Asked asked;
  asked.evidence.resize(model.modalities.size());
  asked.known.resize(model.modalities.size());
  require(!query.item.empty() || !query.tag.empty() || query.at || !query.text.empty(),
          "say what to start from: an ITEM, --tag, --at or --text");
  if (!query.item.empty()) ask_item(query, asked);
  if (!query.tag.empty()) ask_tag(query, asked);
  if (query.at) ask_place(query, asked);
  if (!query.text.empty()) ask_text(query, asked);
  for (Matrix& each : asked.evidence)
    if (each.size() > 0 && each.isZero(0)) each.resize(0, 0);
  require(asked.nearest || std::any_of(asked.evidence.begin(), asked.evidence.end(),
                                       [](const Matrix& each) { return each.size() > 0; }),
          "nothing is known of '", query.item,
          "' that could be related: it has neither features nor words, tags or a place that the "
          "model knows");
  return asked;
}

std::vector<std::size_t> Answerer::Parts::modalities_meant(const Query& query) const {
  std::vector<std::size_t> modalities;
  std::vector<std::string> names;
  for (const PlacedModality& modality : model.modalities) names.push_back(modality.what.full());
  for (const std::string& name : query.modalities)
    require(std::any_of(model.modalities.begin(), model.modalities.end(),
                        [&](const PlacedModality& modality) {
                          return name == modality.what.full() || name == modality.what.part();
                        }),
            "--kinds names '", name, "', which is not related; there are ", join(names));
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const Modality& what = model.modalities[k].what;
    const bool meant = query.modalities.empty()
                           // The words of an item stand for it where it has no other features.
                           ? what.of != NodeType::text ||
                                 std::none_of(model.modalities.begin(), model.modalities.end(),
                                              [&](const PlacedModality& other) {
                                                return other.what.of == NodeType::items &&
                                                       other.what.collection == what.collection;
                                              })
                           : std::any_of(query.modalities.begin(), query.modalities.end(),
                                         [&](const std::string& name) {
                                           return name == what.full() || name == what.part();
                                         });
    if (meant) modalities.push_back(k);
  }
  return modalities;
}

/// How much each modality's evidence counts for a target: as chosen on held out items; what was not
/// tried there, such as evidence of another collection, counts once.
std::vector<double> Answerer::Parts::says(std::size_t target, const Asked& asked) const {
  std::vector<double> says(model.modalities.size());
  double all = 0;
  for (std::size_t e = 0; e < says.size(); ++e) {
    if (asked.evidence[e].size() == 0) continue;
    const bool tried = e != target && model.modalities[e].what.collection ==
                                          model.modalities[target].what.collection;
    says[e] = tried ? model.rules[target].say[e] : 1;
    all += says[e];
  }
  if (all == 0)
    for (std::size_t e = 0; e < says.size(); ++e) says[e] = asked.evidence[e].size() > 0 ? 1 : 0;
  return says;
}

std::vector<std::string> Answerer::Parts::examples(std::size_t target, std::int64_t node,
                                                   const Asked& asked) const {
  const PlacedModality& of = model.modalities[target];
  const std::string& name = of.what.collection;
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < of.has.rows(); ++row)
    if (!(asked.row == row && asked.collection == name))
      for (std::size_t i = 0; i < of.has.view().row_indices(row).size(); ++i)
        if (of.has.view().row_indices(row)[i] == node && of.has.view().row_values(row)[i] > 0)
          rows.push_back(row);
  std::vector<double> closeness(rows.size());
  for (std::size_t e = 0; e < model.modalities.size(); ++e) {
    if (e == target || asked.evidence[e].size() == 0 || model.modalities[e].what.collection != name)
      continue;
    const Matrix there = directions(
        model.space,
        positions_of_items(model.modalities[e].has.view(), model.modalities[e].positions, rows));
    const Matrix here = directions(model.space, asked.evidence[e]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      closeness[i] += there.row(static_cast<Eigen::Index>(i)).dot(here.row(0));
  }
  std::vector<std::string> result;
  for (const std::int64_t i : first_by_score(closeness, kExamples, {}))
    result.push_back(ids(name)[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])]);
  return result;
}

RelatedNodes Answerer::Parts::nodes_of(std::size_t target, const Asked& asked,
                                       const Query& query) const {
  const PlacedModality& of = model.modalities[target];
  const std::vector<double> say = says(target, asked);
  const auto nodes = static_cast<std::size_t>(of.nodes());
  std::vector<double> times(nodes, 1);
  std::vector<Matrix> affinity(model.modalities.size());
  for (std::size_t e = 0; e < model.modalities.size(); ++e) {
    if (say[e] == 0 || asked.evidence[e].size() == 0) continue;
    affinity[e] = affinities(model.space, asked.evidence[e], of.positions, jobs);
    for (std::size_t i = 0; i < nodes; ++i)
      times[i] += say[e] * static_cast<double>(affinity[e](0, static_cast<Eigen::Index>(i)));
  }
  TargetRule rule = model.rules[target];
  rule.say = say;
  const Matrix ranked =
      target_scores(model.space, rule, target, of.positions, asked.evidence,
                    rule.neighbours > 0 ? known_items(target, asked) : KnownItems(), jobs);
  const std::vector<double> scores(ranked.data(), ranked.data() + ranked.size());
  std::vector<std::uint8_t> leave_out(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    // What fits worse than chance is no answer.
    if (of.positions.row(static_cast<Eigen::Index>(i)).isZero(0) || times[i] <= 1) leave_out[i] = 1;
  const bool of_items = of.what.of == NodeType::items || of.what.of == NodeType::text;
  // An item is not related to itself, nor a tag.
  if (asked.row && of.what.collection == asked.collection && of_items && *asked.row < of.nodes())
    leave_out[static_cast<std::size_t>(*asked.row)] = 1;
  if (!query.tag.empty() && of.what.of == NodeType::tags)
    for (const std::int64_t node : asked.known[target])
      leave_out[static_cast<std::size_t>(node)] = 1;
  if (of.what.of == NodeType::tags && of.what.collection == asked.collection &&
      !asked.rejected.empty())
    for (std::size_t i = 0; i < nodes; ++i)
      if (std::find(asked.rejected.begin(), asked.rejected.end(), tag_key(of.names[i])) !=
          asked.rejected.end())
        leave_out[i] = 1;
  RelatedNodes result{of.what.full(), {}};
  for (const std::int64_t node :
       first_by_score(scores, static_cast<std::size_t>(query.limit), leave_out)) {
    const auto i = static_cast<std::size_t>(node);
    RelatedNode& each = result.nodes.emplace_back();
    each.name = name_of(target, node);
    each.score = scores[i];
    each.times = std::max(0.0, times[i]);
    each.known = asked.row && std::find(asked.known[target].begin(), asked.known[target].end(),
                                        node) != asked.known[target].end();
    if (!query.explain) continue;
    for (std::size_t e = 0; e < model.modalities.size(); ++e)
      if (affinity[e].size() > 0)
        each.reasons.push_back(
            {model.modalities[e].what.full(), say[e] * static_cast<double>(affinity[e](0, node))});
    if (!of_items) each.examples = examples(target, node, asked);
  }
  return result;
}

/// The items that have nodes of the target, where what is asked could be near them. The item that
/// is asked for does not vote for what it has itself.
KnownItems Answerer::Parts::known_items(std::size_t target, const Asked& asked) const {
  const PlacedModality& of = model.modalities[target];
  KnownItems known{Evidence(model.modalities.size()), of.has};
  if (asked.row && asked.collection == of.what.collection && *asked.row < of.has.rows()) {
    Sparse others;
    others.columns = of.has.columns;
    for (std::int64_t row = 0; row < of.has.rows(); ++row)
      if (row == *asked.row)
        others.end_row();
      else
        others.push_row(of.has.view(), row);
    known.has = std::move(others);
  }
  for (std::size_t e = 0; e < model.modalities.size(); ++e)
    if (e != target && asked.evidence[e].size() > 0 &&
        model.modalities[e].what.collection == of.what.collection)
      known.where[e] =
          positions_of_items(model.modalities[e].has.view(), model.modalities[e].positions);
  return known;
}

GuessedPlace Answerer::Parts::guess(std::size_t target, const Asked& asked) const {
  TargetRule rule = model.rules[target];
  rule.say = says(target, asked);
  const PlacedModality& of = model.modalities[target];
  const Matrix scores =
      place_scores(model.space, rule, model.place_rule.neighbours, target, of.positions,
                   asked.evidence, known_items(target, asked), jobs);
  const PlaceGuess found = guess_place({scores.data(), static_cast<std::size_t>(scores.cols())},
                                       model.modalities[target].places);
  GuessedPlace result;
  result.place = model.modalities[target].places[found.place];
  result.radius = model.place_rule.radius(found.spread);
  result.tells = !model.place_rule.spread.empty() && model.place_rule.tells(result.radius);
  return result;
}

Answerer::Answerer(const Library& library, const std::string& model, int jobs)
    : parts_(std::make_unique<Parts>(library, model_for(library, model), jobs)) {}
Answerer::~Answerer() = default;
Answerer::Answerer(Answerer&&) noexcept = default;
Answerer& Answerer::operator=(Answerer&&) noexcept = default;

const Model& Answerer::model() const { return parts_->model; }

std::string Answerer::name_of(std::size_t modality, std::int64_t node) const {
  return parts_->name_of(modality, node);
}

Answer Answerer::ask(const Query& query) const {
  const auto begin = Clock::now();
  require(query.limit >= 1, "--limit must be 1 or more, not ", query.limit);
  const Asked asked = parts_->ask(query);
  Answer answer;
  answer.nearest = asked.nearest;
  const Model& model = parts_->model;
  for (std::size_t k = 0; k < model.modalities.size(); ++k)
    if (asked.evidence[k].size() > 0) answer.evidence.push_back(model.modalities[k].what.full());
  for (const std::size_t modality : parts_->modalities_meant(query))
    answer.modalities.push_back(parts_->nodes_of(modality, asked, query));
  for (std::size_t k = 0; k < model.modalities.size() && asked.row; ++k) {
    if (model.modalities[k].what.of != NodeType::places ||
        model.modalities[k].what.collection != asked.collection)
      continue;
    if (asked.known[k].empty())
      answer.guess = parts_->guess(k, asked);
    else
      answer.known_place = model.modalities[k].places[static_cast<std::size_t>(asked.known[k][0])];
  }
  answer.seconds = seconds_since(begin);
  return answer;
}

std::vector<SameTags> Answerer::same_tags(std::int64_t limit, std::int64_t min_items) const {
  std::vector<SameTags> pairs;
  const Model& model = parts_->model;
  bool found = false;
  for (const PlacedModality& modality : model.modalities) {
    if (modality.what.of != NodeType::tags) continue;
    found = true;
    const Sparse items = transpose(modality.has.view());
    std::vector<std::int64_t> tags;
    for (std::int64_t i = 0; i < modality.nodes(); ++i)
      if (std::ssize(items.view().row_indices(i)) >= min_items &&
          !modality.positions.row(i).isZero(0))
        tags.push_back(i);
    Matrix rows(std::ssize(tags), modality.positions.cols());
    for (std::size_t i = 0; i < tags.size(); ++i)
      rows.row(static_cast<Eigen::Index>(i)) = modality.positions.row(tags[i]);
    const Matrix towards = directions(model.space, rows);
    const Matrix alike = multiply_transposed(towards, towards, parts_->jobs);
    for (std::size_t a = 0; a < tags.size(); ++a)
      for (std::size_t b = a + 1; b < tags.size(); ++b) {
        const double cosine = alike(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
        if (cosine < 0.5) continue;
        const auto first = items.view().row_indices(tags[a]);
        const auto second = items.view().row_indices(tags[b]);
        std::vector<std::int32_t> both;
        std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                              std::back_inserter(both));
        pairs.push_back({modality.what.full(), modality.names[static_cast<std::size_t>(tags[a])],
                         modality.names[static_cast<std::size_t>(tags[b])], cosine,
                         std::ssize(first), std::ssize(second), std::ssize(both)});
      }
  }
  require(found, "the model relates no tags; learn one with NAME/tags");
  // Of few items likeness may be chance, so pairs of many go first.
  const auto sure = [](const SameTags& pair) {
    const auto items = static_cast<double>(std::min(pair.first_items, pair.second_items));
    return pair.alike * items / (items + 2);
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const SameTags& a, const SameTags& b) { return sure(a) > sure(b); });
  if (std::ssize(pairs) > limit) pairs.resize(static_cast<std::size_t>(limit));
  return pairs;
}

std::string to_string(const Place& place) {
  char text[64];
  std::snprintf(text, sizeof text, "%.5f,%.5f", place.latitude, place.longitude);
  return text;
}

Place parse_place(const std::string& text) {
  Place place;
  const std::size_t comma = text.find(',');
  const auto read = [](std::string_view part, double& value) {
    const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), value);
    return problem == std::errc() && end == part.data() + part.size();
  };
  require(comma != std::string::npos &&
              read(std::string_view(text).substr(0, comma), place.latitude) &&
              read(std::string_view(text).substr(comma + 1), place.longitude) &&
              std::abs(place.latitude) <= 90 && std::abs(place.longitude) <= 180,
          "'", text, "' is not a place; give LATITUDE,LONGITUDE in degrees, such as 40.71,-74.01");
  return place;
}

std::string model_for(const Library& library, const std::string& model) {
  if (!model.empty()) {
    require(model_record(library, model).kind == kModelKind, "the model '", model,
            "' was not made by 'commonplace learn LIB relate'");
    return model;
  }
  std::vector<std::string> names;
  for (const ModelRecord& record : model_records(library))
    if (record.kind == kModelKind) names.push_back(record.name);
  require(!names.empty(),
          "the library has no model that relates things; learn one with 'commonplace learn LIB "
          "relate --collections NAME'");
  require(names.size() == 1, "say which model with --model; there are ", join(names));
  return names.front();
}

}  // namespace commonplace::relate
