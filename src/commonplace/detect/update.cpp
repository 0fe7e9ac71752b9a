#include "commonplace/detect/update.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/detect/concepts.h"
#include "commonplace/detect/core/heads.h"
#include "commonplace/detect/features.h"
#include "commonplace/detect/index.h"
#include "commonplace/detect/model.h"
#include "commonplace/library/stored/stored_models.h"

namespace commonplace::detect {
namespace {

/// Teaches the model the items whose labels are others now, or all labelled ones if its space was
/// `refreshed`; how many are others.
std::int64_t learn_changes(Model& model, ConceptTable now, ManyFeatures features, bool refreshed,
                           const Run& run) {
  std::vector<std::int64_t> gone;
  std::vector<std::int64_t> come;
  std::int64_t changed = 0;
  for (std::int64_t row = 0; row < features[0].rows(); ++row) {
    const auto place = static_cast<std::size_t>(row);
    const bool before = place < model.shown.size() && model.shown[place] != 0;
    const bool after = now.shown[place] != 0;
    if (before && after &&
        std::ranges::equal(model.known.view().row_indices(row), now.known.view().row_indices(row)))
      continue;
    if (before) gone.push_back(row);
    if (after) come.push_back(row);
    if (before || after) ++changed;
  }
  if (!refreshed && !model.concepts.empty() && changed > 0) {
    const auto coordinates = [&](std::span<const std::int64_t> rows) {
      return encode_rows(model.space, features, rows, true, run.jobs);
    };
    if (!gone.empty())
      remove_rows(model.statistics, coordinates(gone), labels_of(model.known, gone), {}, run.jobs);
    if (!come.empty())
      add_rows(model.statistics, coordinates(come), labels_of(now.known, come), {}, run.jobs);
    if (model.head.svm) model.head = {false, 1, model.head.cost};
    model.heads = solve_heads(model.statistics, model.head.lambda, run.jobs);
  }
  model.known = std::move(now.known);
  model.shown = std::move(now.shown);
  if (refreshed) learn_concepts(model, features, run);
  return changed;
}

}  // namespace

Update update(Library& library, const std::string& name, const Run& run) {
  const auto begin = Clock::now();
  const ModelRecord record = model_record(library, name);
  require(record.kind == kModelKind, "the model '", name, "' is of the kind '", record.kind,
          "'; expected one made by 'commonplace learn LIB detect'");
  Model model = load_model(TensorFile(record.file));
  const Collection source = collection(library, model.collection);
  const MappedFeatures features(library, source, model.features);
  require_same(run.comm, state_of(library, source), "collection '" + source.name + "'");
  const TensorFile file(model_record(library, index_name(name)).file);
  const Sq8RowsView before = view_index(file);
  require(index_fits(before, model.space, features.views(), run.jobs), "items of collection '",
          model.collection, "' were removed or their features made anew since the model was ",
          "learned; learn it again");
  const SpaceGrowth growth = take_in(model.space, features.views(), run);
  Update update;
  update.statistics_items = growth.items;
  update.refreshed = growth.refreshed;
  update.new_items = features.rows() - before.rows;
  update.changed_items = learn_changes(
      model, read_concepts(library, source, model.options, features.rows(), &model.concepts),
      features.views(), growth.refreshed, run);
  if (update.changed_items + update.new_items + update.statistics_items > 0) {
    const Sq8Rows coded = growth.refreshed ? code_items(model.space, features.views(), 0, {}, run)
                                           : code_items(model.space, features.views(), before.rows,
                                                        before.scales, run);
    on_root(run.comm, [&] {
      store_with_index(library, name, model, record.report,
                       growth.refreshed ? coded : grown(before, coded));
    });
  }
  update.seconds = seconds_since(begin);
  return update;
}

}  // namespace commonplace::detect
