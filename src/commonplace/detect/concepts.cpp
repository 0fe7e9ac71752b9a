#include "commonplace/detect/concepts.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/detect/core/heads.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/tags/tag_uses.h"

namespace commonplace::detect {
namespace {

/// Rows that are encoded at a time.
constexpr std::int64_t kLabelledBlock = 4096;
/// An SVM holds all labelled items in memory; beyond this many LapRLS is used.
constexpr std::int64_t kMostForSvm = 50'000;

/// The heads of all ranks' labelled rows, of which this rank has `own`.
ConceptHeads fit_all_heads(const Model& model, ManyFeatures features,
                           std::span<const std::int64_t> rows, std::span<const std::int64_t> own,
                           const Run& run) {
  if (!model.head.svm) return solve_heads(model.statistics, model.head.lambda, run.jobs);
  const Matrix coordinates = encode_rows(model.space, features, own, true, run.jobs);
  return fit_heads(run.comm.gather_rows(coordinates), labels_of(model.known, rows), model.head,
                   run.jobs);
}

}  // namespace

ConceptTable read_concepts(const Library& library, const Collection& collection,
                           const ModelOptions& options, std::int64_t rows,
                           const std::vector<std::string>* concepts) {
  ConceptTable table;
  table.shown.assign(static_cast<std::size_t>(rows), 0);
  table.known.columns = 0;
  std::vector<std::string> names;
  Sparse uses;  // items x names
  if (options.concepts_from == "tags") {
    TagMatrix tags = tag_matrix(library, collection);
    names = std::move(tags.names);
    uses = std::move(tags.counts);
  } else if (options.concepts_from != "none") {
    std::map<std::string, std::int32_t> numbers;
    ItemReader reader(library, collection);
    Item item;
    while (reader.next(item)) {
      for (const auto& [field, value] : item.labels) {
        if (field != options.concepts_from) continue;
        const auto [place, is_new] =
            numbers.emplace(value, static_cast<std::int32_t>(numbers.size()));
        if (is_new) names.push_back(value);
        uses.push(place->second, 1);
      }
      uses.end_row();
    }
    require(!names.empty(), "no item of collection '", collection.name, "' has a label '",
            options.concepts_from, "'; give --concepts-from tags, none or a label's field");
    uses.columns = std::ssize(names);
  }
  std::vector<std::int64_t> counts(names.size());
  for (const std::int32_t name : uses.indices) ++counts[static_cast<std::size_t>(name)];
  std::unordered_map<std::string, std::int32_t> wanted;
  if (concepts != nullptr)
    for (const std::string& name : *concepts)
      wanted.emplace(tag_key(name), static_cast<std::int32_t>(wanted.size()));
  std::vector<std::int32_t> column(names.size(), -1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (concepts != nullptr) {
      const auto found = wanted.find(tag_key(names[i]));
      if (found != wanted.end()) column[i] = found->second;
    } else if (counts[i] >= options.min_uses) {
      column[i] = static_cast<std::int32_t>(table.concepts.size());
      table.concepts.push_back(names[i]);
    }
  }
  if (concepts != nullptr) table.concepts = *concepts;
  table.known.columns = std::ssize(table.concepts);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int32_t> shows;
    if (row < uses.rows())
      for (const std::int32_t name : uses.view().row_indices(row)) {
        table.shown[static_cast<std::size_t>(row)] = 1;
        if (column[static_cast<std::size_t>(name)] >= 0)
          shows.push_back(column[static_cast<std::size_t>(name)]);
      }
    std::sort(shows.begin(), shows.end());
    for (const std::int32_t each : shows) table.known.push(each, 1);
    table.known.end_row();
  }
  return table;
}

std::vector<std::int64_t> labelled_rows(const std::vector<std::uint8_t>& shown) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < shown.size(); ++row)
    if (shown[row] != 0) rows.push_back(static_cast<std::int64_t>(row));
  return rows;
}

MatrixD labels_of(const Sparse& known, std::span<const std::int64_t> rows) {
  MatrixD labels = MatrixD::Constant(std::ssize(rows), known.columns, -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::int32_t each : known.view().row_indices(rows[i]))
      labels(static_cast<Eigen::Index>(i), each) = 1;
  return labels;
}

void learn_concepts(Model& model, ManyFeatures features, const Run& run) {
  const std::vector<std::int64_t> rows = labelled_rows(model.shown);
  const auto concepts = std::ssize(model.concepts);
  model.statistics = LapRlsStatistics(model.space.columns(), concepts);
  if (concepts == 0) {
    model.heads = {MatrixD(0, 0), VectorD(0)};
    return;
  }
  if (model.head.svm && std::ssize(rows) > kMostForSvm) model.head = {false, 1, model.head.cost};
  const RowRange range = own_rows(std::ssize(rows), run.comm);
  const auto own = std::span(rows).subspan(static_cast<std::size_t>(range.begin),
                                           static_cast<std::size_t>(range.end - range.begin));
  for (std::size_t begin = 0; begin < own.size(); begin += kLabelledBlock) {
    run.progress({"learning concepts", begin, own.size(), "items"});
    const auto some = own.subspan(begin, std::min<std::size_t>(kLabelledBlock, own.size() - begin));
    add_rows(model.statistics, encode_rows(model.space, features, some, true, run.jobs),
             labels_of(model.known, some), {}, run.jobs);
  }
  sum_over_ranks(model.statistics, run.comm);
  model.heads = fit_all_heads(model, features, rows, own, run);
}

}  // namespace commonplace::detect
