#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/eval/tune.h"
#include "commonplace/relate/core/rules.h"

namespace commonplace::relate {

/// How a space is learned.
struct ModelOptions {
  ReadOptions read;
  std::string dim = "auto";        ///< coordinates, or auto: as many as help, up to 100
  std::string gamma = "auto";      ///< KIND=GAMMA by commas, one number for all, or auto
  std::string landmarks = "auto";  ///< a number, or auto: up to 1,000
  std::int64_t choose_on = 2000;   ///< items that the choices are made on, at most
  std::string budget{};            ///< choosing may take so long, such as 30s; empty: as it needs
  GuidedProjectionOptions projection;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ModelOptions>
void visit_options(Self& options, Visit&& visit) {
  visit_options(options.read, visit);
  visit("dim", options.dim, "coordinates of the space, or auto");
  visit("gamma", options.gamma, "ridge: KIND=NUMBER by commas, one number for all, or auto");
  visit("landmarks", options.landmarks, "rows that kernels compare with, or auto");
  visit("choose_on", options.choose_on, "make the choices on at most so many items");
  visit("budget", options.budget, "choose for so long at most, such as 30s");
  visit("constraint", options.projection.constraint,
        "what is held fixed: all, first, signed or identity");
  visit("balanced", options.projection.balanced, "subtract the links that chance lets expect");
  visit("max_rounds", options.projection.max_rounds, "rounds of the eigenvalue solver at most");
  visit("seed", options.projection.seed, "seed of the draws");
}

struct Choice {
  std::vector<ModalitySetting> settings;
  std::int64_t dim = 30;
  std::vector<TargetRule> rules;   ///< per modality, as a target
  PlaceRule place_rule;            ///< of the first modality of places; empty if there is none
  double quality = 0;              ///< nDCG of what was asked for, on items held out
  std::string asked;               ///< which modalities that was
  std::vector<TuningTrial> tried;  ///< by that
};

/// Error for options that cannot be.
void check(const ModelOptions& options);

/// What is asked of items held out, to choose by: their tags and labels, else what else they have.
std::vector<std::size_t> asked_modalities(const Data& data);

/// Holds out a fifth of the items, or of a sample of them, and tries kernels, widths, ridges,
/// dimensions and rules on them, one at a time, for as long as that helps. What the user set stays.
/// Every rank chooses by itself, on the same items, and then takes the choice of rank 0.
Choice choose_relation(const Data& data, const ModelOptions& options, const Run& run);

/// Items held out of a space that is learned.
struct HeldOut {
  std::vector<std::vector<std::uint8_t>> held;  ///< per modality, by item
  std::vector<std::vector<std::int64_t>> rows;  ///< per modality: the items held out
};
HeldOut hold_out(const Data& data, double share, std::uint64_t seed);

/// Where the items of `rows` (of the collection of `target`) are by each modality but the target.
Evidence evidence_of(const Data& data, const std::vector<Matrix>& positions, std::size_t target,
                     std::span<const std::int64_t> rows);
/// What these items have of `target`, and where they are by the other modalities; those with none
/// are left out.
KnownItems known_of(const Data& data, const std::vector<Matrix>& positions, std::size_t target,
                    std::span<const std::int64_t> rows);
/// The nodes of a modality that these items have, items x nodes.
Sparse truth_of(const ModalityRows& modality, std::span<const std::int64_t> rows);

}  // namespace commonplace::relate
