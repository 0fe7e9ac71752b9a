#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commonplace/comm/comm.h"

namespace commonplace {

/// What ranks do to stay together. Collective, like all that they are made of.

/// Error on every rank unless all give the same text: "the ranks do not see the same WHAT; ...".
/// For what every rank reads by itself, such as the state of a collection.
void require_same(Comm& comm, std::string_view text, std::string_view what);

/// The text of rank 0, on every rank.
std::string broadcast_text(Comm& comm, std::string_view text);

/// Calls `make` once for each of `count` pieces of work, on whichever rank is free, and returns
/// what was made, by piece, on every rank. `make` runs on one thread at a time of each rank and
/// must not call `comm`.
std::vector<std::string> share_work(Comm& comm, std::int64_t count,
                                    const std::function<std::string(std::int64_t)>& make);

/// The values of every rank, in rank order, on rank 0, and none on the others. They travel in
/// pieces that every rank receives, so that only rank 0 needs room for all.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> gather_on_root(Comm& comm,
                                                                       std::vector<T> mine) {
  constexpr std::int64_t kPiece = (1 << 24) / static_cast<std::int64_t>(sizeof(T)) + 1;
  if (comm.size() == 1) return mine;
  std::vector<T> all;
  if (comm.rank() == 0) all = mine;
  std::vector<T> piece;
  for (int root = 1; root < comm.size(); ++root) {
    const auto count = comm.broadcast(static_cast<std::int64_t>(mine.size()), root);
    for (std::int64_t first = 0; first < count; first += kPiece) {
      const auto length = static_cast<std::size_t>(std::min(kPiece, count - first));
      if (comm.rank() == root)
        piece.assign(mine.begin() + first,
                     mine.begin() + first + static_cast<std::int64_t>(length));
      else
        piece.resize(length);
      comm.broadcast(std::span<T>(piece), root);
      if (comm.rank() == 0) all.insert(all.end(), piece.begin(), piece.end());
    }
  }
  return all;
}

/// Does `write` on rank 0 alone; the others wait until it is done.
template <class Write>
void on_root(Comm& comm, const Write& write) {
  if (comm.rank() == 0) write();
  comm.barrier();
}

/// The rows of `count` that are this rank's.
inline RowRange own_rows(std::int64_t count, const Comm& comm) {
  return rows_of_rank(count, comm.rank(), comm.size());
}

}  // namespace commonplace
