#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace {

/// The rows of a matrix that every rank has which are this rank's.
inline Sparse own_part(const SparseView& matrix, const Comm& comm) {
  const RowRange mine = own_rows(matrix.rows, comm);
  Sparse part;
  part.columns = matrix.columns;
  for (std::int64_t row = mine.begin; row < mine.end; ++row) part.push_row(matrix, row);
  return part;
}

inline StoredRows own_part(const FeatureRows& rows, const Comm& comm) {
  const RowRange mine = own_rows(rows.rows(), comm);
  std::vector<std::int64_t> which(static_cast<std::size_t>(mine.end - mine.begin));
  std::iota(which.begin(), which.end(), mine.begin);
  return take_rows(rows, which);
}

/// The values of rank 0, however many they are, on every rank. Collective.
template <class Value>
void take_first(Comm& comm, std::vector<Value>& values) {
  values.resize(static_cast<std::size_t>(comm.broadcast(std::ssize(values), 0)));
  comm.broadcast(std::span<Value>(values), 0);
}

}  // namespace commonplace
