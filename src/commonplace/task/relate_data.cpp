#include "commonplace/task/relate_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/data/decisions.h"
#include "commonplace/data/items.h"
#include "commonplace/data/links.h"
#include "commonplace/data/stored_features.h"
#include "commonplace/data/tag_uses.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/task/item_texts.h"

namespace commonplace {
namespace {

constexpr std::string_view kLabel = "label:";
/// Places closer than about a metre are one.
constexpr double kPlaceGrid = 1e5;

std::optional<ThingsOf> things_of(std::string_view part) {
  if (part == "text") return ThingsOf::text;
  if (part == "tags") return ThingsOf::tags;
  if (part == "places") return ThingsOf::places;
  if (part.starts_with(kLabel) && part.size() > kLabel.size()) return ThingsOf::label;
  return std::nullopt;
}

KindName kind_of(const std::string& collection, std::string_view part) {
  const std::optional<ThingsOf> of = things_of(part);
  require(of.has_value(), "'", collection, "/", part,
          "' is nothing to relate; give NAME, NAME:FEATURES, NAME/text, NAME/tags, NAME/places or "
          "NAME/label:FIELD");
  return {collection, *of,
          *of == ThingsOf::label ? std::string(part.substr(kLabel.size())) : std::string()};
}

/// What a collection's items have, seen in one pass.
struct Seen {
  bool tags = false;
  bool places = false;
  bool text = false;
};

Seen what_it_has(const Library& library, const Collection& source) {
  Statement query = library.database().prepare(
      "SELECT EXISTS (SELECT 1 FROM item WHERE collection = ?1 AND latitude IS NOT NULL), "
      "EXISTS (SELECT 1 FROM item WHERE collection = ?1 AND (title <> '' OR text <> ''))");
  query.bind(source.id);
  Seen seen;
  if (query.step()) {
    seen.places = query.integer(0) != 0;
    seen.text = query.integer(1) != 0;
  }
  seen.tags = !tag_uses(library, source).empty();
  return seen;
}

/// Everything that one collection has to relate.
std::vector<KindName> all_of(const Library& library, const std::string& name) {
  const Collection source = collection(library, name);
  const Seen seen = what_it_has(library, source);
  const auto records = feature_records(library, source);
  std::vector<KindName> kinds;
  if (std::any_of(records.begin(), records.end(), [](const auto& each) { return !each.sparse; }))
    kinds.push_back({name, ThingsOf::items, ""});
  if (seen.text) kinds.push_back({name, ThingsOf::text, ""});
  if (seen.tags) kinds.push_back({name, ThingsOf::tags, ""});
  if (seen.places) kinds.push_back({name, ThingsOf::places, ""});
  require(kinds.size() >= 2, "collection '", name,
          "' has too little to relate: of features, text, tags and places at least two are needed");
  return kinds;
}

struct KernelWish {
  std::string kernel;
  std::string features;
  double width = 0;
};

/// KERNEL[:FEATURES][:WIDTH]
KernelWish kernel_wish(const std::string& text) {
  KernelWish wish;
  const std::vector<std::string> parts = parted(text, ':');
  if (parts.empty()) return wish;
  require(parts.size() <= 3, "the kernel '", text, "' is not KERNEL[:FEATURES][:WIDTH]");
  wish.kernel = kernel_name(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    double width = 0;
    const char* end = parts[i].data() + parts[i].size();
    const auto [read, problem] = std::from_chars(parts[i].data(), end, width);
    const bool number = problem == std::errc() && read == end;
    if (!number && wish.features.empty()) {
      wish.features = parts[i];
      continue;
    }
    require(number && std::isfinite(width) && width > 0, "the width '", parts[i],
            "' of the kernel '", text, "' is not a number above 0");
    wish.width = width;
  }
  return wish;
}

/// One thing an item: thing r is item r, unless its row is empty.
void one_each(RelateKind& kind, std::int64_t items, std::int64_t rows,
              const std::function<bool(std::int64_t)>& is_there) {
  kind.things = rows;
  kind.has.columns = rows;
  for (std::int64_t row = 0; row < items; ++row) {
    if (row < rows && is_there(row)) kind.has.push(static_cast<std::int32_t>(row), 1);
    kind.has.end_row();
  }
}

void read_items(RelateKind& kind, const Library& library, const Collection& source) {
  if (kind.kernel == "identity") {
    one_each(kind, source.items, source.items, [](std::int64_t) { return true; });
    return;
  }
  if (kind.features.empty()) {
    std::vector<std::string> dense;
    for (const FeatureRecord& record : feature_records(library, source))
      if (!record.sparse) dense.push_back(record.name);
    require(!dense.empty(), "collection '", source.name,
            "' has no dense features to relate its items by; make some ('commonplace features'), "
            "or relate ",
            source.name, "/text instead");
    kind.features = dense.front();
  }
  const FeatureRecord record = feature_record(library, source, kind.features);
  if (record.sparse) {
    const SparseFeatures stored(record);
    kind.rows.is_sparse = true;
    kind.rows.sparse = copy(stored.matrix());
    const SparseView rows = kind.rows.sparse.view();
    one_each(kind, source.items, rows.rows,
             [&](std::int64_t row) { return !rows.row_indices(row).empty(); });
    return;
  }
  kind.mapped = dense_features(record);
  kind.mapped_rows = kind.mapped.view().rows();
  one_each(kind, source.items, kind.mapped_rows,
           [&](std::int64_t row) { return kind.mapped.view().row(row).squaredNorm() > 0; });
}

void read_text(RelateKind& kind, const Library& library, const Collection& source, int jobs,
               const Progress& progress) {
  ItemReader reader(library, source);
  kind.rows.is_sparse = true;
  if (kind.text.idf.empty()) {
    TfidfOptions options;
    options.weights.sublinear = true;
    options.terms.min_documents = 2;
    TfidfFit fit = fit_tfidf(texts_of(reader), options, jobs, progress);
    kind.text = std::move(fit.model);
    kind.rows.sparse = std::move(fit.matrix);
  } else {
    kind.rows.sparse = encode(kind.text, texts_of(reader), jobs, progress);
  }
  const SparseView rows = kind.rows.sparse.view();
  require(rows.columns > 0, "the items of collection '", source.name,
          "' have no words that two of them use");
  one_each(kind, source.items, rows.rows,
           [&](std::int64_t row) { return !rows.row_indices(row).empty(); });
}

/// Gives the names that occur often enough numbers, and `kind.has` its rows.
void keep_common(RelateKind& kind, const std::vector<std::string>& names, const Sparse& uses,
                 std::int64_t min_uses) {
  std::vector<std::int64_t> counts(names.size());
  for (std::size_t i = 0; i < uses.indices.size(); ++i)
    if (uses.values[i] > 0) ++counts[static_cast<std::size_t>(uses.indices[i])];
  std::vector<std::int32_t> number(names.size(), -1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (counts[i] < min_uses) continue;
    number[i] = static_cast<std::int32_t>(kind.names.size());
    kind.names.push_back(names[i]);
  }
  kind.things = std::ssize(kind.names);
  kind.has.columns = kind.things;
  for (std::int64_t row = 0; row < uses.rows(); ++row) {
    const SparseView view = uses.view();
    for (std::size_t i = 0; i < view.row_indices(row).size(); ++i) {
      const std::int32_t column = number[static_cast<std::size_t>(view.row_indices(row)[i])];
      if (column >= 0) kind.has.push(column, view.row_values(row)[i] > 0 ? 1.0F : -1.0F);
    }
    kind.has.end_row();
  }
}

void read_tags(RelateKind& kind, const Library& library, const Collection& source,
               std::int64_t min_uses) {
  TagMatrix tags = tag_matrix(library, source);
  std::unordered_map<std::string, std::int32_t> numbers;
  for (std::size_t i = 0; i < tags.names.size(); ++i)
    numbers.emplace(tag_key(tags.names[i]), static_cast<std::int32_t>(i));
  // What was rejected is known of no matrix of tags.
  std::unordered_map<std::string, std::vector<std::int32_t>> rejected;
  for (const Decision& decision : decisions_in_force(library, source.name))
    if (decision.verdict == Verdict::rejected)
      if (const auto found = numbers.find(tag_key(decision.tag)); found != numbers.end())
        rejected[decision.item].push_back(found->second);
  if (!rejected.empty()) {
    const std::vector<std::string> ids = item_ids(library, source);
    Sparse both;
    both.columns = tags.counts.columns;
    for (std::int64_t row = 0; row < tags.counts.rows(); ++row) {
      std::map<std::int32_t, float> entries;
      for (const std::int32_t tag : tags.counts.view().row_indices(row)) entries[tag] = 1;
      if (const auto found = rejected.find(ids[static_cast<std::size_t>(row)]);
          found != rejected.end())
        for (const std::int32_t tag : found->second) entries[tag] = -1;
      for (const auto& [tag, value] : entries) both.push(tag, value);
      both.end_row();
    }
    tags.counts = std::move(both);
  }
  keep_common(kind, tags.names, tags.counts, min_uses);
}

/// Places and labels are in the items themselves.
void read_labels(RelateKind& kind, const Library& library, const Collection& source,
                 std::int64_t min_uses) {
  std::map<std::string, std::int32_t> numbers;
  std::vector<std::string> names;
  Sparse uses;
  ItemReader reader(library, source);
  Item item;
  while (reader.next(item)) {
    std::set<std::int32_t> of_item;
    for (const auto& [field, value] : item.labels) {
      if (field != kind.what.field) continue;
      const auto [place, is_new] = numbers.emplace(value, static_cast<std::int32_t>(names.size()));
      if (is_new) names.push_back(value);
      of_item.insert(place->second);
    }
    for (const std::int32_t each : of_item) uses.push(each, 1);
    uses.end_row();
  }
  require(!names.empty(), "no item of collection '", source.name, "' has a label '",
          kind.what.field, "'");
  uses.columns = std::ssize(names);
  keep_common(kind, names, uses, min_uses);
}

void read_places(RelateKind& kind, const Library& library, const Collection& source) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> numbers;
  ItemReader reader(library, source);
  Item item;
  while (reader.next(item)) {
    if (item.place) {
      const std::pair key{std::llround(item.place->latitude * kPlaceGrid),
                          std::llround(item.place->longitude * kPlaceGrid)};
      const auto [place, is_new] =
          numbers.emplace(key, static_cast<std::int32_t>(kind.places.size()));
      if (is_new) kind.places.push_back(*item.place);
      kind.has.push(place->second, 1);
    }
    kind.has.end_row();
  }
  require(!kind.places.empty(), "no item of collection '", source.name, "' has a place");
  kind.things = std::ssize(kind.places);
  kind.has.columns = kind.things;
  if (kind.kernel != "identity") kind.rows.dense = place_rows(kind.places);
}

double weight_of(const std::string& text, const std::string& of) {
  if (text.empty()) return 1;
  double weight = 0;
  const char* end = text.data() + text.size();
  const auto [read, problem] = std::from_chars(text.data(), end, weight);
  require(problem == std::errc() && read == end && std::isfinite(weight) && weight >= 0,
          "the weight '", text, "' of ", of, " is not a number of 0 or more");
  return weight;
}

/// The kind that links between items are of: their features, else their words.
std::optional<std::size_t> kind_of_items(const std::vector<RelateKind>& kinds,
                                         const std::string& collection) {
  for (const ThingsOf of : {ThingsOf::items, ThingsOf::text})
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (kinds[k].what.collection == collection && kinds[k].what.of == of) return k;
  return std::nullopt;
}

Sparse sparse_of(std::map<std::pair<std::int64_t, std::int64_t>, double> entries, std::int64_t rows,
                 std::int64_t columns) {
  Sparse links;
  links.columns = columns;
  auto entry = entries.begin();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (; entry != entries.end() && entry->first.first == row; ++entry)
      links.push(static_cast<std::int32_t>(entry->first.second), static_cast<float>(entry->second));
    links.end_row();
  }
  return links;
}

/// What the user linked.
void read_links(RelateData& data, const Library& library, double weight) {
  if (weight == 0) return;
  std::map<std::string, std::unordered_map<std::string, std::int64_t>> rows;
  const auto row_of = [&](const std::string& name, const std::string& id) {
    auto& known = rows[name];
    if (known.empty()) {
      const auto ids = item_ids(library, collection(library, name));
      for (std::size_t i = 0; i < ids.size(); ++i) known.emplace(ids[i], i);
    }
    return known.at(id);
  };
  for (const LinkCount& count : link_counts(library)) {
    const auto from = kind_of_items(data.kinds, count.from);
    const auto to = kind_of_items(data.kinds, count.to);
    if (!from || !to) continue;
    std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
    visit_links(library, collection(library, count.from), collection(library, count.to),
                [&](const Link& link) {
                  const std::int64_t a = row_of(count.from, link.a);
                  const std::int64_t b = row_of(count.to, link.b);
                  if (a < data.kinds[*from].things && b < data.kinds[*to].things)
                    entries[{a, b}] = link.weight;
                });
    data.given.push_back(
        {*from, *to,
         sparse_of(std::move(entries), data.kinds[*from].things, data.kinds[*to].things), weight});
  }
}

/// Tags, labels and places of different collections that are the same.
void link_equal_names(RelateData& data) {
  const auto keys_of = [](const RelateKind& kind) {
    std::vector<std::string> keys;
    for (const std::string& name : kind.names) keys.push_back(tag_key(name));
    for (const Place& place : kind.places)
      keys.push_back(
          concat(std::llround(place.latitude * 1e3), ",", std::llround(place.longitude * 1e3)));
    return keys;
  };
  for (std::size_t a = 0; a < data.kinds.size(); ++a)
    for (std::size_t b = a + 1; b < data.kinds.size(); ++b) {
      const KindName& one = data.kinds[a].what;
      const KindName& other = data.kinds[b].what;
      if (one.collection == other.collection || one.of != other.of || one.field != other.field)
        continue;
      const auto keys = keys_of(data.kinds[b]);
      std::unordered_multimap<std::string, std::int64_t> numbers;
      for (std::size_t i = 0; i < keys.size(); ++i) numbers.emplace(keys[i], i);
      std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
      const auto own = keys_of(data.kinds[a]);
      for (std::size_t i = 0; i < own.size(); ++i) {
        const auto [begin, end] = numbers.equal_range(own[i]);
        for (auto each = begin; each != end; ++each)
          entries[{static_cast<std::int64_t>(i), each->second}] = 1;
      }
      if (!entries.empty())
        data.given.push_back(
            {a, b, sparse_of(std::move(entries), data.kinds[a].things, data.kinds[b].things),
             data.kinds[a].weight * data.kinds[b].weight});
    }
}

}  // namespace

std::string KindName::part() const {
  switch (of) {
    case ThingsOf::items:
      return field.empty() ? collection : collection + ":" + field;
    case ThingsOf::text:
      return "text";
    case ThingsOf::tags:
      return "tags";
    case ThingsOf::places:
      return "places";
    case ThingsOf::label:
      break;
  }
  return std::string(kLabel) + field;
}

std::string KindName::full() const {
  return of == ThingsOf::items ? part() : collection + "/" + part();
}

FeatureRows RelateKind::view() const {
  return mapped_rows > 0 ? FeatureRows(mapped.view()) : rows.view();
}

std::string kernel_name(const std::string& written) {
  if (written == "rbf") return "gaussian";
  for (const char* known : {"identity", "linear", "gaussian", "laplace", "cosine"})
    if (written == known) return written;
  fail("there is no kernel '", written, "'; give identity, linear, rbf, laplace or cosine");
}

std::string setting_for(const std::string& list, const KindName& kind) {
  std::string by_part;
  for (const std::string& entry : parted(list)) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      by_part = entry;
      continue;
    }
    const std::string name = entry.substr(0, equals);
    if (name == kind.full()) return entry.substr(equals + 1);
    if (name == kind.part()) by_part = entry.substr(equals + 1);
  }
  return by_part;
}

void check_settings(const std::string& list, std::string_view flag,
                    const std::vector<KindName>& kinds, const std::vector<std::string>& others) {
  for (const std::string& entry : parted(list)) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = entry.substr(0, equals);
    const bool known = std::any_of(kinds.begin(), kinds.end(),
                                   [&](const KindName& kind) {
                                     return name == kind.full() || name == kind.part();
                                   }) ||
                       std::find(others.begin(), others.end(), name) != others.end();
    require(known, flag, " names '", name, "', which is not related here; there are ",
            join(kinds, &KindName::full));
  }
}

Matrix place_rows(const std::vector<Place>& places) {
  Matrix rows(std::ssize(places), 3);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto point = on_sphere(places[i].latitude, places[i].longitude);
    for (int c = 0; c < 3; ++c)
      rows(static_cast<Eigen::Index>(i), c) = point[static_cast<std::size_t>(c)];
  }
  return rows;
}

std::vector<KindName> related_kinds(const Library& library, const std::string& asked) {
  std::vector<std::string> names = parted(asked);
  if (names.empty()) {
    const std::vector<Collection> all = collections(library);
    require(!all.empty(), "the library has no collections yet; add one with 'commonplace add'");
    require(all.size() == 1, "say what to relate with --collections; there are ",
            join(all, &Collection::name));
    names.push_back(all.front().name);
  }
  if (names.size() == 1 && has_collection(library, names[0])) return all_of(library, names[0]);
  std::vector<std::string> named;
  for (const std::string& name : names)
    if (const std::string base = name.substr(0, name.find_first_of("/:"));
        has_collection(library, base) && std::find(named.begin(), named.end(), base) == named.end())
      named.push_back(base);
  std::vector<KindName> kinds;
  for (const std::string& name : names) {
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) {
      collection(library, name.substr(0, slash));
      kinds.push_back(kind_of(name.substr(0, slash), name.substr(slash + 1)));
    } else if (!has_collection(library, name) && things_of(name) && !named.empty()) {
      for (const std::string& base : named) kinds.push_back(kind_of(base, name));
    } else {
      const std::size_t colon = name.find(':');
      collection(library, name.substr(0, colon));
      kinds.push_back({name.substr(0, colon), ThingsOf::items,
                       colon == std::string::npos ? "" : name.substr(colon + 1)});
    }
  }
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      require(!(kinds[i] == kinds[j]), "--collections names ", kinds[i].full(), " twice");
  return kinds;
}

RelateData read_relate_data(const Library& library, const RelateReadOptions& options, int jobs,
                            const Progress& progress, std::span<const TfidfModel> texts) {
  require(options.min_uses >= 1, "--min must be 1 or more, not ", options.min_uses);
  const std::vector<KindName> names = related_kinds(library, options.collections);
  require(names.size() >= 2,
          "one kind alone has nothing to be related to; name more in "
          "--collections, such as NAME/tags");
  check_settings(options.kernel, "--kernel", names);
  check_settings(options.weights, "--weights", names, {"links"});
  RelateData data;
  for (const KindName& name : names) {
    progress({"reading " + name.full(), data.kinds.size(), names.size(), "kinds"});
    RelateKind& kind = data.kinds.emplace_back();
    kind.what = name;
    if (!texts.empty()) kind.text = texts[data.kinds.size() - 1];
    const KernelWish wish = kernel_wish(setting_for(options.kernel, name));
    kind.kernel = wish.kernel;
    kind.features = name.of == ThingsOf::items && !name.field.empty() ? name.field : wish.features;
    kind.width = wish.width;
    kind.weight = weight_of(setting_for(options.weights, name), name.full());
    const Collection source = collection(library, name.collection);
    require(wish.features.empty() || name.of == ThingsOf::items, name.full(),
            " has no stored features to choose from; give a kernel without ':", wish.features, "'");
    const bool named = name.of == ThingsOf::tags || name.of == ThingsOf::label;
    require(!named || wish.kernel.empty() || wish.kernel == "identity", name.full(),
            " are told apart by their names alone; their kernel can only be identity");
    require(name.of != ThingsOf::text || wish.kernel != "identity", name.full(),
            " cannot have the kernel identity; give linear or cosine");
    if (name.of == ThingsOf::items) read_items(kind, library, source);
    if (name.of == ThingsOf::text) read_text(kind, library, source, jobs, progress);
    if (name.of == ThingsOf::tags) read_tags(kind, library, source, options.min_uses);
    if (name.of == ThingsOf::label) read_labels(kind, library, source, options.min_uses);
    if (name.of == ThingsOf::places) read_places(kind, library, source);
    require(
        kind.things > 0, "there is nothing in ", name.full(), " to relate",
        named ? concat("; none is used by ", options.min_uses, " items (--min)") : std::string());
  }
  double links = 1;
  for (const std::string& entry : parted(options.weights))
    if (entry.starts_with("links=")) links = weight_of(entry.substr(6), "links");
  read_links(data, library, links);
  link_equal_names(data);
  return data;
}

}  // namespace commonplace
