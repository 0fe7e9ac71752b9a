#include "commonplace/suggest/core/sparse_gp_basis.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "commonplace/base/error.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::suggest {
namespace {

/// Items whose kernel rows are held at a time.
constexpr std::int64_t kItemsAtOnce = 4096;
/// Columns of the triangular whitener that are multiplied at a time, the zeros beside them left
/// out.
constexpr std::int64_t kPanel = 512;
constexpr double kSmallestJitter = 1e-12;
constexpr double kLargestJitter = 0.1;

MatrixD factor_of(const MatrixD& gram, double jitter, int jobs) {
  const double mean = gram.diagonal().mean();
  require(mean > 0, "the prototypes' kernel is zero throughout; give prototypes with features");
  for (double share = jitter; share <= kLargestJitter;
       share = std::max(10 * share, kSmallestJitter)) {
    MatrixD factor = gram;
    factor.diagonal().array() += share * mean;
    if (factorise(factor, jobs)) return factor;
  }
  fail(
      "the prototypes' kernel matrix is not positive definite; give other prototypes or another "
      "kernel");
}

/// The shortest text that is read as the same number.
std::string exact_text(double value) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

double number_of(const TensorFile& file, const std::string& key) {
  const std::string& text = file.metadata(key);
  const char* end = text.data() + text.size();
  double value = 0;
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  require(problem == std::errc{} && stop == end, file.name(), ": ", key, " is '", text,
          "', not a number; the file is damaged");
  return value;
}

}  // namespace

SparseGpBasis make_basis(const Kernel& kernel, StoredRows prototypes, double jitter, int jobs) {
  check(kernel);
  require(jitter >= 0 && jitter <= kLargestJitter, "jitter is ", jitter, "; expected 0 .. ",
          kLargestJitter);
  SparseGpBasis basis{kernel, std::move(prototypes), {}};
  const FeatureRows rows = basis.prototypes.view();
  require(rows.rows() >= 1, "a basis needs a prototype; give 1 or more");
  const MatrixD factor = factor_of(kernel_gram(kernel, rows, jobs), jitter, jobs);
  basis.whitener = inverse_of_lower(factor, jobs).cast<float>();
  return basis;
}

Matrix whiten(const SparseGpBasis& basis, const FeatureRows& items, int jobs) {
  return ReadyBasis(basis, jobs).whiten(items, jobs);
}

ReadyBasis::ReadyBasis(const SparseGpBasis& basis, int jobs)
    : basis_(basis), prototypes_(basis.prototypes.view()) {
  for (std::int64_t from = 0; from < basis.size(); from += kPanel) {
    const std::int64_t width = std::min(kPanel, basis.size() - from);
    panels_.emplace_back(basis.whitener.block(from, 0, width, from + width), jobs);
  }
}

Matrix ReadyBasis::whiten(const FeatureRows& items, int jobs) const {
  const std::int64_t size = basis_.size();
  Matrix result(items.rows(), size);
  for (std::int64_t first = 0; first < items.rows(); first += kItemsAtOnce) {
    const std::int64_t count = std::min(kItemsAtOnce, items.rows() - first);
    const Matrix rows = kernel_matrix(basis_.kernel, slice(items, first, count), prototypes_, jobs);
    for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
      const std::int64_t from = static_cast<std::int64_t>(panel) * kPanel;
      const std::int64_t width = std::min(kPanel, size - from);
      result.block(first, from, count, width) =
          panels_[panel].multiply(rows.leftCols(from + width), jobs);
    }
  }
  return result;
}

template <class Basis, class Visit>
requires std::is_same_v<std::remove_const_t<Basis>, SparseGpBasis>
static void visit_tensors(Basis& basis, Visit&& visit) {
  visit("basis.prototypes", basis.prototypes);
  const std::int64_t size = basis.prototypes.view().rows();
  visit("basis.whitener", basis.whitener, TensorShape{size, size});
}

void add_basis(TensorWriter& writer, const SparseGpBasis& basis) {
  writer.set("basis.kernel", std::string(to_string(basis.kernel.kind)));
  writer.set("basis.length", exact_text(basis.kernel.length_scale));
  writer.set("basis.variance", exact_text(basis.kernel.variance));
  visit_tensors(basis, TensorSaver{writer});
}

SparseGpBasis read_basis(const TensorFile& file) {
  SparseGpBasis basis;
  basis.kernel.kind = kernel_kind(file.metadata("basis.kernel"));
  basis.kernel.length_scale = number_of(file, "basis.length");
  basis.kernel.variance = number_of(file, "basis.variance");
  check(basis.kernel);
  visit_tensors(basis, TensorLoader{file});
  require(basis.size() >= 1, file.name(), ": there are no prototypes; the file is damaged");
  return basis;
}

}  // namespace commonplace::suggest
