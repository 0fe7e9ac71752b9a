// Symbols, for collection d:
//   X       items x terms, the data          lambda  its weight in the objective
//   F       terms x topics, the basis        F_d     the columns of F that d uses
//   H       items x topics of d, the codes   G       F_dᵀ F_d
// Given the codes, the row of F of each term is a nonnegative quadratic problem with the matrix
//   Q = sum over d of lambda HᵀH, topics x topics, and the linear part
//   P = sum over d of lambda XᵀH, terms x topics,
// where what belongs to d's topics is put into the columns of F that d uses. Given the basis, the
// row of H of each item is one with the matrix G and the linear part X F_d. Both are solved by the
// same code, row by row. P and Q are all that the ranks need of each other.
#include "commonplace/search/core/shared_subspace_solver.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/math/nonnegative.h"
#include "commonplace/search/core/improve_rows.h"
#include "commonplace/search/core/topic_blocks.h"

namespace commonplace::search {
namespace {

/// Between these, float holds all products.
constexpr double kLeastSquares = 1e-24;
constexpr double kMostSquares = 1e30;
/// Sweeps that find the first codes.
constexpr int kStartSweeps = 10;
constexpr std::size_t kTermsAtOnce = 64;
constexpr std::size_t kDoublesAtOnce = std::size_t{1} << 20;

void check(const FactoriseOptions& options) {
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected 0 or more");
  require(options.sweeps >= 1, "sweeps is ", options.sweeps, "; expected 1 or more");
  require(options.epsilon >= 0 && std::isfinite(options.epsilon), "epsilon is ", options.epsilon,
          "; expected 0 or more");
}

template <class Scalar>
void check_start(const Factors<Scalar>& start, std::span<const BasicSparseView<Scalar>> collections,
                 const std::vector<TopicBlock>& blocks) {
  require(start.basis.rows() == collections[0].columns && start.basis.cols() == topic_count(blocks),
          "the start of the basis is ", start.basis.rows(), " x ", start.basis.cols(),
          "; expected terms x topics, ", collections[0].columns, " x ", topic_count(blocks));
  require(start.basis.allFinite() && (start.basis.array() >= 0).all(),
          "the start of the basis has entries that are not 0 or more");
  require(start.codes.empty() || start.codes.size() == collections.size(), "there are starts for ",
          start.codes.size(), " collections of ", collections.size());
  for (std::size_t d = 0; d < start.codes.size(); ++d) {
    const auto topics = std::ssize(topics_of(blocks, static_cast<int>(d)));
    require(start.codes[d].rows() == collections[d].rows && start.codes[d].cols() == topics,
            "the start of the codes of collection ", d + 1, " is ", start.codes[d].rows(), " x ",
            start.codes[d].cols(), "; expected items x topics, ", collections[d].rows, " x ",
            topics);
    require(start.codes[d].allFinite() && (start.codes[d].array() >= 0).all(),
            "the start of the codes of collection ", d + 1, " has entries that are not 0 or more");
  }
}

void check_terms(std::int64_t terms, Comm& comm) {
  double extremes[] = {static_cast<double>(terms), -static_cast<double>(terms)};
  comm.max(extremes);
  require(extremes[0] == -extremes[1], "ranks have ", -extremes[1], " to ", extremes[0],
          " terms; give all the same merged vocabulary");
}

/// The transpose, with what it points into.
template <class Scalar>
struct OwnedSparse {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> indices;
  std::vector<Scalar> values;
  BasicSparseView<Scalar> view;
};

template <class Scalar>
OwnedSparse<Scalar> transposed(const BasicSparseView<Scalar>& a) {
  OwnedSparse<Scalar> result;
  result.starts.resize(static_cast<std::size_t>(a.columns) + 1);
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (const std::int32_t column : a.row_indices(row))
      ++result.starts[static_cast<std::size_t>(column) + 1];
  for (std::size_t i = 1; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
  result.indices.resize(static_cast<std::size_t>(result.starts.back()));
  result.values.resize(result.indices.size());
  std::vector<std::int64_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (std::size_t i = 0; i < a.row_indices(row).size(); ++i) {
      const auto to =
          static_cast<std::size_t>(next[static_cast<std::size_t>(a.row_indices(row)[i])]++);
      result.indices[to] = static_cast<std::int32_t>(row);
      result.values[to] = a.row_values(row)[i];
    }
  result.view = {a.columns, a.rows, result.starts, result.indices, result.values};
  return result;
}

template <class Scalar>
double squared_norm_of(const BasicSparseView<Scalar>& items) {
  double sum = 0;
  for (std::int64_t row = 0; row < items.rows; ++row)
    for (const Scalar value : items.row_values(row))
      sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

/// Topics of a collection that are neighbours in F too.
struct TopicRun {
  std::int64_t in_basis;  ///< the first column
  std::int64_t in_codes;
  std::int64_t count;
};

std::vector<TopicRun> runs_of(const std::vector<int>& topics) {
  std::vector<TopicRun> runs;
  for (std::size_t k = 0; k < topics.size(); ++k) {
    if (k == 0 || topics[k] != topics[k - 1] + 1)
      runs.push_back({topics[k], static_cast<std::int64_t>(k), 0});
    ++runs.back().count;
  }
  return runs;
}

template <class Scalar>
struct Part {
  BasicSparseView<Scalar> items;
  OwnedSparse<Scalar> terms;  ///< X transposed
  std::vector<int> topics;    ///< the columns of F
  std::vector<TopicRun> runs;
  double squared_norm = 0;  ///< of all ranks' X
  double weight = 1;        ///< lambda
  PaddedRows<Scalar> codes;
  RowSums sums;  ///< of all ranks' codes
};

template <class Scalar>
class Solving {
 public:
  Solving(std::span<const BasicSparseView<Scalar>> collections,
          const std::vector<TopicBlock>& blocks, Factors<Scalar> start,
          const FactoriseOptions& options, const Run& run)
      : options_(options), run_(run), basis_(start.basis) {
    for (std::size_t d = 0; d < collections.size(); ++d) {
      Part<Scalar> part;
      part.items = collections[d];
      part.terms = transposed(part.items);
      part.topics = topics_of(blocks, static_cast<int>(d));
      part.runs = runs_of(part.topics);
      part.squared_norm = run.comm.sum(squared_norm_of(part.items));
      require(part.squared_norm > 0, "collection ", d + 1,
              " has no item with a term of the vocabulary; leave it out");
      require(part.squared_norm > kLeastSquares && part.squared_norm < kMostSquares,
              "the squares of the weights of collection ", d + 1, " add up to ", part.squared_norm,
              "; scale the weights so that they are about 1");
      parts_.push_back(std::move(part));
    }
    for (Part<Scalar>& part : parts_) part.weight = parts_[0].squared_norm / part.squared_norm;
    for (const TopicBlock& block : blocks) {
      block_ends_.push_back((block_ends_.empty() ? 0 : block_ends_.back()) + block.topics);
      // In a block of one member the weight cancels, so that blocks of one member each are
      // factorisations that do not know of each other.
      const double weight =
          block.members.size() == 1 ? parts_[static_cast<std::size_t>(block.members[0])].weight : 1;
      epsilon_.insert(epsilon_.end(), static_cast<std::size_t>(block.topics),
                      static_cast<Scalar>(options.epsilon * weight));
    }
    start_codes(std::move(start.codes));
  }

  /// The basis, then the codes. Returns the objective after it.
  double iterate() {
    update_basis();
    // Coordinate descent does not care for the scale of a column, but epsilon does.
    if (options_.normalise && options_.multiplicative) normalise();
    update_codes([&](const Quadratic& quadratic, PaddedRows<Scalar>& rows,
                     const PaddedRows<Scalar>& linear, std::int64_t first, std::int64_t count) {
      improve_codes(quadratic, rows, linear, first, count, options_.sweeps);
    });
    return objective();
  }

  /// From which another could go on.
  Factors<Scalar> state() const {
    Factors<Scalar> factors{basis_.dense(), {}};
    for (const Part<Scalar>& part : parts_) factors.codes.push_back(part.codes.dense());
    return factors;
  }

  Factors<Scalar> result() && {
    const VectorD use = weighted_code_gram().diagonal();
    const VectorD length = basis_gram_.diagonal();
    if (options_.normalise) normalise();
    scale_columns(basis_, (use.array() > 0).cast<double>().matrix());
    Factors<Scalar> factors;
    factors.basis = basis_.dense();
    linear_ = {};
    for (Part<Scalar>& part : parts_) part.terms = {};  // room for the copies
    for (Part<Scalar>& part : parts_) {
      scale_columns(part.codes, (length(part.topics).array() > 0).template cast<double>().matrix());
      factors.codes.push_back(part.codes.dense());
      part.codes = {};
    }
    return factors;
  }

 private:
  using Quadratic = NonnegativeQuadratic<Scalar>;

  std::int64_t topics() const { return basis_.columns(); }

  void start_codes(std::vector<Dense<Scalar>> codes) {
    basis_gram_ = gram_of(basis_);
    const bool given = !codes.empty();
    for (std::size_t d = 0; d < parts_.size(); ++d)
      parts_[d].codes =
          given ? PaddedRows<Scalar>(codes[d])
                : PaddedRows<Scalar>(parts_[d].items.rows, std::ssize(parts_[d].topics));
    codes.clear();
    update_codes([&](const Quadratic& quadratic, PaddedRows<Scalar>& rows,
                     const PaddedRows<Scalar>& linear, std::int64_t first, std::int64_t count) {
      if (given) return;
      if (options_.multiplicative)
        std::copy_n(linear.row(0), count * linear.stride(), rows.row(first));
      improve_codes(quadratic, rows, linear, first, count, kStartSweeps);
    });
  }

  void improve_codes(const Quadratic& quadratic, PaddedRows<Scalar>& rows,
                     const PaddedRows<Scalar>& linear, std::int64_t first, std::int64_t count,
                     int sweeps) const {
    if (!options_.multiplicative) return quadratic.descend(linear, rows, first, count, sweeps);
    const int all[] = {static_cast<int>(rows.columns())};
    const std::vector<Scalar> epsilon(static_cast<std::size_t>(rows.columns()),
                                      static_cast<Scalar>(options_.epsilon));
    quadratic.multiply(linear, rows, first, count, all, epsilon);
  }

  MatrixD gram_of(PaddedRows<Scalar>& rows) const {
    return improve_rows(
               rows, run_.jobs, [](std::int64_t, std::int64_t, PaddedRows<Scalar>&) {},
               [](const PaddedRows<Scalar>&, std::int64_t, std::int64_t) {})
        .gram;
  }

  /// P: each term is added up by one thread, over the collections in turn.
  void sum_terms() {
    if (linear_.rows() != basis_.rows()) linear_ = PaddedRows<Scalar>(basis_.rows(), topics());
    parallel_for(
        static_cast<std::size_t>(basis_.rows()), run_.jobs,
        [&](std::size_t begin, std::size_t end) {
          for (const Part<Scalar>& part : parts_)
            add_terms(part, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
        },
        kTermsAtOnce);
  }

  void add_terms(const Part<Scalar>& part, std::int64_t begin, std::int64_t end) {
    const bool first_part = &part == parts_.data();
    PaddedRows<Scalar> sums(end - begin, std::ssize(part.topics));
    multiply_rows(part.terms.view, begin, end - begin, part.codes, sums);
    for (std::int64_t term = begin; term < end; ++term) {
      Scalar* into = linear_.row(term);
      if (first_part) std::fill_n(into, linear_.stride(), Scalar{0});
      const Scalar* from = sums.row(term - begin);
      for (const TopicRun& run : part.runs) {
        for (std::int64_t k = 0; k < run.count; ++k)
          into[run.in_basis + k] += static_cast<Scalar>(part.weight) * from[run.in_codes + k];
      }
    }
  }

  /// P of all ranks, a piece at a time as it travels in double.
  void sum_over_ranks(std::span<Scalar> values) {
    if (run_.comm.size() == 1) return;
    std::vector<double> piece;
    while (!values.empty()) {
      const auto part = values.first(std::min(kDoublesAtOnce, values.size()));
      piece.assign(part.begin(), part.end());
      run_.comm.sum(piece);
      std::transform(piece.begin(), piece.end(), part.begin(),
                     [](double value) { return static_cast<Scalar>(value); });
      values = values.subspan(part.size());
    }
  }

  /// Q.
  MatrixD weighted_code_gram() const {
    MatrixD result = MatrixD::Zero(topics(), topics());
    for (const Part<Scalar>& part : parts_)
      result(part.topics, part.topics) += part.weight * part.sums.gram;
    return result;
  }

  void update_basis() {
    sum_terms();
    sum_over_ranks(linear_.all());
    const Quadratic quadratic(weighted_code_gram());
    basis_gram_ =
        improve_rows(
            basis_, run_.jobs,
            [&](std::int64_t first, std::int64_t count, PaddedRows<Scalar>& linear) {
              std::copy_n(linear_.row(first), count * linear_.stride(), linear.row(0));
            },
            [&](const PaddedRows<Scalar>& linear, std::int64_t first, std::int64_t count) {
              if (options_.multiplicative)
                quadratic.multiply(linear, basis_, first, count, block_ends_, epsilon_);
              else
                quadratic.descend(linear, basis_, first, count, options_.sweeps);
            })
            .gram;
  }

  /// Columns of F to length one, codes the other way, so that H Fᵀ stays. A column of zeros keeps
  /// its codes: when others have changed, they may bring it back.
  void normalise() {
    VectorD norms = basis_gram_.diagonal().cwiseSqrt();
    for (double& norm : norms)
      if (!(norm > 0)) norm = 1;
    basis_gram_ =
        norms.cwiseInverse().asDiagonal() * basis_gram_ * norms.cwiseInverse().asDiagonal();
    scale_columns(basis_, norms.cwiseInverse());
    for (Part<Scalar>& part : parts_) scale_columns(part.codes, norms(part.topics));
  }

  void scale_columns(PaddedRows<Scalar>& values, const VectorD& scale) const {
    const std::vector<Scalar> factors(scale.begin(), scale.end());
    parallel_for(static_cast<std::size_t>(values.rows()), run_.jobs,
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t row = begin; row < end; ++row) {
                     Scalar* at = values.row(static_cast<std::int64_t>(row));
                     for (std::size_t k = 0; k < factors.size(); ++k) at[k] *= factors[k];
                   }
                 });
  }

  /// F_d; F itself where d uses all of it.
  const PaddedRows<Scalar>& basis_of(const Part<Scalar>& part) {
    const auto width = std::ssize(part.topics);
    if (width == topics()) return basis_;
    if (part_basis_.columns() != width) part_basis_ = PaddedRows<Scalar>(basis_.rows(), width);
    parallel_for(static_cast<std::size_t>(basis_.rows()), run_.jobs,
                 [&](std::size_t begin, std::size_t end) {
                   for (auto term = static_cast<std::int64_t>(begin);
                        term < static_cast<std::int64_t>(end); ++term)
                     for (const TopicRun& run : part.runs)
                       std::copy_n(basis_.row(term) + run.in_basis, run.count,
                                   part_basis_.row(term) + run.in_codes);
                 });
    return part_basis_;
  }

  /// Calls step(quadratic, rows, linear, first, count) over the codes of every collection.
  template <class Step>
  void update_codes(Step&& step) {
    for (Part<Scalar>& part : parts_) {
      const PaddedRows<Scalar>& basis = basis_of(part);
      const Quadratic quadratic(basis_gram_(part.topics, part.topics));
      part.sums = improve_rows(
          part.codes, run_.jobs,
          [&](std::int64_t first, std::int64_t count, PaddedRows<Scalar>& linear) {
            multiply_rows(part.items, first, count, basis, linear);
          },
          [&](const PaddedRows<Scalar>& linear, std::int64_t first, std::int64_t count) {
            step(quadratic, part.codes, linear, first, count);
          });
      run_.comm.sum(part.sums.gram);
      part.sums.overlap = run_.comm.sum(part.sums.overlap);
    }
  }

  /// Sum over d of lambda |X - H F_dᵀ|², written as |X|² - 2 <X F_d, H> + <G, HᵀH>.
  double objective() const {
    double result = 0;
    for (const Part<Scalar>& part : parts_) {
      const double length =
          basis_gram_(part.topics, part.topics).cwiseProduct(part.sums.gram).sum();
      result += part.weight * (part.squared_norm - 2 * part.sums.overlap + length);
    }
    return std::max(0.0, result);
  }

  FactoriseOptions options_;
  Run run_;
  std::vector<Part<Scalar>> parts_;
  std::vector<int> block_ends_;
  std::vector<Scalar> epsilon_;  ///< per topic
  PaddedRows<Scalar> basis_;
  MatrixD basis_gram_;
  PaddedRows<Scalar> linear_;      ///< P
  PaddedRows<Scalar> part_basis_;  ///< F_d of the collection at hand
};

/// What is fitted to what, for a checkpoint: this rank's items and the way that they are fitted,
/// which does not include where it stops.
template <class Scalar>
std::string key_of(std::span<const BasicSparseView<Scalar>> collections,
                   const Factors<Scalar>& start, const FactoriseOptions& options) {
  std::string key = concat(options.multiplicative ? "mu " : "hals ", options.sweeps, " ",
                           options.epsilon, " ", options.normalise, " ", sizeof(Scalar), " ",
                           start.basis.rows(), "x", start.basis.cols(), " ", start.basis.sum());
  for (const BasicSparseView<Scalar>& items : collections)
    key += concat(" ", items.rows, ":", items.indices.size(), ":", squared_norm_of(items));
  return key;
}

Matrix matrix_of(const TensorFile& file, const std::string& name, float) {
  return file.matrix(name);
}
MatrixD matrix_of(const TensorFile& file, const std::string& name, double) {
  return file.matrix_d(name);
}

/// Takes over the factors and the report of a state that was kept.
template <class Scalar>
void go_on_from(const TensorFile& file, Factors<Scalar>& factors, std::size_t collections,
                Convergence& report) {
  factors.basis = matrix_of(file, "basis", Scalar{});
  factors.codes.clear();
  for (std::size_t d = 0; d < collections; ++d)
    factors.codes.push_back(matrix_of(file, concat("codes.", d), Scalar{}));
  const auto objective = file.doubles("objective");
  report.objective.assign(objective.begin(), objective.end());
  report.iterations = static_cast<int>(objective.size());
}

template <class Scalar>
void keep_state(Checkpoint& checkpoint, const Solving<Scalar>& solving, const Convergence& report) {
  const Factors<Scalar> state = solving.state();
  TensorWriter part;
  part.add("basis", state.basis);
  for (std::size_t d = 0; d < state.codes.size(); ++d)
    part.add(concat("codes.", d), state.codes[d]);
  part.add("objective", std::span<const double>(report.objective));
  checkpoint.keep(report.iterations, std::move(part));
}

/// Whether the last iteration gained too little for another.
bool is_enough(const std::vector<double>& objective, double tolerance) {
  if (tolerance == 0 || objective.size() < 2) return false;
  const double before = objective[objective.size() - 2];
  return before - objective.back() <= tolerance * before;
}

}  // namespace

template <class Scalar>
Factorisation<Scalar> factorise(std::span<const BasicSparseView<Scalar>> collections,
                                const std::vector<TopicBlock>& blocks, Factors<Scalar> start,
                                const FactoriseOptions& options, const Run& run) {
  const auto begin = Clock::now();
  const double waited = run.comm.seconds();
  check(options);
  check_blocks(blocks, static_cast<int>(collections.size()));
  for (std::size_t d = 0; d < collections.size(); ++d) {
    require(collections[d].columns == collections[0].columns, "collection ", d + 1, " has ",
            collections[d].columns, " terms, the first ", collections[0].columns,
            "; count all with one merged vocabulary");
    check_items(collections[d], concat("collection ", d + 1));
  }
  check_terms(collections[0].columns, run.comm);
  check_start(start, collections, blocks);

  Factorisation<Scalar> result;
  Convergence& report = result.report;
  Checkpoint checkpoint(options.checkpoint, kSharedSubspaceCheckpoint,
                        key_of(collections, start, options), run.comm);
  if (const auto kept = checkpoint.resume()) {
    go_on_from(*kept, start, collections.size(), report);
    check_start(start, collections, blocks);
  }
  Solving<Scalar> solving(collections, blocks, std::move(start), options, run);
  report.converged = is_enough(report.objective, options.tolerance);
  while (report.iterations < options.iterations && !report.converged) {
    report.objective.push_back(solving.iterate());
    ++report.iterations;
    if (run.comm.rank() == 0)
      run.progress({"finding topics", static_cast<std::uint64_t>(report.iterations),
                    static_cast<std::uint64_t>(options.iterations), "iterations"});
    report.converged = is_enough(report.objective, options.tolerance);
    if (checkpoint.due(report.converged || report.iterations == options.iterations))
      keep_state(checkpoint, solving, report);
  }
  report.communication_seconds = run.comm.seconds() - waited;
  report.compute_seconds = seconds_since(begin) - report.communication_seconds;
  result.factors = std::move(solving).result();
  return result;
}

template Factorisation<float> factorise(std::span<const BasicSparseView<float>>,
                                        const std::vector<TopicBlock>&, Factors<float>,
                                        const FactoriseOptions&, const Run& run);
template Factorisation<double> factorise(std::span<const BasicSparseView<double>>,
                                         const std::vector<TopicBlock>&, Factors<double>,
                                         const FactoriseOptions&, const Run& run);

}  // namespace commonplace::search
