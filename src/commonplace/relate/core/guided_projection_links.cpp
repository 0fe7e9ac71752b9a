#include "commonplace/relate/core/guided_projection_links.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::relate {
namespace {

void check(const Guidance& guidance, std::size_t number, std::span<const GuidedItems> modalities) {
  require(guidance.from < modalities.size() && guidance.to < modalities.size(), "guidance ", number,
          " links kind ", guidance.from, " with kind ", guidance.to, "; expected 0 .. ",
          modalities.size() - 1);
  require(guidance.weight > 0 && std::isfinite(guidance.weight), "the weight of guidance ", number,
          " is ", guidance.weight, "; expected more than 0");
  const SparseView& links = guidance.links;
  require(links.rows == modalities[guidance.from].items, "guidance ", number, " has ", links.rows,
          " rows; expected one for each of this rank's ", modalities[guidance.from].items,
          " items of kind ", guidance.from);
  require(links.rows == 0 || links.columns == modalities[guidance.to].all_items, "guidance ",
          number, " has ", links.columns, " columns; expected one for each of all ranks' ",
          modalities[guidance.to].all_items, " items of kind ", guidance.to);
  for (std::int64_t row = 0; row < links.rows; ++row) {
    const auto columns = links.row_indices(row);
    const auto values = links.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      require(
          columns[i] >= 0 && columns[i] < links.columns && (i == 0 || columns[i] > columns[i - 1]),
          "row ", row + 1, " of guidance ", number, " has column ", columns[i],
          "; expected ascending ones of 0 .. ", links.columns - 1);
      require(values[i] >= -1 && values[i] <= 1, "a link in row ", row + 1, " of guidance ", number,
              " has the weight ", values[i], "; expected -1 .. 1");
    }
  }
}

/// Sums over rows (this rank's) and columns (all), of all links and of those above 0.
struct Sums {
  VectorD row_absolute, row_given, row_positive;
  MatrixD columns;  ///< 3 x all items of `to`: absolute, given, positive; of all ranks
};

Sums add_up(const SparseView& links, std::int64_t columns, Comm& comm) {
  Sums sums{VectorD::Zero(links.rows), VectorD::Zero(links.rows), VectorD::Zero(links.rows),
            MatrixD::Zero(3, columns)};
  for (std::int64_t row = 0; row < links.rows; ++row) {
    const auto at = links.row_indices(row);
    const auto values = links.row_values(row);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      const double parts[] = {std::abs(value), value, std::max(value, 0.0)};
      sums.row_absolute(row) += parts[0];
      sums.row_given(row) += parts[1];
      sums.row_positive(row) += parts[2];
      for (int part = 0; part < 3; ++part) sums.columns(part, at[i]) += parts[part];
    }
  }
  comm.sum(sums.columns);
  return sums;
}

/// Sets what balancing subtracts.
void balance(GuidedLinks& links, const Sums& sums, const GuidedItems& from) {
  const VectorD columns = sums.columns.row(2).transpose();
  const double total = columns.sum();
  if (total == 0) return;
  links.expected_from = sums.row_positive;
  links.expected_to = columns;
  links.expected_scale = 1 / total;
  if (links.from != links.to) return;
  links.expected_from += columns.segment(from.first_item, from.items);
  links.expected_scale = 0.25 / total;
}

void add_degrees(const GuidedLinks& links, const Sums& sums,
                 std::span<const GuidedItems> modalities, std::vector<GuidedDegrees>& degrees) {
  const bool balanced = links.expected_scale > 0;
  GuidedDegrees& from = degrees[links.from];
  from.absolute += links.weight * sums.row_absolute;
  from.given += links.weight * sums.row_given;
  from.resulting += links.weight * sums.row_given;
  if (balanced) from.resulting -= links.weight * sums.row_positive;
  GuidedDegrees& to = degrees[links.to];
  const GuidedItems& modality = modalities[links.to];
  const MatrixD own = links.weight * sums.columns.middleCols(modality.first_item, modality.items);
  to.absolute += own.row(0).transpose();
  to.given += own.row(1).transpose();
  to.resulting += own.row(1).transpose();
  if (balanced) to.resulting -= own.row(2).transpose();
}

}  // namespace

GuidedGraph guided_graph(std::span<const GuidedItems> modalities,
                         std::span<const Guidance> guidance, bool balanced, Comm& comm) {
  GuidedGraph result;
  for (const GuidedItems& modality : modalities)
    result.degrees.push_back({VectorD::Zero(modality.items), VectorD::Zero(modality.items),
                              VectorD::Zero(modality.items)});
  double most = 0;
  double signs = 0;
  for (std::size_t i = 0; i < guidance.size(); ++i) {
    check(guidance[i], i, modalities);
    GuidedLinks links;
    links.from = guidance[i].from;
    links.to = guidance[i].to;
    links.weight = guidance[i].weight;
    links.given = rebased(guidance[i].links, links.starts);
    links.given.columns = modalities[links.to].all_items;
    links.count = comm.sum(static_cast<double>(links.links().nonzeros()));
    const Sums sums = add_up(links.links(), links.given.columns, comm);
    most += sums.columns.row(0).sum();
    signs += (sums.columns.row(0) - sums.columns.row(1)).sum();
    if (balanced) {
      balance(links, sums, modalities[links.from]);
      if (links.from == links.to && links.expected_scale > 0)
        links.expected_to = gather_values(modalities[links.from], links.expected_from, comm);
    }
    add_degrees(links, sums, modalities, result.degrees);
    result.links.push_back(std::move(links));
  }
  require(most > 0, "there are no links; give some that are not 0");
  result.degrees_equal = !balanced && signs == 0;
  return result;
}

MatrixD apply_links(const GuidedLinks& links, const MatrixD& y, int jobs) {
  MatrixD result = multiply(links.links(), y, jobs);
  if (links.expected_scale > 0) {
    const Eigen::RowVectorXd sums = links.expected_scale * links.expected_to.transpose() * y;
    result -= links.expected_from * sums;
  }
  return links.weight * result;
}

MatrixD apply_links_back(const GuidedLinks& links, const MatrixD& y, int jobs) {
  MatrixD result = transposed_multiply(links.links(), y, jobs);
  if (links.expected_scale > 0) {
    const Eigen::RowVectorXd sums = links.expected_scale * links.expected_from.transpose() * y;
    result -= links.expected_to * sums;
  }
  return links.weight * result;
}

}  // namespace commonplace::relate
