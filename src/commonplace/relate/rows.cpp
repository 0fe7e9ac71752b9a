#include "commonplace/relate/rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/items/links.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/relate/read_modality.h"

namespace commonplace::relate {
namespace {

constexpr std::string_view kLabel = "label:";

std::optional<NodeType> nodes_of(std::string_view part) {
  if (part == "text") return NodeType::text;
  if (part == "tags") return NodeType::tags;
  if (part == "places") return NodeType::places;
  if (part.starts_with(kLabel) && part.size() > kLabel.size()) return NodeType::label;
  return std::nullopt;
}

Modality modality_of(const std::string& collection, std::string_view part) {
  const std::optional<NodeType> of = nodes_of(part);
  require(of.has_value(), "'", collection, "/", part,
          "' is nothing to relate; give NAME, NAME:FEATURES, NAME/text, NAME/tags, NAME/places or "
          "NAME/label:FIELD");
  return {collection, *of,
          *of == NodeType::label ? std::string(part.substr(kLabel.size())) : std::string()};
}

/// Everything that one collection has to relate.
std::vector<Modality> all_of(const Library& library, const std::string& name) {
  const Collection source = collection(library, name);
  const CollectionFacts has = facts_of(library, source);
  const auto records = feature_records(library, source);
  std::vector<Modality> modalities;
  if (std::any_of(records.begin(), records.end(), [](const auto& each) { return !each.sparse; }))
    modalities.push_back({name, NodeType::items, ""});
  if (has.text) modalities.push_back({name, NodeType::text, ""});
  if (!tag_uses(library, source).empty()) modalities.push_back({name, NodeType::tags, ""});
  if (has.places) modalities.push_back({name, NodeType::places, ""});
  require(modalities.size() >= 2, "collection '", name,
          "' has too little to relate: of features, text, tags and places at least two are needed");
  return modalities;
}

struct KernelWish {
  std::string kernel;
  std::string features;
  double width = 0;
};

/// KERNEL[:FEATURES][:WIDTH]
KernelWish kernel_wish(const std::string& text) {
  KernelWish wish;
  const std::vector<std::string> parts = split(text, ':');
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

double weight_of(const std::string& text, const std::string& of) {
  if (text.empty()) return 1;
  double weight = 0;
  const char* end = text.data() + text.size();
  const auto [read, problem] = std::from_chars(text.data(), end, weight);
  require(problem == std::errc() && read == end && std::isfinite(weight) && weight >= 0,
          "the weight '", text, "' of ", of, " is not a number of 0 or more");
  return weight;
}

/// The modality that links between items are of: their features, else their words.
std::optional<std::size_t> modality_of_items(const std::vector<ModalityRows>& modalities,
                                             const std::string& collection) {
  for (const NodeType of : {NodeType::items, NodeType::text})
    for (std::size_t k = 0; k < modalities.size(); ++k)
      if (modalities[k].what.collection == collection && modalities[k].what.of == of) return k;
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
void read_links(Data& data, const Library& library, double weight) {
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
    const auto from = modality_of_items(data.modalities, count.from);
    const auto to = modality_of_items(data.modalities, count.to);
    if (!from || !to) continue;
    std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
    visit_links(library, collection(library, count.from), collection(library, count.to),
                [&](const Link& link) {
                  const std::int64_t a = row_of(count.from, link.a);
                  const std::int64_t b = row_of(count.to, link.b);
                  if (a < data.modalities[*from].nodes && b < data.modalities[*to].nodes)
                    entries[{a, b}] = link.weight;
                });
    data.given.push_back(
        {*from, *to,
         sparse_of(std::move(entries), data.modalities[*from].nodes, data.modalities[*to].nodes),
         weight});
  }
}

/// Tags, labels and places of different collections that are the same.
void link_equal_names(Data& data) {
  const auto keys_of = [](const ModalityRows& modality) {
    std::vector<std::string> keys;
    for (const std::string& name : modality.names) keys.push_back(tag_key(name));
    for (const Place& place : modality.places)
      keys.push_back(
          concat(std::llround(place.latitude * 1e3), ",", std::llround(place.longitude * 1e3)));
    return keys;
  };
  for (std::size_t a = 0; a < data.modalities.size(); ++a)
    for (std::size_t b = a + 1; b < data.modalities.size(); ++b) {
      const Modality& one = data.modalities[a].what;
      const Modality& other = data.modalities[b].what;
      if (one.collection == other.collection || one.of != other.of || one.field != other.field)
        continue;
      const auto keys = keys_of(data.modalities[b]);
      std::unordered_multimap<std::string, std::int64_t> numbers;
      for (std::size_t i = 0; i < keys.size(); ++i) numbers.emplace(keys[i], i);
      std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
      const auto own = keys_of(data.modalities[a]);
      for (std::size_t i = 0; i < own.size(); ++i) {
        const auto [begin, end] = numbers.equal_range(own[i]);
        for (auto each = begin; each != end; ++each)
          entries[{static_cast<std::int64_t>(i), each->second}] = 1;
      }
      if (!entries.empty())
        data.given.push_back(
            {a, b,
             sparse_of(std::move(entries), data.modalities[a].nodes, data.modalities[b].nodes),
             data.modalities[a].weight * data.modalities[b].weight});
    }
}

}  // namespace

std::vector<Modality> related_modalities(const Library& library, const std::string& asked) {
  std::vector<std::string> names = split(asked);
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
  std::vector<Modality> modalities;
  for (const std::string& name : names) {
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) {
      collection(library, name.substr(0, slash));
      modalities.push_back(modality_of(name.substr(0, slash), name.substr(slash + 1)));
    } else if (!has_collection(library, name) && nodes_of(name) && !named.empty()) {
      for (const std::string& base : named) modalities.push_back(modality_of(base, name));
    } else {
      const std::size_t colon = name.find(':');
      collection(library, name.substr(0, colon));
      modalities.push_back({name.substr(0, colon), NodeType::items,
                            colon == std::string::npos ? "" : name.substr(colon + 1)});
    }
  }
  for (std::size_t i = 0; i < modalities.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      require(!(modalities[i] == modalities[j]), "--collections names ", modalities[i].full(),
              " twice");
  return modalities;
}

Data read_data(const Library& library, const ReadOptions& options, const Run& run,
               std::span<const TfidfModel> texts) {
  require(options.min_uses >= 1, "--min-uses must be 1 or more, not ", options.min_uses);
  const std::vector<Modality> names = related_modalities(library, options.collections);
  require(names.size() >= 2,
          "one kind alone has nothing to be related to; name more in "
          "--collections, such as NAME/tags");
  check_settings(options.kernel, "--kernel", names);
  check_settings(options.weights, "--weights", names, {"links"});
  Data data;
  for (const Modality& name : names) {
    run.progress({"reading " + name.full(), data.modalities.size(), names.size(), "kinds"});
    ModalityRows& modality = data.modalities.emplace_back();
    modality.what = name;
    if (!texts.empty()) modality.text = texts[data.modalities.size() - 1];
    const KernelWish wish = kernel_wish(setting_for(options.kernel, name));
    modality.kernel = wish.kernel;
    modality.features =
        name.of == NodeType::items && !name.field.empty() ? name.field : wish.features;
    modality.width = wish.width;
    modality.weight = weight_of(setting_for(options.weights, name), name.full());
    const Collection source = collection(library, name.collection);
    require(wish.features.empty() || name.of == NodeType::items, name.full(),
            " has no stored features to choose from; give a kernel without ':", wish.features, "'");
    const bool named = name.of == NodeType::tags || name.of == NodeType::label;
    require(!named || wish.kernel.empty() || wish.kernel == "identity", name.full(),
            " are told apart by their names alone; their kernel can only be identity");
    require(name.of != NodeType::text || wish.kernel != "identity", name.full(),
            " cannot have the kernel identity; give linear or cosine");
    read_modality(modality, library, source, options.min_uses, run);
    require(modality.nodes > 0, "there is nothing in ", name.full(), " to relate",
            named ? concat("; none is used by ", options.min_uses, " items (--min-uses)")
                  : std::string());
  }
  double links = 1;
  for (const std::string& entry : split(options.weights))
    if (entry.starts_with("links=")) links = weight_of(entry.substr(6), "links");
  read_links(data, library, links);
  link_equal_names(data);
  return data;
}

void require_same_data(const Library& library, const Data& data, Comm& comm) {
  for (const ModalityRows& modality : data.modalities)
    require_same(comm,
                 concat(state_of(library, collection(library, modality.what.collection)), ' ',
                        modality.features, ' ', modality.nodes, ' ', modality.has.nonzeros()),
                 concat("collection '", modality.what.collection, "'"));
  std::string links;
  for (const GivenLinks& given : data.given)
    links += concat(given.from, ' ', given.to, ' ', given.links.nonzeros(), ' ');
  require_same(comm, links, "links");
}

}  // namespace commonplace::relate
