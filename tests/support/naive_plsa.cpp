#include "tests/support/naive_plsa.h"

#include <cmath>

namespace commonplace::test {

NaivePlsa naive_plsa(const MatrixD& counts, MatrixD start, int iterations, double beta) {
  const auto documents = counts.rows();
  const auto terms = counts.cols();
  const auto topics = start.cols();
  NaivePlsa result;
  result.term_topics = std::move(start);
  result.document_topics = MatrixD::Constant(documents, topics, 1.0 / static_cast<double>(topics));
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::vector<MatrixD> posterior(static_cast<std::size_t>(documents),
                                   MatrixD::Zero(terms, topics));
    double objective = 0;
    for (Eigen::Index d = 0; d < documents; ++d)
      for (Eigen::Index w = 0; w < terms; ++w) {
        if (counts(d, w) == 0) continue;
        double sum = 0;
        for (Eigen::Index z = 0; z < topics; ++z)
          sum += std::pow(result.document_topics(d, z) * result.term_topics(w, z), beta);
        for (Eigen::Index z = 0; z < topics; ++z)
          posterior[static_cast<std::size_t>(d)](w, z) =
              std::pow(result.document_topics(d, z) * result.term_topics(w, z), beta) / sum;
        objective += counts(d, w) * std::log(sum) / beta;
      }
    result.objective.push_back(objective);
    MatrixD term_mass = MatrixD::Zero(terms, topics);
    MatrixD document_mass = MatrixD::Zero(documents, topics);
    for (Eigen::Index d = 0; d < documents; ++d)
      for (Eigen::Index w = 0; w < terms; ++w)
        for (Eigen::Index z = 0; z < topics; ++z) {
          const double mass = counts(d, w) * posterior[static_cast<std::size_t>(d)](w, z);
          term_mass(w, z) += mass;
          document_mass(d, z) += mass;
        }
    for (Eigen::Index z = 0; z < topics; ++z)
      result.term_topics.col(z) = term_mass.col(z) / term_mass.col(z).sum();
    for (Eigen::Index d = 0; d < documents; ++d)
      if (document_mass.row(d).sum() > 0)
        result.document_topics.row(d) = document_mass.row(d) / document_mass.row(d).sum();
    result.topic_probability = term_mass.colwise().sum().transpose() / term_mass.sum();
  }
  return result;
}

}  // namespace commonplace::test
