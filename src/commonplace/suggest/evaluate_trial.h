#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/library/library.h"
#include "commonplace/suggest/model.h"

namespace commonplace::suggest {

/// Items to learn from, and items to be asked for afterwards.
struct Trial {
  StoredRows train;   ///< items x features, raw
  Sparse train_tags;  ///< items x tags, 1 where the item has the tag
  StoredRows test;
  Sparse test_tags;
  std::vector<std::int64_t> blocks{};  ///< as SuggesterData has them
  std::int64_t untagged = 0;  ///< items of the second part that nobody tagged, left out of it
  /// Of a split in time: the test is in the order of its times, which are later than these. Empty:
  /// items were drawn.
  std::vector<std::string> times{};
  /// Items of the first part whose tags are all too rare, as SuggesterData has them.
  StoredRows strange{};
  std::vector<std::string> strange_times{};
  std::int64_t min_uses = 1;
  NamedTags names{};  ///< as SuggesterData has them
};

/// From two files of sparse features and tags (XC or svmlight, also .gz). Tags are matched by name,
/// and those that no item of `train` has are left out: they cannot be suggested, and count against
/// everyone alike as nothing. Items without tags are left out of both: nobody said what they show.
/// Error if the files do not fit together.
Trial read_trial(const std::filesystem::path& train, const std::filesystem::path& test);

/// How the items of a collection are split.
struct SplitOptions {
  std::string split = "random";  ///< or time: the newest are asked for
  double test_share = 0;  ///< that is asked for; 0: 0.3 of a random split, half of one in time
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, SplitOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("split", options.split, "of a collection: random, or time: the newest are asked for");
  visit("test_share", options.test_share,
        "share of the items asked for; 0: 0.3 of a random split, half of one in time");
}

/// The collection's tagged items in two parts for evaluate. Tags are those that learning
/// from the first part would have, and items of the second have no word that none of the first has.
/// Collective.
Trial split_collection(const Library& library, const std::string& collection,
                       const ModelOptions& options, const SplitOptions& how, const Run& run);

}  // namespace commonplace::suggest
