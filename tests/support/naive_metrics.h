#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// The measures of eval/ written once more as plain loops straight from their definitions, slow and
/// without cleverness, for the tests to compare with.
namespace commonplace::naive {

using Flags = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;
using Groups = std::vector<std::int32_t>;

double precision_at(const Flags& hits, std::size_t k);
double recall_at(const Flags& hits, std::size_t relevant, std::size_t k);
double f1_at(const Flags& hits, std::size_t relevant, std::size_t k);
double average_precision(const Flags& hits, std::size_t relevant);
std::array<double, 11> interpolated_precision(const Flags& hits, std::size_t relevant);
double precision_at_recall(const Flags& hits, std::size_t relevant, double recall);
double ndcg_at(const Flags& hits, std::size_t relevant, std::size_t k);
/// The mean over all orders of the ties, by trying every permutation of the items.
double expected_graded_ndcg_at(const Numbers& scores, const Numbers& gains, std::size_t k);

double rank_loss(const Numbers& scores, const Flags& relevant);
double one_error(const Numbers& scores, const Flags& relevant);
double coverage(const Numbers& scores, const Flags& relevant);
double label_ranking_average_precision(const Numbers& scores, const Flags& relevant);

/// From a table of items by labels.
struct Averages {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};
using FlagTable = std::vector<Flags>;
Averages item_average(const FlagTable& truth, const FlagTable& predicted);
Averages label_average(const FlagTable& truth, const FlagTable& predicted, bool weighted);
Averages micro_average(const FlagTable& truth, const FlagTable& predicted);
double hamming_loss(const FlagTable& truth, const FlagTable& predicted);

double rand_index(const Groups& first, const Groups& second);
/// (index - expected) / (maximum - expected) with the binomials of the contingency table.
double adjusted_rand_index(const Groups& first, const Groups& second);

double expected_calibration_error(const Numbers& probabilities, const Flags& outcomes,
                                  std::size_t bins);
double jensen_shannon(const Numbers& p, const Numbers& q);

}  // namespace commonplace::naive
