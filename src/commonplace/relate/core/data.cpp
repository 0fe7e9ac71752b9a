#include "commonplace/relate/core/data.h"

#include <algorithm>

#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/spelling.h"
#include "commonplace/relate/core/nystrom_features.h"

namespace commonplace::relate {
namespace {

/// The nodes that are left when only some items are.
std::vector<std::int64_t> used_nodes(const ModalityRows& modality,
                                     std::span<const std::int64_t> rows) {
  std::vector<std::uint8_t> used(static_cast<std::size_t>(modality.nodes));
  for (const std::int64_t row : rows)
    for (const std::int32_t node : modality.has.view().row_indices(row))
      used[static_cast<std::size_t>(node)] = 1;
  std::vector<std::int64_t> nodes;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != 0) nodes.push_back(static_cast<std::int64_t>(i));
  return nodes;
}

/// New numbers of nodes; -1 for those that are not left.
std::vector<std::int32_t> renumber(std::span<const std::int64_t> nodes, std::int64_t count) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    number[static_cast<std::size_t>(nodes[i])] = static_cast<std::int32_t>(i);
  return number;
}

Sparse renumbered(const SparseView& from, std::span<const std::int64_t> rows,
                  const std::vector<std::int32_t>& number, std::int64_t columns) {
  Sparse result;
  result.columns = columns;
  for (const std::int64_t row : rows) {
    for (std::size_t i = 0; i < from.row_indices(row).size(); ++i)
      if (const std::int32_t column = number[static_cast<std::size_t>(from.row_indices(row)[i])];
          column >= 0)
        result.push(column, from.row_values(row)[i]);
    result.end_row();
  }
  return result;
}

}  // namespace

std::string Modality::part() const {
  switch (of) {
    case NodeType::items:
      return field.empty() ? collection : collection + ":" + field;
    case NodeType::text:
      return "text";
    case NodeType::tags:
      return "tags";
    case NodeType::places:
      return "places";
    case NodeType::label:
      break;
  }
  return "label:" + field;
}

std::string Modality::full() const {
  return of == NodeType::items ? part() : collection + "/" + part();
}

FeatureRows ModalityRows::view() const {
  return mapped_rows > 0 ? FeatureRows(mapped.view()) : rows.view();
}

std::string kernel_name(const std::string& written) {
  std::string name = current_word(written);
  for (const char* known : {"identity", "linear", kRbfKernel, "laplace", "cosine"})
    if (name == known) return name;
  fail("there is no kernel '", written, "'; give identity, linear, rbf, laplace or cosine");
}

std::string setting_for(const std::string& list, const Modality& modality) {
  std::string by_part;
  for (const std::string& entry : split(list)) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      by_part = entry;
      continue;
    }
    const std::string name = entry.substr(0, equals);
    if (name == modality.full()) return entry.substr(equals + 1);
    if (name == modality.part()) by_part = entry.substr(equals + 1);
  }
  return by_part;
}

void check_settings(const std::string& list, std::string_view flag,
                    const std::vector<Modality>& modalities,
                    const std::vector<std::string>& others) {
  for (const std::string& entry : split(list)) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = entry.substr(0, equals);
    const bool known = std::any_of(modalities.begin(), modalities.end(),
                                   [&](const Modality& modality) {
                                     return name == modality.full() || name == modality.part();
                                   }) ||
                       std::find(others.begin(), others.end(), name) != others.end();
    require(known, flag, " names '", name, "', which is not related here; there are ",
            join(modalities, &Modality::full));
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

Data take_items(const Data& data, const std::vector<std::vector<std::int64_t>>& rows) {
  Data part;
  std::vector<std::vector<std::int64_t>> nodes;
  std::vector<std::vector<std::int32_t>> numbers;
  for (std::size_t k = 0; k < data.modalities.size(); ++k) {
    const ModalityRows& from = data.modalities[k];
    nodes.push_back(used_nodes(from, rows[k]));
    numbers.push_back(renumber(nodes[k], from.nodes));
    ModalityRows& into = part.modalities.emplace_back();
    into.what = from.what;
    into.features = from.features;
    into.kernel = from.kernel;
    into.width = from.width;
    into.weight = from.weight;
    into.nodes = std::ssize(nodes[k]);
    for (const std::int64_t node : nodes[k]) {
      if (!from.names.empty()) into.names.push_back(from.names[static_cast<std::size_t>(node)]);
      if (!from.places.empty()) into.places.push_back(from.places[static_cast<std::size_t>(node)]);
    }
    into.has = renumbered(from.has.view(), rows[k], numbers[k], into.nodes);
    if (!from.identity()) into.rows = take_rows(from.view(), nodes[k]);
  }
  for (const GivenLinks& given : data.given)
    part.given.push_back({given.from, given.to,
                          renumbered(given.links.view(), nodes[given.from], numbers[given.to],
                                     part.modalities[given.to].nodes),
                          given.weight});
  return part;
}

}  // namespace commonplace::relate
