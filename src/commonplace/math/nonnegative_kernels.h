// The loops of nonnegative.cpp, which includes this once for each instruction set that it is
// compiled for, each time inside another namespace: hence neither a guard nor includes.
//
// The problems of several rows are solved side by side: a tile holds coordinate k of all of them
// next to each other, so that every instruction works on whole vectors and nothing is summed across
// one.

// A line is a vector register, a tile is `kLines` lines wide, and `kSumsAtOnce` sums of each are
// kept side by side, lest each wait for its last addition. (Lines of more than a register are
// compiled into very slow code.)
#if COMMONPLACE_LINE_BYTES == 64
constexpr std::int64_t kLines = 4;
constexpr std::int64_t kSumsAtOnce = 2;
#else
constexpr std::int64_t kLines = 8;
constexpr std::int64_t kSumsAtOnce = 1;
#endif
constexpr std::int64_t kLineBytes = COMMONPLACE_LINE_BYTES;

/// May alias, since it is laid over arrays of numbers.
template <class Scalar>
struct LineOf {
  typedef Scalar Type __attribute__((vector_size(kLineBytes), may_alias));
  static constexpr std::int64_t kCount = kLineBytes / static_cast<std::int64_t>(sizeof(Scalar));
};
template <class Scalar>
using Line = typename LineOf<Scalar>::Type;

/// Rows in a tile.
template <class Scalar>
constexpr std::int64_t kLanes = kLines* LineOf<Scalar>::kCount;
static_assert(kLines * kLineBytes <= kMostTileBytes);

template <class Scalar>
const Line<Scalar>* lines(const Scalar* values) {
  return reinterpret_cast<const Line<Scalar>*>(values);
}
template <class Scalar>
Line<Scalar>* lines(Scalar* values) {
  return reinterpret_cast<Line<Scalar>*>(values);
}

/// Four numbers anywhere.
template <class Scalar>
struct FourOf {
  typedef Scalar Type
      __attribute__((vector_size(4 * sizeof(Scalar)), aligned(sizeof(Scalar)), may_alias));
};
template <class Scalar>
using Four = typename FourOf<Scalar>::Type;

/// into[i * into_stride + j] := from[j * from_stride + i], for i and j from 0 to 3.
template <class Scalar>
void transpose_4x4(const Scalar* from, std::int64_t from_stride, Scalar* into,
                   std::int64_t into_stride) {
  const auto row = [&](std::int64_t i) -> const Four<Scalar>& {
    return *reinterpret_cast<const Four<Scalar>*>(from + i * from_stride);
  };
  const Four<Scalar> a = __builtin_shufflevector(row(0), row(1), 0, 4, 1, 5);
  const Four<Scalar> b = __builtin_shufflevector(row(2), row(3), 0, 4, 1, 5);
  const Four<Scalar> c = __builtin_shufflevector(row(0), row(1), 2, 6, 3, 7);
  const Four<Scalar> d = __builtin_shufflevector(row(2), row(3), 2, 6, 3, 7);
  const auto column = [&](std::int64_t i) -> Four<Scalar>& {
    return *reinterpret_cast<Four<Scalar>*>(into + i * into_stride);
  };
  column(0) = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  column(1) = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  column(2) = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  column(3) = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/// tile (stride x kLanes) := the rows transposed; lanes without a row are zeros.
template <class Scalar, class Source>
void load_tile(const Rows<Source>& rows, Scalar* tile) {
  constexpr std::int64_t lanes = kLanes<Scalar>;
  if (rows.count < lanes) std::fill_n(tile, rows.stride * lanes, Scalar{0});
  std::int64_t lane = 0;
  for (; lane + 4 <= rows.count; lane += 4)
    for (std::int64_t k = 0; k < rows.stride; k += 4)
      transpose_4x4<Scalar>(rows.values + lane * rows.stride + k, rows.stride,
                            tile + k * lanes + lane, lanes);
  for (; lane < rows.count; ++lane)
    for (std::int64_t k = 0; k < rows.stride; ++k)
      tile[k * lanes + lane] = rows.values[lane * rows.stride + k];
}

template <class Scalar>
void store_tile(const Scalar* tile, const Rows<Scalar>& rows) {
  constexpr std::int64_t lanes = kLanes<Scalar>;
  std::int64_t lane = 0;
  for (; lane + 4 <= rows.count; lane += 4)
    for (std::int64_t k = 0; k < rows.stride; k += 4)
      transpose_4x4(tile + k * lanes + lane, lanes, rows.values + lane * rows.stride + k,
                    rows.stride);
  for (; lane < rows.count; ++lane)
    for (std::int64_t k = 0; k < rows.stride; ++k)
      rows.values[lane * rows.stride + k] = tile[k * lanes + lane];
}

/// sum := the sum over j of g_j times line j of the tile, for `size` j, and zeros up to a multiple
/// of kSumsAtOnce.
template <class Scalar>
void combine(const Scalar* g, const Scalar* tile, std::int64_t size, Line<Scalar> (&sum)[kLines]) {
  Line<Scalar> sums[kSumsAtOnce][kLines] = {};
  for (std::int64_t j = 0; j < size; j += kSumsAtOnce)
    for (std::int64_t way = 0; way < kSumsAtOnce; ++way)
      for (std::int64_t i = 0; i < kLines; ++i)
        sums[way][i] += g[j + way] * lines(tile + (j + way) * kLanes<Scalar>)[i];
  for (std::int64_t i = 0; i < kLines; ++i) {
    sum[i] = sums[0][i];
    for (std::int64_t way = 1; way < kSumsAtOnce; ++way) sum[i] += sums[way][i];
  }
}

template <class Scalar>
void descend_tile(const Gram<Scalar>& gram, const Scalar* linear, Scalar* tile, int sweeps) {
  const Line<Scalar> zero{};
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::int64_t k = 0; k < gram.size; ++k) {
      Line<Scalar> product[kLines];
      combine(gram.values + k * gram.stride, tile, gram.size, product);
      const Line<Scalar>* c = lines(linear + k * kLanes<Scalar>);
      Line<Scalar>* x = lines(tile + k * kLanes<Scalar>);
      for (std::int64_t i = 0; i < kLines; ++i) {
        const Line<Scalar> next = x[i] + (c[i] - product[i]) * gram.inverse_diagonal[k];
        x[i] = next > zero ? next : zero;
      }
    }
}

template <class Scalar>
void multiply_tile(const Gram<Scalar>& gram, const Scalar* linear, const Steps<Scalar>& steps,
                   Scalar* tile, Scalar* products) {
  constexpr std::int64_t lanes = kLanes<Scalar>;
  const Line<Scalar> zero{};
  // Below this a coordinate is zero, lest denormal numbers slow all down.
  const Line<Scalar> nothing = zero + std::sqrt(std::numeric_limits<Scalar>::min());
  std::int64_t begin = 0;
  for (const int end : steps.ends) {
    for (std::int64_t k = begin; k < end; ++k) {
      Line<Scalar> product[kLines];
      combine(gram.values + k * gram.stride, tile, gram.size, product);
      std::copy_n(product, kLines, lines(products + k * lanes));
    }
    for (std::int64_t k = begin; k < end; ++k)
      for (std::int64_t i = 0; i < kLines; ++i) {
        Line<Scalar>& x = lines(tile + k * lanes)[i];
        const Line<Scalar> below =
            lines(products + k * lanes)[i] + steps.epsilon[static_cast<std::size_t>(k)];
        const Line<Scalar> ratio = x * lines(linear + k * lanes)[i] / below;
        const Line<Scalar> next = below > zero ? ratio : zero;
        x = next > nothing ? next : zero;
      }
    begin = end;
  }
}

template <class Scalar>
void descend(const Gram<Scalar>& gram, const Rows<const Scalar>& linear, const Rows<Scalar>& rows,
             int sweeps, Scalar* space) {
  Scalar* c = space;
  Scalar* x = space + gram.stride * kLanes<Scalar>;
  for (std::int64_t first = 0; first < rows.count; first += kLanes<Scalar>) {
    const std::int64_t count = std::min(kLanes<Scalar>, rows.count - first);
    const Rows<Scalar> here{rows.values + first * rows.stride, rows.stride, count};
    load_tile(Rows<const Scalar>{linear.values + first * linear.stride, linear.stride, count}, c);
    load_tile(here, x);
    descend_tile(gram, c, x, sweeps);
    store_tile(x, here);
  }
}

template <class Scalar>
void multiply(const Gram<Scalar>& gram, const Rows<const Scalar>& linear, const Rows<Scalar>& rows,
              const Steps<Scalar>& steps, Scalar* space) {
  Scalar* c = space;
  Scalar* x = c + gram.stride * kLanes<Scalar>;
  Scalar* products = x + gram.stride * kLanes<Scalar>;
  for (std::int64_t first = 0; first < rows.count; first += kLanes<Scalar>) {
    const std::int64_t count = std::min(kLanes<Scalar>, rows.count - first);
    const Rows<Scalar> here{rows.values + first * rows.stride, rows.stride, count};
    load_tile(Rows<const Scalar>{linear.values + first * linear.stride, linear.stride, count}, c);
    load_tile(here, x);
    multiply_tile(gram, c, steps, x, products);
    store_tile(x, here);
  }
}

/// gradient := G x - c, half the gradient of f.
template <class Scalar>
void start_gradient(const Gram<Scalar>& gram, const Scalar* linear, const Scalar* x,
                    Scalar* gradient) {
  for (std::int64_t k = 0; k < gram.size; ++k) gradient[k] = -linear[k];
  for (std::int64_t k = 0; k < gram.size; ++k)
    if (x[k] != 0)
      for (std::int64_t j = 0; j < gram.size; ++j)
        gradient[j] += x[k] * gram.values[k * gram.stride + j];
}

/// The largest gradient of a positive coordinate, or negative one of a coordinate at zero.
template <class Scalar>
Scalar violation(const Gram<Scalar>& gram, const Scalar* x, const Scalar* gradient) {
  Scalar worst = 0;
  for (std::int64_t k = 0; k < gram.size; ++k)
    worst = std::max(worst, x[k] > 0 ? std::abs(gradient[k]) : -gradient[k]);
  return worst;
}

/// One sweep over the coordinates that are positive or want to be.
template <class Scalar>
void sweep(const Gram<Scalar>& gram, Scalar* x, Scalar* gradient) {
  for (std::int64_t k = 0; k < gram.size; ++k) {
    if (x[k] <= 0 && gradient[k] >= 0) continue;
    const Scalar next = std::max(Scalar{0}, x[k] - gradient[k] * gram.inverse_diagonal[k]);
    const Scalar change = next - x[k];
    x[k] = next;
    for (std::int64_t j = 0; j < gram.size; ++j)
      gradient[j] += change * gram.values[k * gram.stride + j];
  }
}

template <class Scalar>
Scalar solve(const Gram<Scalar>& gram, const Scalar* linear, Scalar* x, Scalar* gradient,
             Scalar accuracy) {
  Scalar scale = 0;
  for (std::int64_t k = 0; k < gram.size; ++k) scale = std::max(scale, std::abs(linear[k]));
  start_gradient(gram, linear, x, gradient);
  for (int i = 0; i < kMostSweeps && violation(gram, x, gradient) > accuracy * scale; ++i) {
    sweep(gram, x, gradient);
    // The gradient is kept by adding to it: begin afresh from time to time.
    if (i % 64 == 63) start_gradient(gram, linear, x, gradient);
  }
  return scale > 0 ? violation(gram, x, gradient) / scale : violation(gram, x, gradient);
}

/// total (rows of `stride`) += the upper triangle of RᵀR, eight of its rows and a line of its
/// columns at a time.
template <class Scalar>
void gram(const Rows<const Scalar>& rows, std::int64_t size, double* total) {
  constexpr std::int64_t width = LineOf<Scalar>::kCount;
  constexpr std::int64_t at_once = 8;
  for (std::int64_t k = 0; k < size; k += at_once)
    for (std::int64_t j = k / width * width; j < size; j += width) {
      Line<Scalar> sum[at_once] = {};
      for (std::int64_t row = 0; row < rows.count; ++row) {
        const Scalar* x = rows.values + row * rows.stride;
        for (std::int64_t i = 0; i < at_once; ++i) sum[i] += x[k + i] * *lines(x + j);
      }
      for (std::int64_t i = 0; i < at_once; ++i)
        for (std::int64_t lane = 0; lane < width; ++lane)
          total[(k + i) * rows.stride + j + lane] += static_cast<double>(sum[i][lane]);
    }
}

template <class Scalar>
void ask_for(const Scalar* row, std::int64_t stride) {
  for (std::int64_t i = 0; i < stride; i += LineOf<Scalar>::kCount) __builtin_prefetch(row + i);
}

/// into (a row) := the nonzeros times the rows of `dense`.
template <class Scalar>
void gather(const Nonzeros<Scalar>& row, const Scalar* dense, std::int64_t stride, Scalar* into) {
  constexpr std::int64_t width = LineOf<Scalar>::kCount;
  std::fill_n(into, stride, Scalar{0});
  for (std::int64_t i = 0; i < row.count; ++i) {
    if (i + kAhead < row.count + row.following)
      ask_for(dense + row.columns[i + kAhead] * stride, stride);
    const Scalar* from = dense + row.columns[i] * stride;
    for (std::int64_t k = 0; k < stride; k += width)
      *lines(into + k) += row.values[i] * *lines(from + k);
  }
}

template <class Scalar>
double overlap(const Scalar* a, const Scalar* b, std::int64_t count) {
  constexpr std::int64_t ways = 8;
  double sums[ways] = {};
  for (std::int64_t i = 0; i < count; i += ways)
    for (std::int64_t way = 0; way < ways; ++way)
      sums[way] += static_cast<double>(a[i + way]) * static_cast<double>(b[i + way]);
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

template <class Scalar>
constexpr Kernels<Scalar> kKernels = {descend<Scalar>, multiply<Scalar>, solve<Scalar>,
                                      gram<Scalar>,    gather<Scalar>,   overlap<Scalar>};
