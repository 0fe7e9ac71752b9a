#include "commonplace/suggest/core/sparse_gp_basis.h"

#include <limits>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace sparse_gp_basis_test {

using namespace suggest;

using test::naive_kernel;
using test::random_features;

StoredRows dense_rows(const MatrixD& rows) { return {rows.cast<float>(), {}, false}; }
StoredRows sparse_rows(const MatrixD& rows) { return {{}, test::to_sparse(rows), true}; }

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(SparseGpBasis, WhitensThePrototypesKernel) {
  const MatrixD prototypes = random_features(14, 6, 0.8, 1);
  const MatrixD items = random_features(40, 6, 0.8, 2);
  const Kernel kernel{KernelKind::rbf, 0.7, 3};
  const MatrixD gram = naive_kernel(kernel, prototypes, prototypes);
  const MatrixD lower = gram.llt().matrixL();
  const MatrixD expected = lower.triangularView<Eigen::Lower>()
                               .solve(naive_kernel(kernel, prototypes, items))
                               .transpose();
  const Matrix dense_items = items.cast<float>();
  const Sparse sparse_items = test::to_sparse(items);
  EXPECT_LT(worst(whiten(make_basis(kernel, dense_rows(prototypes), 0), dense_items).cast<double>(),
                  expected),
            1e-5);
  EXPECT_LT(
      worst(whiten(make_basis(kernel, sparse_rows(prototypes), 0), sparse_items).cast<double>(),
            expected),
      1e-5);
}

/// A Aᵀ is the kernel that the prototypes can express: exact among the prototypes themselves.
TEST(SparseGpBasis, ProductsOfWhitenedPrototypesAreTheKernel) {
  const MatrixD prototypes = random_features(700, 20, 1, 3);
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::nn}) {
    const Kernel kernel{kind, 2, 1.5};
    const Matrix rows = prototypes.cast<float>();
    const MatrixD a = whiten(make_basis(kernel, dense_rows(prototypes)), rows).cast<double>();
    EXPECT_LT(worst(a * a.transpose(), naive_kernel(kernel, prototypes, prototypes)), 1e-4);
  }
}

TEST(SparseGpBasis, AnItemAloneGivesTheBitsThatItGivesAmongOthers) {
  const MatrixD prototypes = random_features(30, 25, 0.3, 4);
  const Sparse items = test::to_sparse(random_features(20, 25, 0.3, 5));
  const SparseGpBasis basis = make_basis({KernelKind::rbf, 1, 1}, sparse_rows(prototypes));
  const Matrix all = whiten(basis, items, 1);
  EXPECT_EQ(whiten(basis, items, 3), all);
  EXPECT_EQ(make_basis({KernelKind::rbf, 1, 1}, sparse_rows(prototypes), 1e-6, 3).whitener,
            basis.whitener);
  for (const std::int64_t row : {0, 7, 19})
    EXPECT_EQ(whiten(basis, slice(items, row, 1)), Matrix(all.row(row)));
  const ReadyBasis ready(basis);
  EXPECT_EQ(ready.whiten(items, 2), all);
  EXPECT_EQ(ready.whiten(slice(items, 7, 1), 1), Matrix(all.row(7)));
  EXPECT_EQ(whiten(basis, slice(items, 3, 0)).rows(), 0);
}

TEST(SparseGpBasis, PrototypesMayBeTheSame) {
  MatrixD prototypes = random_features(10, 4, 1, 6);
  prototypes.row(3) = prototypes.row(8);
  prototypes.row(4) = prototypes.row(8);
  const Matrix items = random_features(10, 4, 1, 7).cast<float>();
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::linear, KernelKind::cosine})
    for (const double jitter : {0.0, 1e-6})
      EXPECT_TRUE(
          whiten(make_basis({kind, 1, 1}, dense_rows(prototypes), jitter), items).allFinite());
}

TEST(SparseGpBasis, RefusesWhatItCannotUse) {
  EXPECT_THROW(make_basis({}, StoredRows{}), Error);
  EXPECT_THROW(make_basis({KernelKind::cosine, 1, 1}, dense_rows(MatrixD::Zero(3, 2))), Error);
  EXPECT_THROW(make_basis({KernelKind::rbf, 0, 1}, dense_rows(MatrixD::Ones(3, 2))), Error);
  for (const double jitter : {-1.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(make_basis({}, dense_rows(MatrixD::Ones(3, 2)), jitter), Error);
  MatrixD bad = MatrixD::Ones(3, 2);
  bad(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(make_basis({}, dense_rows(bad)), Error);
  const SparseGpBasis basis = make_basis({}, dense_rows(random_features(3, 2, 1, 1)));
  const Matrix wide = Matrix::Ones(2, 5);
  EXPECT_THROW(whiten(basis, wide), Error);
}

std::string file_of(const SparseGpBasis& basis) {
  TensorWriter writer;
  add_basis(writer, basis);
  return writer.bytes();
}

TEST(GpBasisFile, KeepsEveryBit) {
  const MatrixD prototypes = random_features(12, 9, 0.5, 8);
  const Kernel kernel{KernelKind::nn, 0.1, 1.0 / 3};
  for (const bool sparse : {false, true}) {
    const SparseGpBasis basis =
        make_basis(kernel, sparse ? sparse_rows(prototypes) : dense_rows(prototypes));
    const SparseGpBasis loaded = read_basis(TensorFile(file_of(basis), "memory"));
    EXPECT_EQ(loaded.kernel, kernel);
    EXPECT_EQ(loaded.whitener, basis.whitener);
    EXPECT_EQ(loaded.prototypes.is_sparse, sparse);
    EXPECT_EQ(loaded.prototypes.dense, basis.prototypes.dense);
    EXPECT_EQ(loaded.prototypes.sparse.indices, basis.prototypes.sparse.indices);
    const Sparse some = test::to_sparse(prototypes);
    const Matrix same = prototypes.cast<float>();
    const FeatureRows items = sparse ? FeatureRows(some) : FeatureRows(same);
    EXPECT_EQ(whiten(loaded, items), whiten(basis, items));
  }
}

TEST(GpBasisFile, DamageIsRefused) {
  const std::string whole = file_of(make_basis({}, sparse_rows(random_features(4, 5, 0.5, 1))));
  for (std::size_t size = 0; size < whole.size(); size += 7)
    EXPECT_THROW(read_basis(TensorFile(whole.substr(0, size), "cut")), Error) << size;
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_THROW(read_basis(TensorFile(flipped, "flipped")), Error) << at;
  }
}

TEST(GpBasisFile, PartsThatDoNotFitAreRefused) {
  const SparseGpBasis good = make_basis({}, dense_rows(random_features(4, 5, 1, 1)));
  const auto refused = [&](auto spoil) {
    SparseGpBasis bad = good;
    spoil(bad);
    EXPECT_FALSE(test::message_of([&] { read_basis(TensorFile(file_of(bad), "bad")); }).empty());
  };
  EXPECT_NO_THROW(read_basis(TensorFile(file_of(good), "good")));
  refused([](SparseGpBasis& basis) { basis.whitener.conservativeResize(4, 3); });
  refused([](SparseGpBasis& basis) { basis.whitener.conservativeResize(3, 3); });
  refused(
      [](SparseGpBasis& basis) { basis.whitener(2, 1) = std::numeric_limits<float>::infinity(); });
  refused([](SparseGpBasis& basis) {
    basis.prototypes.dense(1, 1) = std::numeric_limits<float>::quiet_NaN();
  });
  refused([](SparseGpBasis& basis) { basis.kernel.length_scale = 0; });
  refused([](SparseGpBasis& basis) {
    basis.kernel.variance = std::numeric_limits<double>::infinity();
  });
}

}  // namespace sparse_gp_basis_test
}  // namespace commonplace
