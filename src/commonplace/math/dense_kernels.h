// The loops of dense_products.cpp, which includes this once for each instruction set that it is
// compiled for, each time inside another namespace: hence neither a guard nor includes.
//
// A tile of the result is kept in registers while it is added up, `kTileRows` rows by two vector
// registers of columns. Every entry of a tile is a chain of its own, so that its bits depend on
// neither its neighbours nor its place.

#if COMMONPLACE_LINE_BYTES == 64
constexpr std::int64_t kTileRows = 12;
#elif COMMONPLACE_LINE_BYTES == 32
constexpr std::int64_t kTileRows = 6;
#else
constexpr std::int64_t kTileRows = 4;
#endif
constexpr std::int64_t kLineBytes = COMMONPLACE_LINE_BYTES;

/// May alias, since it is laid over arrays of numbers.
template <class Scalar>
struct LineOf {
  typedef Scalar Type __attribute__((vector_size(kLineBytes), may_alias));
};
template <class Scalar>
using Line = typename LineOf<Scalar>::Type;

template <class Scalar>
constexpr std::int64_t kWidth = kLineBytes / static_cast<std::int64_t>(sizeof(Scalar));
template <class Scalar>
constexpr std::int64_t kTileColumns = 2 * kWidth<Scalar>;

/// Four numbers anywhere.
template <class Scalar>
struct FourOf {
  typedef Scalar Type
      __attribute__((vector_size(4 * sizeof(Scalar)), aligned(sizeof(Scalar)), may_alias));
};

/// into[i * into_stride + j] := sign * from[j * from_stride + i], for i and j from 0 to 3.
template <class Scalar>
void transpose_4x4(const Scalar* from, std::int64_t from_stride, Scalar sign, Scalar* into,
                   std::int64_t into_stride) {
  using Four = typename FourOf<Scalar>::Type;
  const auto row = [&](std::int64_t i) -> const Four& {
    return *reinterpret_cast<const Four*>(from + i * from_stride);
  };
  const Four a = __builtin_shufflevector(row(0), row(1), 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(row(2), row(3), 0, 4, 1, 5);
  const Four c = __builtin_shufflevector(row(0), row(1), 2, 6, 3, 7);
  const Four d = __builtin_shufflevector(row(2), row(3), 2, 6, 3, 7);
  const auto column = [&](std::int64_t i) -> Four& {
    return *reinterpret_cast<Four*>(into + i * into_stride);
  };
  column(0) = sign * __builtin_shufflevector(a, b, 0, 1, 4, 5);
  column(1) = sign * __builtin_shufflevector(a, b, 2, 3, 6, 7);
  column(2) = sign * __builtin_shufflevector(c, d, 0, 1, 4, 5);
  column(3) = sign * __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/// into[d * width + i] := step d of line i, for `count` lines that lie one after the other.
template <std::int64_t width, class Scalar>
void pack_across(const Scalar* from, const Lines<Scalar>& lines, std::int64_t count,
                 std::int64_t depth, Scalar* into) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Scalar* four = from + i * lines.to_next_line;
    std::int64_t d = 0;
    for (; d + 4 <= depth; d += 4)
      transpose_4x4(four + d, lines.to_next_line, lines.sign, into + d * width + i, width);
    for (; d < depth; ++d)
      for (std::int64_t k = 0; k < 4; ++k)
        into[d * width + i + k] = lines.sign * four[k * lines.to_next_line + d];
  }
  for (; i < count; ++i)
    for (std::int64_t d = 0; d < depth; ++d)
      into[d * width + i] = lines.sign * from[i * lines.to_next_line + d];
}

/// One panel of `width` lines, depth by depth; lines that are not there are zeros.
template <std::int64_t width, class Scalar>
void pack(const Lines<Scalar>& lines, std::int64_t panel, std::int64_t first_depth,
          std::int64_t depth, Scalar* into) {
  const std::int64_t first = panel * width;
  const std::int64_t count = std::min(width, lines.count - first);
  const Scalar* from =
      lines.values + first * lines.to_next_line + first_depth * lines.to_next_depth;
  if (count < width) std::fill_n(into, width * depth, Scalar{0});
  if (lines.to_next_depth == 1)
    pack_across<width>(from, lines, count, depth, into);
  else if (count == width)
    for (std::int64_t d = 0; d < depth; ++d)
      for (std::int64_t i = 0; i < width; ++i)
        into[d * width + i] = lines.sign * from[d * lines.to_next_depth + i];
  else
    for (std::int64_t d = 0; d < depth; ++d)
      for (std::int64_t i = 0; i < count; ++i)
        into[d * width + i] = lines.sign * from[d * lines.to_next_depth + i];
}

/// `sums` (rows x kTileColumns) := the product of the first `rows` lines of a left panel and a
/// right panel.
template <std::int64_t rows, class Scalar>
void add_up(const Scalar* left, const Scalar* right, std::int64_t depth, Line<Scalar>* sums) {
  Line<Scalar> sum[rows][2] = {};
  for (std::int64_t d = 0; d < depth; ++d) {
    const Line<Scalar>* both = reinterpret_cast<const Line<Scalar>*>(right);
    const Line<Scalar> first = both[0];
    const Line<Scalar> second = both[1];
    COMMONPLACE_UNROLL
    for (std::int64_t i = 0; i < rows; ++i) {
      sum[i][0] += left[i] * first;
      sum[i][1] += left[i] * second;
    }
    left += kTileRows;
    right += kTileColumns<Scalar>;
  }
  COMMONPLACE_UNROLL
  for (std::int64_t i = 0; i < rows; ++i) {
    sums[2 * i] = sum[i][0];
    sums[2 * i + 1] = sum[i][1];
  }
}

/// A few rows take less than a whole tile of them.
template <class Scalar>
void add_up_rows(const Scalar* left, const Scalar* right, std::int64_t depth, std::int64_t rows,
                 Line<Scalar>* sums) {
  if (rows == 1)
    add_up<1>(left, right, depth, sums);
  else if (rows == 2)
    add_up<2>(left, right, depth, sums);
  else if (rows <= 4)
    add_up<4>(left, right, depth, sums);
  else
    add_up<kTileRows>(left, right, depth, sums);
}

/// Calls store(row, column, rows, columns, sums) for every tile of the block that is wanted, over
/// `depth` steps from `from` on.
template <class Scalar, class Store>
void for_each_tile(const Block<Scalar>& block, std::int64_t from, std::int64_t depth,
                   const Store& store) {
  alignas(64) Line<Scalar> sums[2 * kTileRows];
  constexpr std::int64_t width = kTileColumns<Scalar>;
  for (std::int64_t column = 0; column < block.columns; column += width)
    for (std::int64_t row = 0; row < block.rows; row += kTileRows) {
      if (column > row + kTileRows - 1 + block.last_column) continue;
      const std::int64_t rows = std::min(kTileRows, block.rows - row);
      add_up_rows(block.left + row * block.depth + from * kTileRows,
                  block.right + column * block.depth + from * width, depth, rows, sums);
      store(row, column, rows, std::min(width, block.columns - column),
            reinterpret_cast<const Scalar*>(sums));
    }
}

/// into (rows of `stride`) += the block.
template <class Scalar>
void add_block(const Block<Scalar>& block, double* into, std::int64_t stride) {
  constexpr std::int64_t width = kTileColumns<Scalar>;
  for (std::int64_t from = 0; from < block.depth; from += kStretch)
    for_each_tile(block, from, std::min(kStretch, block.depth - from),
                  [&](std::int64_t row, std::int64_t column, std::int64_t rows,
                      std::int64_t columns, const Scalar* sums) {
                    for (std::int64_t i = 0; i < rows; ++i, sums += width) {
                      double* to = into + (row + i) * stride + column;
                      if (columns == width)
                        for (std::int64_t j = 0; j < width; ++j)
                          to[j] += static_cast<double>(sums[j]);
                      else
                        for (std::int64_t j = 0; j < columns; ++j)
                          to[j] += static_cast<double>(sums[j]);
                    }
                  });
}

/// into (rows of `stride`) := the block, which is not deeper than a stretch.
template <class Scalar>
void set_block(const Block<Scalar>& block, Scalar* into, std::int64_t stride) {
  for_each_tile(block, 0, block.depth,
                [&](std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns,
                    const Scalar* sums) {
                  for (std::int64_t i = 0; i < rows; ++i)
                    std::copy_n(sums + i * kTileColumns<Scalar>, columns,
                                into + (row + i) * stride + column);
                });
}

/// X := X L⁻ᵀ for `count` rows X and a small lower triangle L, several rows side by side.
inline void solve_rows(const Triangle& l, double* x, std::int64_t stride, std::int64_t count) {
  constexpr std::int64_t lines = 4;
  constexpr std::int64_t lanes = lines * kWidth<double>;
  alignas(64) Line<double> tile[kSmallTriangle * lines];
  double* values = reinterpret_cast<double*>(tile);
  std::fill_n(values, kSmallTriangle * lanes, 0.0);
  for (std::int64_t first = 0; first < count; first += lanes) {
    const std::int64_t here = std::min(lanes, count - first);
    double* rows = x + first * stride;
    for (std::int64_t i = 0; i < here; ++i)
      for (std::int64_t j = 0; j < l.size; ++j) values[j * lanes + i] = rows[i * stride + j];
    for (std::int64_t j = 0; j < l.size; ++j) {
      const double* row = l.values + j * l.stride;
      Line<double> sum[lines];
      for (std::int64_t k = 0; k < lines; ++k) sum[k] = tile[j * lines + k];
      for (std::int64_t i = 0; i < j; ++i)
        for (std::int64_t k = 0; k < lines; ++k) sum[k] -= row[i] * tile[i * lines + k];
      for (std::int64_t k = 0; k < lines; ++k) tile[j * lines + k] = sum[k] / row[j];
    }
    for (std::int64_t i = 0; i < here; ++i)
      for (std::int64_t j = 0; j < l.size; ++j) rows[i * stride + j] = values[j * lanes + i];
  }
}

template <class Scalar>
constexpr Kernels<Scalar> kKernels = {kTileRows,
                                      kTileColumns<Scalar>,
                                      pack<kTileRows, Scalar>,
                                      pack<kTileColumns<Scalar>, Scalar>,
                                      add_block<Scalar>,
                                      set_block<Scalar>,
                                      solve_rows};
