#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commonplace/io/safetensors.h"

namespace commonplace::transfer {

/// What is known, without a single label, of a source that has labels, a target that needs them and
/// a collection that might be a bridge between the two.
struct BridgeTraits {
  double source_complexity = 0;  ///< the share of long-tail features
  double bridge_complexity = 0;
  double target_complexity = 0;
  double source_bridge = 0;  ///< A-distances, 0 .. 2
  double source_target = 0;
  double bridge_target = 0;
};

inline constexpr int kBridgeTraits = 6;
/// In the order above.
std::array<double, kBridgeTraits> values(const BridgeTraits& traits);

/// One trial of a bridge.
struct BridgeExample {
  BridgeTraits traits;
  double direct = 0;               ///< accuracy on the target without the bridge
  double bridged = 0;              ///< and with it
  std::int32_t target_group = -1;  ///< examples of one target collection have the same
};

struct BridgeChoiceOptions {
  double margin = 1.03;  ///< a bridge succeeds if bridged > margin x direct
  /// "traits": the six as they are, as in the paper; "logs": the complexities, how far source and
  /// target are apart, by -ln(error + 0.005) of telling them apart instead of the A-distance, and
  /// by how much the bridge is nearer to the farther of the two, or not: two numbers, of which one
  /// is 0. Only this says that a bridge is the better the nearer it is to both.
  std::string inputs = "logs";
  std::string quadratic = "auto";  ///< squares and products of these too: yes, no or auto
  double ridge = 0;                ///< penalty of the weights; 0: chosen on targets held out
  int samples = 10;                ///< balanced samples for the cross-validated accuracy
  int folds = 10;                  ///< of each of them
  std::uint64_t seed = 1;          ///< of samples and folds
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, BridgeChoiceOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("margin", options.margin, "a bridge succeeds if it multiplies the accuracy by more");
  visit("inputs", options.inputs, "the traits as they are, or logs: of the distances");
  visit("quadratic", options.quadratic, "squares and products of these too: yes, no or auto");
  visit("ridge", options.ridge, "penalty of the weights; 0: chosen on targets held out");
  visit("samples", options.samples, "balanced samples for the cross-validated accuracy");
  visit("folds", options.folds, "of each balanced sample");
  visit("seed", options.seed, "of the samples and the folds");
}

/// What the choice was learned from, and how well it does on examples it has not seen. Triples
/// share collections, so random folds flatter: what counts are the `target_` and `gain_` numbers,
/// where all examples of a target are held out together.
struct BridgeQuality {
  double examples = 0;
  double successes = 0;
  double targets = 0;
  double balanced_accuracy = 0;   ///< of success, mean over samples of as many of both kinds
  double balanced_deviation = 0;  ///< standard deviation over these samples
  double target_accuracy = 0;     ///< mean of the shares of successes and failures recognised,
                                  ///< where f above the share of successes says success
  double target_auc = 0;          ///< successes ranked above failures
  double gain_error = 0;          ///< root mean square
  double gain_deviation = 0;    ///< of the gains themselves, which is what it must be held against
  double gain_correlation = 0;  ///< of predicted and actual gains
  double success_ridge = 0;     ///< the penalties that were chosen
  double gain_ridge = 0;
};

/// Two linear functions of the six inputs that the options name, standardised: the log odds of
/// success, which follow the shares of the examples, and the gain, which is the accuracy with the
/// bridge minus the one without. Weights are 7 (constant, inputs) or 28 (and squares and products:
/// for i <= j, row by row).
struct BridgeChoice {
  std::vector<double> mean;  ///< of each input
  std::vector<double> scale;
  std::vector<double> lowest;  ///< seen of each input
  std::vector<double> highest;
  std::vector<double> precision;  ///< 6 x 6, inverse of the correlations of the inputs
  std::vector<double> success;    ///< weights
  std::vector<double> gain;       ///< weights
  BridgeQuality quality;
  BridgeChoiceOptions options;
};

struct BridgeForecast {
  double success = 0;     ///< probability of bridged > margin x direct
  double gain = 0;        ///< expected bridged - direct
  double gain_error = 0;  ///< its standard error
};

struct BridgeChoiceFit {
  BridgeChoice choice;
  std::vector<BridgeForecast> held_out;  ///< of each example, learned from the other targets
};

/// Logistic regression by Newton steps, and ridge regression. With `quadratic` auto and `ridge` 0
/// either takes what does best on targets held out, by log-likelihood and by squared error. Where
/// no example or all of them succeed, only the constant is learned. Error for fewer than 10
/// examples, fewer than 2 targets, or numbers that are not finite. O(examples) times a few
/// thousand.
BridgeChoiceFit fit_bridge_choice(std::span<const BridgeExample> examples,
                                  const BridgeChoiceOptions& options = {});

/// Inputs beyond those seen count as the nearest ones seen, so nothing is extrapolated; the error
/// grows with how unusual they are, and is `quality.gain_error` for usual ones.
BridgeForecast predict(const BridgeChoice& choice, const BridgeTraits& traits);

/// A model file of kind "bridge-choice". Error if its parts do not fit together.
void save(const BridgeChoice& choice, const std::filesystem::path& path);
BridgeChoice load_bridge_choice(const TensorFile& file);

/// The same as readable text, to the bit.
std::string to_json(const BridgeChoice& choice);
BridgeChoice bridge_choice_from_json(std::string_view text);

}  // namespace commonplace::transfer
