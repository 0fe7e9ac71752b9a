// Symbols as in Hofmann's paper and the usual shorthand:
//   theta  P(z|d)        documents x topics
//   phi    P(w|z)        terms x topics
//   s      sum over z of (theta_dz phi_wz)^beta, for one nonzero n(d,w)
//   ratio  n(d,w) / s
// The posterior is q(z|d,w) = (theta_dz phi_wz)^beta / s, so the sums of the M-step need no array
// over (d,w,z):
//   sum over w of n q = theta^beta_dz (sum over w of ratio phi^beta_wz)
//   sum over d of n q = phi^beta_wz   (sum over d of ratio theta^beta_dz)
#include "commonplace/learn/plsa.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

constexpr const char* kPlsaKind = "plsa";
constexpr int kPlsaLayout = 1;
constexpr int kMostTopics = 65536;
constexpr std::int64_t kBlock = 4096;  ///< documents between two updates of the term sums
constexpr int kFoldInIterations = 200;
constexpr double kFoldInChange = 1e-6;
/// EM drives what is not needed towards zero; below this it is zero, lest denormals slow all down.
constexpr double kNothing = 1e-100;

void check(const PlsaOptions& options) {
  require(options.topics >= 1 && options.topics <= kMostTopics, "topics is ", options.topics,
          "; expected 1 .. ", kMostTopics);
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected 0 or more");
  require(options.beta > 0 && options.beta <= 1, "beta is ", options.beta,
          "; expected more than 0 and at most 1");
}

void check_counts(const SparseView& counts) {
  for (std::int64_t row = 0; row < counts.rows; ++row)
    for (const float value : counts.row_values(row))
      require(std::isfinite(value) && value >= 0, "document ", row + 1, " has a count of ", value,
              "; expected 0 or more");
}

void check_shared(double total, std::int64_t columns, Comm& comm) {
  double extremes[] = {static_cast<double>(columns), -static_cast<double>(columns)};
  comm.max(extremes);
  require(extremes[0] == -extremes[1], "ranks have ", -extremes[1], " to ", extremes[0],
          " terms; give all the same merged vocabulary");
  require(comm.sum(total) > 0, "there are no counts to find topics in; give documents with terms");
}

double total_count(const SparseView& counts) {
  double total = 0;
  for (const float value : counts.values) total += static_cast<double>(value);
  return total;
}

template <class Vector>
void normalise(Vector&& values) {
  const double sum = values.sum();
  if (sum > 0) values /= sum;
  values = (values.array() < kNothing).select(0.0, values);
}

/// Scales each column to sum to one; a column of zeros stays. Returns the sums there were.
VectorD normalise_columns(MatrixD& values) {
  Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(values.cols());
  for (std::int64_t row = 0; row < values.rows(); ++row) sums += values.row(row);
  const Eigen::RowVectorXd scale = (sums.array() > 0).select(sums.cwiseInverse(), 0.0);
  for (std::int64_t row = 0; row < values.rows(); ++row) {
    auto scaled = values.row(row).cwiseProduct(scale).array();
    values.row(row) = (scaled < kNothing).select(0.0, scaled);
  }
  return sums.transpose();
}

/// Draws from a flat Dirichlet distribution, one per topic.
MatrixD start_phi(std::int64_t terms, const PlsaOptions& options) {
  MatrixD phi(terms, options.topics);
  for (std::int64_t w = 0; w < terms; ++w)
    for (std::int64_t z = 0; z < options.topics; ++z)
      phi(w, z) = -std::log1p(-random_uniform(options.seed, static_cast<std::uint64_t>(w),
                                              static_cast<std::uint64_t>(z)));
  normalise_columns(phi);
  return phi;
}

struct Document {
  std::span<const std::int32_t> terms;
  std::span<const float> counts;
};

Document document(const SparseView& counts, std::int64_t row) {
  return {counts.row_indices(row), counts.row_values(row)};
}

void prefetch(const double* values, std::int64_t count) {
  constexpr std::int64_t line = 8;
  for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(values + i);
}

/// One document's E-step. Fills `ratio` (one per term of the document) and `sums` (topics) with the
/// sum over w of ratio phi; returns the sum of n(d,w) ln s.
double expect(const Document& document, const MatrixD& phi, const double* theta, double* ratio,
              double* sums) {
  const std::int64_t topics = phi.cols();
  std::fill_n(sums, topics, 0.0);
  double likelihood = 0;
  for (std::size_t i = 0; i < document.terms.size(); ++i) {
    // The rows of phi are far apart: what takes the time is waiting for them.
    if (i + 1 < document.terms.size())
      prefetch(phi.data() + document.terms[i + 1] * topics, topics);
    ratio[i] = 0;
    const double count = document.counts[i];
    const double* term = phi.data() + document.terms[i] * topics;
    const double s = count > 0 ? dot(theta, term, topics) : 0;
    if (count > 0) likelihood += count * std::log(std::max(s, std::numeric_limits<double>::min()));
    if (s < std::numeric_limits<double>::min()) continue;
    ratio[i] = count / s;
    add_scaled(sums, term, ratio[i], topics);
  }
  return likelihood;
}

MatrixD tempered(const Eigen::Ref<const MatrixD>& values, double beta) {
  return values.array().pow(beta).matrix();
}

/// theta_d := the posterior mass of each topic in d. A document without mass keeps its own.
void update_document(const double* tempered_theta, const double* sums,
                     Eigen::Ref<Eigen::RowVectorXd> theta) {
  const auto mass = Eigen::Map<const Eigen::RowVectorXd>(tempered_theta, theta.size())
                        .cwiseProduct(Eigen::Map<const Eigen::RowVectorXd>(sums, theta.size()))
                        .eval();
  if (mass.sum() <= 0) return;
  theta = mass;
  normalise(theta);
}

/// The EM iteration over this rank's documents.
class Fitting {
 public:
  Fitting(const SparseView& counts, const PlsaOptions& options, int jobs)
      : counts_(counts),
        options_(options),
        jobs_(jobs),
        bounds_(balanced_columns(counts, 2 * resolve_jobs(jobs))),
        phi_(start_phi(counts.columns, options)),
        theta_(MatrixD::Constant(counts.rows, options.topics, 1.0 / options.topics)),
        probability_(VectorD::Constant(options.topics, 1.0 / options.topics)),
        likelihood_(static_cast<std::size_t>(counts.rows)) {}

  /// Updates theta; `term_sums` becomes the sum over this rank's documents of ratio theta^beta.
  /// Returns this rank's part of the objective, before the update.
  double step(MatrixD& term_sums) {
    if (options_.beta != 1) tempered_phi_ = tempered(phi_, options_.beta);
    const MatrixD& phi = options_.beta != 1 ? tempered_phi_ : phi_;
    term_sums.setZero(phi.rows(), phi.cols());
    for (std::int64_t begin = 0; begin < counts_.rows; begin += kBlock)
      step_block(begin, std::min(counts_.rows, begin + kBlock), phi, term_sums);
    double objective = 0;
    for (const double value : likelihood_) objective += value;
    return objective / options_.beta;
  }

  /// phi and P(z) from the sums of all ranks.
  void update_terms(const MatrixD& term_sums) {
    phi_ = (options_.beta != 1 ? tempered_phi_ : phi_).cwiseProduct(term_sums).eval();
    probability_ = normalise_columns(phi_);
    normalise(probability_);
  }

  /// Keeps the state after the iterations of `report`.
  void keep(Checkpoint& checkpoint, const Convergence& report) const {
    TensorWriter part;
    part.add("phi", phi_);
    part.add("theta", theta_);
    part.add("probability", std::span<const double>(probability_.data(),
                                                    static_cast<std::size_t>(probability_.size())));
    part.add("objective", std::span<const double>(report.objective));
    checkpoint.keep(report.iterations, std::move(part));
  }
  /// Takes over a state that was kept.
  void go_on_from(const TensorFile& file, Convergence& report) {
    const MatrixD phi = file.matrix_d("phi");
    const MatrixD theta = file.matrix_d("theta");
    const auto probability = file.doubles("probability");
    require(phi.rows() == phi_.rows() && phi.cols() == phi_.cols() &&
                theta.rows() == theta_.rows() && theta.cols() == theta_.cols() &&
                std::ssize(probability) == probability_.size(),
            file.name(), ": the parts of the checkpoint do not fit; remove it to begin anew");
    phi_ = phi;
    theta_ = theta;
    std::copy(probability.begin(), probability.end(), probability_.data());
    const auto objective = file.doubles("objective");
    report.objective.assign(objective.begin(), objective.end());
    report.iterations = static_cast<int>(objective.size());
  }

  PlsaFit result(Convergence report) && {
    PlsaFit fit;
    fit.document_topics = theta_.cast<float>();
    for (std::int64_t row = 0; row < counts_.rows; ++row) {
      const auto values = counts_.row_values(row);
      if (std::all_of(values.begin(), values.end(), [](float value) { return value == 0; }))
        fit.document_topics.row(row) = probability_.cast<float>();
    }
    fit.model = {std::move(phi_), std::move(probability_), options_};
    fit.report = std::move(report);
    return fit;
  }

 private:
  void step_block(std::int64_t first, std::int64_t last, const MatrixD& phi, MatrixD& term_sums) {
    const std::int64_t base = counts_.starts[static_cast<std::size_t>(first)];
    ratio_.resize(static_cast<std::size_t>(counts_.starts[static_cast<std::size_t>(last)] - base));
    sums_.resize(last - first, phi.cols());
    if (options_.beta != 1)
      tempered_theta_ = tempered(theta_.middleRows(first, last - first), options_.beta);
    const double* theta =
        options_.beta != 1 ? tempered_theta_.data() : theta_.data() + first * phi.cols();
    const auto rows = static_cast<std::size_t>(last - first);
    parallel_for(rows, jobs_, [&](std::size_t begin, std::size_t end) {
      for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i) {
        const auto row = static_cast<std::size_t>(first + i);
        likelihood_[row] =
            expect(document(counts_, first + i), phi, theta + i * phi.cols(),
                   ratio_.data() + (counts_.starts[row] - base), sums_.row(i).data());
      }
    });
    const Eigen::Map<const MatrixD> block(theta, last - first, phi.cols());
    add_transposed_product(counts_, first, ratio_, block, bounds_, term_sums, jobs_);
    parallel_for(rows, jobs_, [&](std::size_t begin, std::size_t end) {
      for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i)
        update_document(theta + i * phi.cols(), sums_.row(i).data(), theta_.row(first + i));
    });
  }

  SparseView counts_;
  PlsaOptions options_;
  int jobs_;
  std::vector<std::int32_t> bounds_;
  MatrixD phi_;
  MatrixD tempered_phi_;
  MatrixD theta_;
  MatrixD tempered_theta_;  ///< of a block
  VectorD probability_;
  std::vector<double> likelihood_;  ///< per document, so that the sum does not depend on threads
  std::vector<double> ratio_;       ///< of a block
  MatrixD sums_;                    ///< of a block
};

/// theta of one unseen document; `ratio` and `sums` are room to work in.
void fold_in(const Document& document, const MatrixD& phi, double beta, std::vector<double>& ratio,
             Eigen::RowVectorXd& sums, Eigen::RowVectorXd& theta) {
  theta.setConstant(1.0 / static_cast<double>(phi.cols()));
  ratio.resize(document.terms.size());
  Eigen::RowVectorXd before;
  for (int iteration = 0; iteration < kFoldInIterations; ++iteration) {
    before = theta;
    const Eigen::RowVectorXd weighted =
        beta == 1 ? theta : Eigen::RowVectorXd(theta.array().pow(beta).matrix());
    expect(document, phi, weighted.data(), ratio.data(), sums.data());
    update_document(weighted.data(), sums.data(), theta);
    if ((theta - before).lpNorm<1>() < kFoldInChange) return;
  }
}

/// Whether the last iteration gained too little for another.
bool is_enough(const std::vector<double>& objective, double tolerance) {
  if (objective.size() < 2) return false;
  const double gain = objective.back() - objective[objective.size() - 2];
  return gain < tolerance * std::abs(objective.back());
}

/// What is fitted to what, for a checkpoint; where it stops is not a part of it.
std::string key_of(const SparseView& counts, const PlsaOptions& options) {
  return concat(options.topics, " ", options.seed, " ", options.beta, " ", counts.rows, "x",
                counts.columns, ":", counts.indices.size(), ":", total_count(counts));
}

}  // namespace

PlsaFit fit_plsa(const SparseView& counts, const PlsaOptions& options, const Run& run) {
  const auto begin = Clock::now();
  const double waited = run.comm.seconds();
  check(options);
  check_counts(counts);
  check_shared(total_count(counts), counts.columns, run.comm);

  Fitting fitting(counts, options, run.jobs);
  Convergence report;
  Checkpoint checkpoint(options.checkpoint, kPlsaCheckpoint, key_of(counts, options), run.comm);
  if (const auto kept = checkpoint.resume()) fitting.go_on_from(*kept, report);
  report.converged = is_enough(report.objective, options.tolerance);
  MatrixD term_sums;
  while (report.iterations < options.iterations && !report.converged) {
    report.objective.push_back(run.comm.sum(fitting.step(term_sums)));
    run.comm.sum(term_sums);
    fitting.update_terms(term_sums);
    ++report.iterations;
    if (run.comm.rank() == 0)
      run.progress({"finding topics", static_cast<std::uint64_t>(report.iterations),
                    static_cast<std::uint64_t>(options.iterations), "iterations"});
    report.converged = is_enough(report.objective, options.tolerance);
    if (checkpoint.due(report.converged || report.iterations == options.iterations))
      fitting.keep(checkpoint, report);
  }
  report.communication_seconds = run.comm.seconds() - waited;
  report.compute_seconds = seconds_since(begin) - report.communication_seconds;
  return std::move(fitting).result(std::move(report));
}

Matrix encode(const PlsaModel& model, const SparseView& counts, int jobs) {
  require(counts.columns == model.term_topics.rows(), "the documents have ", counts.columns,
          " terms, the model ", model.term_topics.rows(),
          "; count them with the vocabulary the model was fitted on");
  check_counts(counts);
  const double beta = model.options.beta;
  const MatrixD tempered_phi = beta == 1 ? MatrixD() : tempered(model.term_topics, beta);
  const MatrixD& phi = beta == 1 ? model.term_topics : tempered_phi;
  Matrix result(counts.rows, phi.cols());
  parallel_for(
      static_cast<std::size_t>(counts.rows), jobs, [&](std::size_t begin, std::size_t end) {
        std::vector<double> ratio;
        Eigen::RowVectorXd sums(phi.cols());
        Eigen::RowVectorXd theta(phi.cols());
        for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end);
             ++row) {
          fold_in(document(counts, row), phi, beta, ratio, sums, theta);
          const bool known =
              std::any_of(ratio.begin(), ratio.end(), [](double value) { return value > 0; });
          if (known)
            result.row(row) = theta.cast<float>();
          else
            result.row(row) = model.topic_probability.transpose().cast<float>();
        }
      });
  return result;
}

template <class Model, class Visit>
requires std::is_same_v<std::remove_const_t<Model>, PlsaModel>
static void visit_tensors(Model& model, Visit&& visit) {
  visit("term_topics", model.term_topics, TensorShape{-1, model.options.topics});
  visit("topic_probability", model.topic_probability, TensorShape{model.options.topics});
}

void save(const PlsaModel& model, const std::filesystem::path& path) {
  model_writer(model, kPlsaKind, kPlsaLayout).write(path);
}

PlsaModel load_plsa(const TensorFile& file) {
  PlsaModel model = read_model<PlsaModel>(file, kPlsaKind, kPlsaLayout,
                                          [](const PlsaOptions& options) { check(options); });
  require((model.term_topics.array() >= 0).all() && (model.topic_probability.array() >= 0).all(),
          file.name(), ": the model holds what is not a probability; the file is damaged");
  return model;
}

}  // namespace commonplace
