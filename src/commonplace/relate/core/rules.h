#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/formats/item.h"
#include "commonplace/relate/core/space.h"

namespace commonplace::relate {

/// How what is known of an item ranks the nodes of a modality. With a(e, j) the affinity of node j
/// to what the item has of modality e,
///   score(j) = share(j)^popularity (1 + Σ say(e) a(e, j)),
/// which for say 1 and popularity 1 is the expected share of j under the model. To that, over its
/// greatest, `knn_weight` times what the `neighbours` nearest known items have, over its greatest,
/// is added.
struct TargetRule {
  std::vector<double> say;  ///< per modality; 0 for what is no evidence
  double popularity = 0;
  double knn_weight = 0;
  std::int64_t neighbours = 0;
  double quality = 0;  ///< nDCG on items held out; 0 where it was not tried

  bool operator==(const TargetRule&) const = default;
};

/// Where items are by each modality, each items x dim; an empty matrix for a modality of another
/// collection.
using Evidence = std::vector<Matrix>;

/// Items whose nodes of a modality are known.
struct KnownItems {
  Evidence where;  ///< they are, by each other modality
  Sparse has;      ///< items x nodes
};

/// Items x nodes of `target`. `positions` are those of the nodes.
Matrix target_scores(const Space& space, const TargetRule& rule, std::size_t target,
                     const Matrix& positions, const Evidence& evidence, const KnownItems& known,
                     int jobs);

/// The rule under which all evidence counts alike.
TargetRule usual_rule(const Data& data, std::size_t target);

/// The best rule found for items whose nodes of `target` are known: `truth` items x nodes.
TargetRule choose_rule(const Space& space, const Data& data, std::size_t target,
                       const Matrix& positions, const Evidence& evidence, const KnownItems& known,
                       const Sparse& truth, int jobs);

/// The mean over the items of nDCG of the first ten, or as many as the item has if these are more;
/// with `only_as_many` of just as many as it has. Items without any are left out.
double mean_ndcg(const Matrix& scores, const SparseView& truth, bool only_as_many, int jobs);
/// The same of each item; -1 for those left out.
std::vector<double> ndcg_of_items(const Matrix& scores, const SparseView& truth, bool only_as_many,
                                  int jobs);

/// Items x nodes of `target`: what the `count` known items that are nearest to each have, by the
/// cosines of where they are by each modality of evidence, as far as the rule lets each say.
Matrix knn_scores(const Space& space, const TargetRule& rule, const Evidence& evidence,
                  const KnownItems& known, std::int64_t count, int jobs);

/// Positions to compare nodes of all modalities by: coordinates weighted by their strength, each
/// row of length one, or 0 for what could not be placed.
Matrix directions(const Space& space, const Matrix& positions);

/// Where an item may be, from the scores of all places.
struct PlaceGuess {
  std::size_t place = 0;  ///< its number
  double spread = 0;      ///< metres: half of the weight lies within
};
PlaceGuess guess_place(std::span<const float> scores, const std::vector<Place>& places);

/// What a spread has meant on items held out.
struct PlaceRule {
  std::vector<double> spread;  ///< metres, ascending
  std::vector<double> error;   ///< metres, never falling: half of the items were nearer
  double blind = 0;            ///< metres: the same for naming one place always
  /// Places are scored by k-NN of so many items; 0: by their affinity.
  std::int64_t neighbours = 0;

  /// Half of the guesses of such a spread are within so many metres.
  double radius(double spread_of_guess) const;
  /// Whether a guess says more than the place that is always named.
  bool tells(double radius_of_guess) const { return radius_of_guess < 0.5 * blind; }
};
PlaceRule fit_place_rule(const Matrix& scores, const SparseView& truth,
                         const std::vector<Place>& places, int jobs);

/// What places are guessed by.
Matrix place_scores(const Space& space, const TargetRule& rule, std::int64_t neighbours,
                    std::size_t target, const Matrix& positions, const Evidence& evidence,
                    const KnownItems& known, int jobs);

/// The median of what place_errors returns, without those that are -1; 0 for none.
double median_error(const std::vector<double>& errors);
/// Metres between the guess and the truth for each item that has a place; -1 for others.
std::vector<double> place_errors(const Matrix& scores, const SparseView& truth,
                                 const std::vector<Place>& places, int jobs);

}  // namespace commonplace::relate
