#include "commonplace/suggest/rivals/ivm.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"

namespace commonplace {
namespace ivm_test {

using namespace suggest;

using test::LabelledItems;
using test::ring_of_classes;

constexpr Kernel kKernel{KernelKind::rbf, 0.4, 4};

double accuracy(const Matrix& probabilities, const std::vector<std::int32_t>& labels) {
  int right = 0;
  for (Eigen::Index n = 0; n < probabilities.rows(); ++n) {
    Eigen::Index best = 0;
    probabilities.row(n).maxCoeff(&best);
    right += best == labels[static_cast<std::size_t>(n)] ? 1 : 0;
  }
  return right / static_cast<double>(labels.size());
}

TEST(Ivm, TellsClassesApartAndMoreItemsTellMore) {
  const LabelledItems data = ring_of_classes(300, 5, 0.5, 1);
  const LabelledItems fresh = ring_of_classes(200, 5, 0.5, 2);
  const Matrix items = data.features.cast<float>();
  const Matrix test_items = fresh.features.cast<float>();
  IvmOptions options;
  options.active = 3;
  const double few =
      accuracy(predict(fit_ivm(kKernel, items, data.labels, 5, options), test_items), fresh.labels);
  options.active = 40;
  const Matrix many = predict(fit_ivm(kKernel, items, data.labels, 5, options), test_items);
  EXPECT_GT(accuracy(many, fresh.labels), 0.95);
  EXPECT_LT(few, accuracy(many, fresh.labels));
  for (Eigen::Index n = 0; n < many.rows(); ++n) EXPECT_NEAR(many.row(n).sum(), 1, 1e-5);
}

TEST(Ivm, SparseAndDenseFeaturesAreTheSameAndJobsDoNotMatter) {
  const LabelledItems data = ring_of_classes(120, 3, 0.8, 1);
  const Matrix dense = data.features.cast<float>();
  const Sparse sparse = test::to_sparse(data.features);
  IvmOptions options;
  options.active = 20;
  const Matrix once =
      predict(fit_ivm(kKernel, dense, data.labels, 3, options, {.jobs = 1}), dense, 1);
  EXPECT_EQ(predict(fit_ivm(kKernel, dense, data.labels, 3, options, {.jobs = 3}), dense, 3), once);
  const Matrix other = predict(fit_ivm(kKernel, sparse, data.labels, 3, options), sparse);
  EXPECT_LT((other - once).cwiseAbs().maxCoeff(), 1e-3F);
}

TEST(Ivm, RefusesBadInput) {
  const LabelledItems data = ring_of_classes(20, 3, 0.8, 1);
  const Matrix items = data.features.cast<float>();
  EXPECT_THROW(fit_ivm(kKernel, items, data.labels, 2, {}), Error);
  EXPECT_THROW(fit_ivm(kKernel, items, data.labels, 1, {}), Error);
  EXPECT_THROW(fit_ivm(kKernel, items, std::vector<std::int32_t>{0}, 3, {}), Error);
  IvmOptions options;
  options.active = 0;
  EXPECT_THROW(fit_ivm(kKernel, items, data.labels, 3, options), Error);
  EXPECT_THROW(fit_ivm({KernelKind::rbf, -1, 1}, items, data.labels, 3, {}), Error);
}

}  // namespace ivm_test
}  // namespace commonplace
