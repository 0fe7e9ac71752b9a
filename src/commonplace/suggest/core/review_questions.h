#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace commonplace::suggest {

/// A question of a review: does the item have the tag? Items and tags by number.
struct ReviewQuestion {
  std::int64_t item = 0;
  std::int64_t tag = 0;
  double confidence = 0;
  bool tagged = false;  ///< people gave the item other tags, and left this one out
};

/// The order in which answers teach most: the nearest to even chances first, but of a tag and of an
/// item that were asked about already, later ones. Greedy; a question that has k before it of its
/// tag and m of its item counts 1 / ((1 + k) (1 + m)) of its uncertainty. O(n log n) expected.
std::vector<std::size_t> useful_order(std::span<const ReviewQuestion> questions);

/// The chance that a question is answered with yes. Confidence is calibrated on items whose tags
/// were all kept back; a review asks for tags that those who tagged the item left out, so their
/// silence counts, and every answer corrects at once how much. A logistic regression of one slope
/// and one shift for items with and without tags, held to what is expected before any answer.
class AnswerCalibration {
 public:
  AnswerCalibration();
  /// With `more` to come what was noted counts only once the last of them is.
  void note(double confidence, bool tagged, bool yes, bool more = false);
  /// In [0.01, 0.99], rising with the confidence.
  double operator()(double confidence, bool tagged) const;

 private:
  void fit();

  struct Answer {
    double evidence;
    bool tagged;
    bool yes;
  };
  std::vector<Answer> answers_;
  std::array<double, 3> weights_;  ///< slope, shift without tags, shift with tags
};

}  // namespace commonplace::suggest
