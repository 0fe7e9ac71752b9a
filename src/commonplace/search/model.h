#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/features/vocabulary.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/search/core/borrowing.h"
#include "commonplace/search/terms.h"

namespace commonplace::search {

/// How a search model is learned.
struct ModelOptions {
  int rank = 60;                ///< topics of the target
  int auxiliary_rank = 40;      ///< topics of each auxiliary collection
  std::string shared = "auto";  ///< topics in common: a number, "auto", "rule" or "rank"
  int pairwise = 0;             ///< topics that each auxiliary shares with the target alone
  int neighbours = 100;         ///< so many similar lending items vote
  std::string budget{};         ///< choosing may take so long, such as 30s; empty: as it needs
  TermOptions terms;
  SharedSubspaceOptions subspace;
  AssociationOptions associations;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ModelOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("rank", options.rank, "topics of the target");
  visit("auxiliary_rank", options.auxiliary_rank, "topics of each auxiliary collection");
  visit("shared", options.shared, "topics in common: a number, auto, rule or rank");
  visit("pairwise", options.pairwise, "topics that each auxiliary shares with the target alone");
  visit("neighbours", options.neighbours, "so many similar lending items vote");
  visit("budget", options.budget, "choose for so long at most, such as 30s");
  visit_options(options.terms, visit);
  visit_options(options.subspace, visit);
  visit_options(options.associations, visit);
}

/// Error if an option is out of range.
void check(const ModelOptions& options);

/// All that is needed to search a collection by meaning, also after the lending collections are
/// gone. A plain value.
struct Model {
  std::string target;
  std::vector<std::string> lending;  ///< the collections that lend; the target's own name if none
  Vocabulary vocabulary;
  Borrowing borrowing;
  std::vector<std::string> lender_ids;           ///< per lender: the item's id
  std::vector<std::int32_t> lender_collections;  ///< per lender: its place in `lending`
  ModelOptions options;
};

/// A safetensors file of kind "search".
void save(const Model& model, const std::filesystem::path& path);
/// Error if the file is another kind's or its parts do not fit together.
Model load_model(const TensorFile& file);

inline constexpr const char* kModelKind = "search";

}  // namespace commonplace::search
