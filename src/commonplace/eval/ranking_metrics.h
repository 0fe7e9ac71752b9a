#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace commonplace {

/// Measures of one ranked list. `hits[i]` is not 0 if the i-th result, best first, is relevant;
/// `relevant` is how many relevant results exist, those the list misses included. Error if the list
/// holds more hits than that. Average over queries or items with `mean`: MAP is the mean of
/// average_precision, MiAP that of interpolated_average_precision. All take O(hits).
using Hits = std::span<const std::uint8_t>;

/// `relevant[i]` for the items i by falling score; ties keep the order of the items.
/// O(n log n). Error if the lengths differ or a score is NaN.
std::vector<std::uint8_t> rank_by_score(std::span<const double> scores, Hits relevant);

/// The hits among the first k, divided by k: results that a short list does not have count as
/// wrong. Pass min(k, hits.size()) to divide by what was returned. 0 for k = 0.
double precision_at(Hits hits, std::size_t k);

/// The hits among the first k, divided by `relevant`; 0 when nothing is relevant.
double recall_at(Hits hits, std::size_t relevant, std::size_t k);

/// The harmonic mean of the two above; 0 when both are 0.
double f1_at(Hits hits, std::size_t relevant, std::size_t k);

/// The sum over the hits of the precision at their positions, divided by `relevant`; 0 when nothing
/// is relevant.
double average_precision(Hits hits, std::size_t relevant);

/// At recall 0, 0.1, .. 1: the highest precision at any position that reaches at least that recall,
/// 0 where none does (TREC's definition; all 0 when nothing is relevant).
std::array<double, 11> interpolated_precision(Hits hits, std::size_t relevant);

/// The mean of the eleven values. VLFeat's vl_pr also counts a point of precision 1 before the
/// first result, which makes its value higher by (1 - the first of the eleven) / 11.
double interpolated_average_precision(Hits hits, std::size_t relevant);

/// The precision at the first position whose recall is at least `recall`, in (0, 1], not
/// interpolated; 0 if the list ends before.
double precision_at_recall(Hits hits, std::size_t relevant, double recall);

/// Normalised discounted cumulative gain of the first k: the sum of 1 / log2(position + 1) over the
/// hits, positions from 1, divided by what the best possible list of k would get. 1 when nothing is
/// relevant, as in Annif; 0 for k = 0 otherwise.
double ndcg_at(Hits hits, std::size_t relevant, std::size_t k);

/// The same with graded gains, which count as they are (not as 2^gain - 1). `gains` in ranked
/// order; `possible` all gains that exist, in any order. 1 when the best possible is 0. Error for a
/// negative or infinite gain. O(possible log possible).
double graded_ndcg_at(std::span<const double> gains, std::span<const double> possible,
                      std::size_t k);

/// The gains by falling score, each tie's gains replaced by their mean, so that the measures above
/// give their expectation over the orders of the ties. O(n log n).
std::vector<double> rank_gains_by_score(std::span<const double> scores,
                                        std::span<const double> gains);

/// The mean of the values; Error if there are none.
double mean(std::span<const double> values);

}  // namespace commonplace
