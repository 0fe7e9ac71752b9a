// How many thousand million operations a second the dense products do, beside Eigen's.
//   bench_dense_products [JOBS]
#include "commonplace/math/dense_products.h"

#include <cstdio>
#include <cstdlib>
#include <functional>

#include <Eigen/Cholesky>

#include "commonplace/base/clock.h"
#include "commonplace/base/rng.h"

namespace {

using commonplace::Matrix;
using commonplace::MatrixD;

Matrix random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Matrix result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) = static_cast<float>(commonplace::random_uniform(
                         seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j))) -
                     0.5F;
  return result;
}

/// The best of several runs, in seconds.
double seconds(const std::function<void()>& work) {
  double best = 1e300;
  double total = 0;
  for (int run = 0; run < 3 || (total < 0.5 && run < 50); ++run) {
    const auto start = commonplace::Clock::now();
    work();
    const double took = commonplace::seconds_since(start);
    best = std::min(best, took);
    total += took;
  }
  return best;
}

void print(const char* what, Eigen::Index n, Eigen::Index m, Eigen::Index k, double operations,
           double ours, double eigen) {
  std::printf("%-14s %8ld %6ld %6ld %10.1f %10.1f %7.1f\n", what, static_cast<long>(n),
              static_cast<long>(m), static_cast<long>(k), operations / ours / 1e9,
              operations / eigen / 1e9, eigen / ours);
}

void gram(Eigen::Index n, Eigen::Index k, int jobs) {
  const Matrix a = random_matrix(n, k, 1);
  MatrixD sum = MatrixD::Zero(k, k);
  Matrix other(k, k);
  const double operations = static_cast<double>(n) * static_cast<double>(k * k);
  print(
      "gram", n, k, k, operations, seconds([&] { commonplace::add_gram(a, sum, jobs); }),
      seconds([&] { other.setZero().selfadjointView<Eigen::Lower>().rankUpdate(a.transpose()); }));
}

void product(Eigen::Index n, Eigen::Index m, Eigen::Index k, int jobs) {
  const Matrix a = random_matrix(n, k, 1);
  const Matrix b = random_matrix(m, k, 2);
  const Matrix c = b.transpose();
  Matrix result(n, m);
  const double operations = 2 * static_cast<double>(n) * static_cast<double>(m * k);
  const double eigen = seconds([&] { result.noalias() = a * b.transpose(); });
  print("A B'", n, m, k, operations,
        seconds([&] { result = commonplace::multiply_transposed(a, b, jobs); }), eigen);
  print("A B", n, m, k, operations, seconds([&] { result = commonplace::multiply(a, c, jobs); }),
        eigen);
  const MatrixD ad = a.cast<double>();
  const MatrixD cd = c.cast<double>();
  MatrixD doubles(n, m);
  print("A B double", n, m, k, operations,
        seconds([&] { doubles = commonplace::multiply(ad, cd, jobs); }),
        seconds([&] { doubles.noalias() = ad * cd; }));
}

void transposed(Eigen::Index n, Eigen::Index m, Eigen::Index k, int jobs) {
  const Matrix a = random_matrix(n, k, 1);
  const Matrix b = random_matrix(n, m, 2);
  MatrixD sum = MatrixD::Zero(k, m);
  Matrix other(k, m);
  const double operations = 2 * static_cast<double>(n) * static_cast<double>(m * k);
  print("A' B", n, m, k, operations,
        seconds([&] { commonplace::add_transposed_product(a, b, sum, jobs); }),
        seconds([&] { other.noalias() = a.transpose() * b; }));
}

void cholesky(Eigen::Index n, int jobs) {
  MatrixD gram = MatrixD::Identity(n, n);
  commonplace::add_gram(random_matrix(n, n, 3), gram, jobs);
  MatrixD factor;
  const double cubed = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  print("factorise", n, n, n, cubed / 3, seconds([&] {
          factor = gram;
          commonplace::factorise(factor, jobs);
        }),
        seconds([&] { factor = gram.llt().matrixL(); }));
  MatrixD inverse;
  print("inverse", n, n, n, cubed / 3,
        seconds([&] { inverse = commonplace::inverse_of_lower(factor, jobs); }), seconds([&] {
          inverse = factor.triangularView<Eigen::Lower>().solve(MatrixD::Identity(n, n));
        }));
}

}  // namespace

int main(int count, char** arguments) {
  const int jobs = count > 1 ? std::atoi(arguments[1]) : 0;
  for (const int level : commonplace::levels_of_dense_products()) {
    commonplace::limit_dense_products(level);
    std::printf("\nlevel %d of x86-64, GF/s (Eigen: of the build, one thread)\n", level);
    std::printf("%-14s %8s %6s %6s %10s %10s %7s\n", "", "n", "m", "k", "ours", "Eigen", "ratio");
    for (const Eigen::Index k : {50, 200, 1000}) gram(20000, k, jobs);
    transposed(20000, 200, 400, jobs);
    product(4000, 1000, 100, jobs);
    product(2000, 1000, 1000, jobs);
    for (const Eigen::Index n : {100, 500, 1000, 2000}) cholesky(n, jobs);
  }
  return 0;
}
