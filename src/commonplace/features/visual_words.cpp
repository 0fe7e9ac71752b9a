#include "commonplace/features/visual_words.h"

#include "commonplace/math/k_means.h"

namespace commonplace {
namespace {

template <class Values>
void to_length_one(Values&& values) {
  const double length = values.template cast<double>().norm();
  if (length > 0) values = (values.template cast<double>() / length).template cast<float>();
}

/// words x columns: the sums of differences.
MatrixD differences(const Eigen::Ref<const Matrix>& descriptors, const Matrix& words) {
  const NearestCentres nearest = nearest_centres(descriptors, words, 1);
  MatrixD sums = MatrixD::Zero(words.rows(), words.cols());
  VectorD counts = VectorD::Zero(words.rows());
  for (std::int64_t row = 0; row < descriptors.rows(); ++row) {
    const std::int32_t word = nearest.centre[static_cast<std::size_t>(row)];
    sums.row(word) += descriptors.row(row).cast<double>();
    counts(word) += 1;
  }
  for (std::int64_t word = 0; word < words.rows(); ++word)
    sums.row(word) -= counts(word) * words.row(word).cast<double>();
  return sums;
}

}  // namespace

std::int64_t vlad_size(const std::vector<Matrix>& vocabularies) {
  std::int64_t size = 0;
  for (const Matrix& words : vocabularies) size += words.size();
  return size;
}

Eigen::RowVectorXf vlad(const Eigen::Ref<const Matrix>& descriptors,
                        const std::vector<Matrix>& vocabularies) {
  Eigen::RowVectorXf result = Eigen::RowVectorXf::Zero(vlad_size(vocabularies));
  if (descriptors.rows() == 0) return result;
  std::int64_t first = 0;
  for (const Matrix& words : vocabularies) {
    const MatrixD sums = differences(descriptors, words);
    auto part = result.segment(first, words.size());
    const Eigen::Map<const Eigen::RowVectorXd> flat(sums.data(), sums.size());
    part = (flat.array().sign() * flat.array().abs().sqrt()).matrix().cast<float>();
    to_length_one(part);
    first += words.size();
  }
  to_length_one(result);
  return result;
}

}  // namespace commonplace
