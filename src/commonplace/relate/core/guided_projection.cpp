#include "commonplace/relate/core/guided_projection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/lowest_eigenpairs.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/relate/core/guided_projection_operator.h"

namespace commonplace::relate {
namespace {

/// The most features of all modalities for which the others are eliminated from the first.
constexpr std::int64_t kMostEliminated = 4000;
constexpr std::int64_t kProjectedAtOnce = 256;
constexpr std::int64_t kProjectedRows = 512;

constexpr const char* kProjectionKind = "guided-projection";
constexpr int kProjectionLayout = 1;

/// Refuses options out of range, naming the option.
void check(const GuidedProjectionOptions& options) {
  require(options.dim >= 1, "dim is ", options.dim, "; expected 1 or more");
  require(options.constraint == "all" || options.constraint == "first" ||
              options.constraint == "signed" || options.constraint == "identity",
          "constraint is '", options.constraint, "'; expected all, first, signed or identity");
  require(options.tolerance > 0 && options.tolerance < 1, "tolerance is ", options.tolerance,
          "; expected more than 0 and less than 1");
  require(options.max_rounds >= 1, "max_rounds is ", options.max_rounds, "; expected 1 or more");
}

EigenOptions solver_options(const GuidedProjectionOptions& options, std::int64_t size, int jobs) {
  EigenOptions result;
  result.count = std::min(options.dim, size);
  result.tolerance = options.tolerance;
  result.max_rounds = options.max_rounds;
  result.seed = options.seed;
  result.jobs = jobs;
  return result;
}

/// The vectors of a model, as a start for one of these modalities; identities may have grown.
MatrixD start_from(const GuidedProjection* start, const GuidedOperator& problem) {
  if (start == nullptr) return MatrixD(problem.features(), 0);
  require(start->modalities.size() == problem.modalities().size(), "the model to start from has ",
          start->modalities.size(), " kinds; expected ", problem.modalities().size());
  MatrixD result = MatrixD::Zero(problem.features(), start->dim());
  for (std::size_t k = 0; k < problem.modalities().size(); ++k) {
    const GuidedItems& modality = problem.modalities()[k];
    const ProjectedModality& from = start->modalities[k];
    require(from.identity == modality.identity() &&
                (from.projection.rows() == modality.columns ||
                 (modality.identity() && from.projection.rows() < modality.columns)),
            "kind ", k, " of the model to start from has ", from.projection.rows(),
            from.identity ? " items without features" : " features", "; expected ",
            modality.columns);
    result.middleRows(modality.first_column, from.projection.rows()) = from.projection;
  }
  return result;
}

Eigenpairs solve_all(const GuidedOperator& problem, const GuidedProjectionOptions& options,
                     const MatrixD& start, const Run& run) {
  EigenProblem equation;
  equation.size = problem.features();
  equation.multiply_a = [&](const MatrixD& p) { return problem.multiply_a(p); };
  equation.multiply_b = [&](const MatrixD& p) { return problem.multiply_b(p); };
  equation.precondition = [&](const MatrixD& p) { return problem.solve_b(p); };
  return lowest_eigenpairs(equation, start, solver_options(options, equation.size, run.jobs),
                           run.progress);
}

/// A with the ridges of the modalities after the first on its diagonal.
MatrixD whole_a(const GuidedOperator& problem) {
  const std::int64_t size = problem.features();
  MatrixD result(size, size);
  for (std::int64_t first = 0; first < size; first += kProjectedAtOnce) {
    const std::int64_t count = std::min(kProjectedAtOnce, size - first);
    MatrixD units = MatrixD::Zero(size, count);
    for (std::int64_t i = 0; i < count; ++i) units(first + i, i) = 1;
    result.middleCols(first, count) = problem.multiply_a(units);
  }
  result = ((result + result.transpose()) / 2).eval();
  for (std::size_t k = 1; k < problem.modalities().size(); ++k)
    result.diagonal()
        .segment(problem.modalities()[k].first_column, problem.modalities()[k].columns)
        .array() += problem.ridge(k);
  return result;
}

/// With A in blocks of the first modality (1) and the others (2): the others follow the first by
/// b = −A22⁻¹ A21 a, and (A11 − A12 A22⁻¹ A21) a = λ B a.
Eigenpairs solve_first(const GuidedOperator& problem, const GuidedProjectionOptions& options,
                       const MatrixD& start, const Run& run) {
  const std::int64_t size = problem.features();
  require(size <= kMostEliminated, "constraint is first with ", size,
          " features of all kinds together; expected ", kMostEliminated,
          " or fewer: use all instead");
  const std::int64_t own = problem.modalities()[0].columns;
  const std::int64_t others = size - own;
  MatrixD a = whole_a(problem);
  MatrixD lower = a.bottomRightCorner(others, others);
  const VectorD entries = lower.diagonal();
  require(factorise(lower, run.jobs) &&
              (lower.diagonal().cwiseAbs2().array() > 1e-13 * entries.array()).all(),
          "the kinds after the first cannot be eliminated: what their links hold together is not "
          "positive definite; raise their gamma, set balanced to false, or use the constraint all");
  const MatrixD inverse = inverse_of_lower(lower, run.jobs);
  const MatrixD half = multiply(inverse, a.bottomLeftCorner(others, own), run.jobs);
  MatrixD reduced = a.topLeftCorner(own, own);
  reduced -= multiply(MatrixD(half.transpose()), half, run.jobs);
  const auto of_first = [&](const MatrixD& p) {
    MatrixD whole = MatrixD::Zero(size, p.cols());
    whole.topRows(own) = p;
    return whole;
  };
  EigenProblem equation;
  equation.size = own;
  equation.multiply_a = [&](const MatrixD& p) { return multiply(reduced, p, run.jobs); };
  equation.multiply_b = [&](const MatrixD& p) {
    return MatrixD(problem.multiply_b(of_first(p)).topRows(own));
  };
  equation.precondition = [&](const MatrixD& p) {
    return MatrixD(problem.solve_b(of_first(p)).topRows(own));
  };
  Eigenpairs pairs = lowest_eigenpairs(equation, start.topRows(own),
                                       solver_options(options, own, run.jobs), run.progress);
  const MatrixD follow =
      multiply(MatrixD(multiply(half, pairs.vectors, run.jobs).transpose()), inverse, run.jobs);
  MatrixD vectors(size, pairs.vectors.cols());
  vectors.topRows(own) = pairs.vectors;
  vectors.bottomRows(others) = -follow.transpose();
  pairs.vectors = std::move(vectors);
  return pairs;
}

/// pᵀ Z W Zᵀ p = pᵀ Z D Zᵀ p − pᵀ A p.
VectorD strengths(const GuidedOperator& problem, const MatrixD& vectors) {
  const MatrixD met = problem.multiply_degrees(vectors) - problem.multiply_a(vectors);
  return vectors.cwiseProduct(met).colwise().sum().transpose();
}

std::vector<ProjectedModality> split(const GuidedOperator& problem, const MatrixD& vectors) {
  std::vector<ProjectedModality> result;
  for (const GuidedItems& modality : problem.modalities()) {
    ProjectedModality projected;
    projected.identity = modality.identity();
    projected.projection = vectors.middleRows(modality.first_column, modality.columns);
    projected.shift = Eigen::RowVectorXd::Zero(vectors.cols());
    if (modality.mean.size() > 0)
      projected.shift = modality.mean.transpose() * projected.projection;
    result.push_back(std::move(projected));
  }
  return result;
}

const ProjectedModality& modality_of(const GuidedProjection& model, std::size_t modality,
                                     bool identity) {
  require(modality < model.modalities.size(), "there is no kind ", modality, " among the ",
          model.modalities.size(), " of the model");
  require(model.modalities[modality].identity == identity, "the items of kind ", modality, " have ",
          identity ? "features; give these" : "no features; give their numbers");
  return model.modalities[modality];
}

}  // namespace

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, GuidedProjection>
static void visit_tensors(Self& model, Visit&& visit) {
  visit("eigenvalues", model.eigenvalues);
  const std::int64_t dim = model.eigenvalues.size();
  visit("strength", model.strength, TensorShape{dim});
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    visit(concat("kind.", k, ".projection"), model.modalities[k].projection, TensorShape{-1, dim});
    visit(concat("kind.", k, ".shift"), model.modalities[k].shift, TensorShape{dim});
  }
}

GuidedProjectionFit fit_guided_projection(std::span<const GuidedModality> modalities,
                                          std::span<const Guidance> guidance,
                                          const GuidedProjectionOptions& options, const Run& run,
                                          const GuidedProjection* start) {
  const auto begin = Clock::now();
  const double waited = run.comm.seconds();
  check(options);
  const GuidedOperator problem(modalities, guidance, options, run);
  const MatrixD from = start_from(start, problem);
  Eigenpairs pairs = options.constraint == "first" ? solve_first(problem, options, from, run)
                                                   : solve_all(problem, options, from, run);
  GuidedProjectionFit result;
  result.model.options = options;
  result.model.strength = strengths(problem, pairs.vectors);
  result.model.modalities = split(problem, pairs.vectors);
  result.model.eigenvalues = pairs.values;
  result.residuals = pairs.residuals;
  for (const GuidedDegrees& degrees : problem.degrees()) result.degrees.push_back(degrees.absolute);
  result.report.objective = {pairs.residuals.maxCoeff()};
  result.report.iterations = pairs.rounds;
  result.report.converged = pairs.converged;
  result.report.communication_seconds = run.comm.seconds() - waited;
  result.report.compute_seconds = seconds_since(begin) - result.report.communication_seconds;
  return result;
}

Matrix encode(const GuidedProjection& model, std::size_t modality, const FeatureRows& rows,
              int jobs) {
  const ProjectedModality& projected = modality_of(model, modality, false);
  require(rows.columns() == projected.projection.rows(), "the items have ", rows.columns(),
          " features, kind ", modality, " of the model ", projected.projection.rows(),
          "; give the features it was fitted on");
  Matrix result(rows.rows(), model.dim());
  if (rows.is_sparse()) {
    MatrixD places = multiply(rows.sparse(), projected.projection, jobs);
    places.rowwise() -= projected.shift;
    result = places.cast<float>();
  } else {
    parallel_for(
        static_cast<std::size_t>(rows.rows()), jobs,
        [&](std::size_t begin, std::size_t end) {
          const auto first = static_cast<std::int64_t>(begin);
          const auto count = static_cast<std::int64_t>(end - begin);
          MatrixD places = multiply(MatrixD(rows.dense().middleRows(first, count).cast<double>()),
                                    projected.projection, 1);
          places.rowwise() -= projected.shift;
          result.middleRows(first, count) = places.cast<float>();
        },
        static_cast<std::size_t>(kProjectedRows));
  }
  for (Eigen::Index row = 0; row < result.rows(); ++row)
    require(result.row(row).allFinite(), "row ", row + 1,
            " has a feature that is not a finite number or too large; expected only finite ones");
  return result;
}

Matrix encode_identity(const GuidedProjection& model, std::size_t modality,
                       std::span<const std::int64_t> items) {
  const ProjectedModality& projected = modality_of(model, modality, true);
  Matrix result(std::ssize(items), model.dim());
  for (std::size_t i = 0; i < items.size(); ++i) {
    require(items[i] >= 0 && items[i] < projected.projection.rows(), "there is no item ", items[i],
            " among the ", projected.projection.rows(), " of kind ", modality);
    result.row(static_cast<Eigen::Index>(i)) =
        (projected.projection.row(items[i]) - projected.shift).cast<float>();
  }
  return result;
}

static TensorWriter writer_of(const GuidedProjection& model) {
  TensorWriter writer = model_writer(model, kProjectionKind, kProjectionLayout);
  std::string identity;
  for (const ProjectedModality& modality : model.modalities)
    identity.push_back(modality.identity ? 1 : 0);
  writer.add_bytes("identity", std::move(identity));
  return writer;
}

void save(const GuidedProjection& model, const std::filesystem::path& path) {
  writer_of(model).write(path);
}

std::string to_bytes(const GuidedProjection& model) { return writer_of(model).bytes(); }

GuidedProjection load_guided_projection(const TensorFile& file) {
  require_kind(file, kProjectionKind, kProjectionLayout);
  GuidedProjection model;
  model.options = options_from_json<GuidedProjectionOptions>(file.metadata("options"));
  check(model.options);
  for (const std::uint8_t identity : file.small("identity")) {
    require(identity <= 1, file.name(),
            ": a kind is neither with features nor without; the file is damaged");
    model.modalities.emplace_back().identity = identity == 1;
  }
  visit_tensors(model, TensorLoader{file});
  require(model.dim() > 0 && !model.modalities.empty(), file.name(), ": the model has ",
          model.modalities.size(), " kinds in ", model.dim(), " dimensions; the file is damaged");
  require(std::is_sorted(model.eigenvalues.begin(), model.eigenvalues.end()), file.name(),
          ": the eigenvalues do not ascend; the file is damaged");
  for (const ProjectedModality& modality : model.modalities)
    require(modality.projection.rows() > 0, file.name(),
            ": a kind has no features; the file is damaged");
  return model;
}

}  // namespace commonplace::relate
