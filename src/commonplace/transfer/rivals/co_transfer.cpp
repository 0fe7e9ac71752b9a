#include "commonplace/transfer/rivals/co_transfer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/transfer/core/naive_bayes.h"

namespace commonplace::transfer {
namespace {

void check(const CoTransferOptions& options) {
  require(options.restart > 0 && options.restart <= 1, "restart is ", options.restart,
          "; expected more than 0 and at most 1");
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected 0 or more");
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
}

void check_block(const CoTransferBlock& block, std::span<const std::vector<std::int32_t>> labels) {
  require(block.from < labels.size() && block.to < labels.size(), "a block leads from collection ",
          block.from, " to ", block.to, "; there are ", labels.size(), ", counted from 0");
  const std::string name = concat("the block from collection ", block.from, " to ", block.to);
  require(block.ties.rows() == std::ssize(labels[block.from]) &&
              block.ties.columns == std::ssize(labels[block.to]),
          name, " is ", block.ties.rows(), " x ", block.ties.columns, "; expected ",
          labels[block.from].size(), " x ", labels[block.to].size(), ", the items of both");
  require(block.weight > 0 && std::isfinite(block.weight), name, " has the weight ", block.weight,
          "; expected more than 0");
  for (const float value : block.ties.values)
    require(std::isfinite(value) && value >= 0, name, " has a tie of weight ", value,
            "; expected 0 or more");
}

/// A block made ready to be walked.
struct Way {
  std::size_t from;
  std::size_t to;
  Sparse arrivals;  ///< items of `to` x items of `from`
  VectorD leaving;  ///< per item of `from`: the block's share divided by the sum of its ties, or 0
};

std::vector<Way> ways_of(std::span<const CoTransferBlock> blocks, std::size_t collections) {
  std::vector<double> into(collections);
  for (const CoTransferBlock& block : blocks) into[block.to] += block.weight;
  std::vector<Way> result;
  for (const CoTransferBlock& block : blocks) {
    Way way{block.from, block.to, transpose(block.ties.view()), VectorD::Zero(block.ties.rows())};
    for (std::int64_t item = 0; item < block.ties.rows(); ++item) {
      double sum = 0;
      for (const float tie : block.ties.view().row_values(item)) sum += static_cast<double>(tie);
      if (sum > 0) way.leaving(item) = block.weight / into[block.to] / sum;
    }
    result.push_back(std::move(way));
  }
  return result;
}

/// Each column scaled to the sum 1; columns of zeros stay.
MatrixD unit_sums(MatrixD columns) {
  for (Eigen::Index column = 0; column < columns.cols(); ++column) {
    const double sum = columns.col(column).sum();
    if (sum > 0) columns.col(column) /= sum;
  }
  return columns;
}

std::vector<MatrixD> step(const std::vector<Way>& ways, const std::vector<MatrixD>& visits,
                          const std::vector<MatrixD>& starts, const CoTransferOptions& options,
                          int jobs) {
  std::vector<MatrixD> result;
  for (const MatrixD& start : starts) result.push_back(options.restart * start);
  for (const Way& way : ways) {
    const MatrixD leaving = way.leaving.asDiagonal() * visits[way.from];
    result[way.to] += (1 - options.restart) * multiply(way.arrivals.view(), leaving, jobs);
  }
  return result;
}

double largest_change(const std::vector<MatrixD>& a, const std::vector<MatrixD>& b) {
  double result = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (Eigen::Index column = 0; column < a[i].cols(); ++column)
      result = std::max(result, (a[i].col(column) - b[i].col(column)).cwiseAbs().sum());
  return result;
}

}  // namespace

CoTransfer co_transfer(std::span<const CoTransferBlock> blocks,
                       std::span<const std::vector<std::int32_t>> labels, std::int64_t classes,
                       const CoTransferOptions& options, const Run& run) {
  const auto begin = Clock::now();
  check(options);
  for (const CoTransferBlock& block : blocks) check_block(block, labels);
  std::vector<MatrixD> starts;
  for (const auto& own : labels) starts.push_back(unit_sums(class_indicators(own, classes)));
  const std::vector<Way> ways = ways_of(blocks, labels.size());
  CoTransfer result;
  result.visits = starts;
  while (!result.report.converged && result.report.iterations < options.iterations) {
    std::vector<MatrixD> next = step(ways, result.visits, starts, options, run.jobs);
    const double change = largest_change(next, result.visits);
    result.visits = std::move(next);
    ++result.report.iterations;
    result.report.objective.push_back(change);
    result.report.converged = change <= options.tolerance;
    run.progress({"walking between collections",
                  static_cast<std::uint64_t>(result.report.iterations), 0, "steps"});
  }
  for (const MatrixD& own : result.visits) result.scores.push_back(class_shares(unit_sums(own)));
  result.report.compute_seconds = seconds_since(begin);
  return result;
}

Matrix class_shares(const Eigen::Ref<const MatrixD>& scores) {
  require(scores.cols() >= 1, "there are no classes; expected 1 or more");
  MatrixD shares = scores.cwiseMax(0.0);
  for (Eigen::Index row = 0; row < shares.rows(); ++row) {
    const double sum = shares.row(row).sum();
    if (sum > 0)
      shares.row(row) /= sum;
    else
      shares.row(row).setConstant(1 / static_cast<double>(shares.cols()));
  }
  return shares.cast<float>();
}

}  // namespace commonplace::transfer
