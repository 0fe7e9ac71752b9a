#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/suggest/core/softmax_gp.h"

// What is done with a classifier once it is learned: softmax_gp.cpp learns it.

namespace commonplace {
namespace {

/// The factors that a model of these variances has.
std::size_t factor_count(const SoftmaxGp& model) {
  if (model.variances == "none") return 0;
  return model.variances == "class" ? static_cast<std::size_t>(model.classes()) : 1;
}

std::int64_t factor_size(const SoftmaxGp& model) {
  return model.variances == "coupled" ? model.size() * model.classes() : model.size();
}

/// |row|² of each row, in double.
VectorD row_squares(const Matrix& rows) {
  VectorD result(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    result[i] = rows.row(i).cast<double>().squaredNorm();
  return result;
}

void add_coupled(const SoftmaxGp& model, const Matrix& whitened, const VectorD& unexplained,
                 int jobs, Latents& latents) {
  const std::int64_t m = model.size();
  const std::int64_t classes = model.classes();
  std::vector<Matrix> images;
  for (std::int64_t c = 0; c < classes; ++c)
    images.push_back(multiply_transposed(whitened, model.factors[0].middleCols(c * m, m), jobs));
  latents.covariance.resize(whitened.rows(), classes * classes);
  for (Eigen::Index i = 0; i < whitened.rows(); ++i)
    for (std::int64_t c = 0; c < classes; ++c)
      for (std::int64_t d = 0; d < classes; ++d) {
        const auto& left = images[static_cast<std::size_t>(c)];
        const auto& right = images[static_cast<std::size_t>(d)];
        double value = left.row(i).cast<double>().dot(right.row(i).cast<double>());
        if (c == d) value += unexplained[i];
        latents.covariance(i, c * classes + d) = static_cast<float>(value);
        if (c == d) latents.variance(i, c) = static_cast<float>(value);
      }
}

}  // namespace

Latents predict_latents(const SoftmaxGp& model, const Matrix& whitened, const VectorD& diagonal,
                        int jobs) {
  require(whitened.cols() == model.size(), "items whitened by ", whitened.cols(),
          " prototypes do not fit a model of ", model.size());
  require(diagonal.size() == whitened.rows(), diagonal.size(), " values of k(x, x) do not fit ",
          whitened.rows(), " items");
  Latents latents;
  latents.mean = multiply(whitened, model.weights.cast<float>(), jobs);
  latents.variance.resize(whitened.rows(), model.classes());
  const VectorD unexplained = (diagonal - row_squares(whitened)).cwiseMax(0);
  if (model.variances == "coupled") {
    add_coupled(model, whitened, unexplained, jobs, latents);
    return latents;
  }
  VectorD variance = unexplained;
  for (Eigen::Index c = 0; c < model.classes(); ++c) {
    if (c == 0 || model.variances == "class")
      if (!model.factors.empty())
        variance = unexplained + row_squares(multiply_transposed(
                                     whitened, model.factors[static_cast<std::size_t>(c)], jobs));
    latents.variance.col(c) = variance.cast<float>();
  }
  return latents;
}

void add_softmax_gp(TensorWriter& writer, const SoftmaxGp& model) {
  writer.set("softmax_gp.variances", model.variances);
  writer.add("softmax_gp.weights", model.weights);
  for (std::size_t i = 0; i < model.factors.size(); ++i)
    writer.add("softmax_gp.factor." + std::to_string(i), model.factors[i]);
}

SoftmaxGp read_softmax_gp(const TensorFile& file) {
  SoftmaxGp model;
  model.variances = file.metadata("softmax_gp.variances");
  const std::string& kept = model.variances;
  require(kept == "none" || kept == "shared" || kept == "class" || kept == "coupled", file.name(),
          ": there are no variances '", kept, "'; the file is damaged or newer");
  model.weights = file.matrix_d("softmax_gp.weights");
  require(model.size() >= 1 && model.classes() >= 2 && model.weights.allFinite(), file.name(),
          ": the weights are not numbers, prototypes x classes; the file is damaged");
  const std::int64_t size = factor_size(model);
  for (std::size_t i = 0; i < factor_count(model); ++i) {
    const MatrixView factor = file.matrix("softmax_gp.factor." + std::to_string(i));
    require(factor.rows() == size && factor.cols() == size && factor.allFinite(), file.name(),
            ": a factor of ", factor.rows(), " x ", factor.cols(), " is not ", size, " x ", size,
            " numbers; the file is damaged");
    model.factors.emplace_back(factor);
  }
  return model;
}

}  // namespace commonplace
