#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/suggest/ask.h"

namespace commonplace::suggest {

struct ApplyOptions {
  double above = 0.9;               ///< least confidence
  std::int64_t limit_per_item = 5;  ///< the surest
  bool dry_run = false;             ///< find out and write nothing
};

struct Applied {
  std::int64_t items = 0;         ///< that were looked at
  std::int64_t tagged_items = 0;  ///< that got a tag
  std::int64_t tags = 0;          ///< that they got
  std::int64_t before = 0;        ///< tags that this model had given before, now replaced
  std::vector<TagUse> uses;       ///< commonest first
};

/// Writes what the model is sure of as machine tags, with the model's name and the confidence, in
/// place of what that model said of the collection before; all or nothing. What humans say is not
/// touched, and neither what an item has nor what was rejected for it is written. Error for options
/// out of range.
Applied apply(Library& library, const Answerer& suggester, const std::string& collection,
              const ApplyOptions& options, const Run& run);

/// Removes the tags that a suggest model gave to the items of a collection, and says how many.
std::int64_t remove_suggestions(Library& library, const std::string& model,
                                const std::string& collection);

}  // namespace commonplace::suggest
