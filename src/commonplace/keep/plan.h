#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/library.h"
#include "commonplace/library/upkeep_log.h"

namespace commonplace {

/// What keeping a library up to date is made of, in the order in which people see it.
inline constexpr std::string_view kKeepSteps[] = {
    "files", "thumbnails", "features", "search", "suggestions", "concepts", "tags", "relations"};

enum class KeepState {
  done,     ///< up to date
  due,      ///< something has changed, or it was never done
  waiting,  ///< something has to come first: `why` says what
  away,     ///< its folder cannot be reached now; what is known of it stays
};

/// What there is to do for a collection, or that there is nothing.
struct KeepStep {
  std::string collection;
  std::string step;  ///< one of kKeepSteps
  KeepState state = KeepState::done;
  std::string why;          ///< it is due, waits or is away; empty if it is done
  bool anew = false;        ///< it is learned anew, not brought up to date
  std::int64_t items = 0;   ///< to work on
  double seconds_left = 0;  ///< about
  std::string said;         ///< what was done the last time
  std::string time;         ///< when
  std::string now;          ///< the state that it will be up to date with
};

/// What the work needs to know that is not in the library.
struct KeepTools {
  std::string encoder;  ///< the best that is installed for pictures; empty: none
};
/// Looks for the encoders that are installed. The best reads texts too, so that pictures can be
/// searched in words; among such, the one with the most parameters.
KeepTools keep_tools();

/// The dense features of pictures that are kept up to date: those that were made here, or where
/// there are none that an encoder or a person made, the best that can be.
std::vector<std::string> kept_features(const Library& library, const Collection& collection,
                                       const KeepTools& tools);

/// The model of a kind ("suggest", "detect", "relate") that is kept up to date for a collection:
/// the one that there is, whatever it is called, or the usual name.
std::string kept_model(const Library& library, std::string_view kind,
                       const std::string& collection);

/// All steps of all collections, in the order in which they are done. O(items), and one stat a
/// file.
std::vector<KeepStep> plan_upkeep(const Library& library, const KeepTools& tools);

/// A model is learned anew when more than one in so many of the tagged items that it was learned
/// from has changed, or as many have come; otherwise it is brought up to date.
inline constexpr std::int64_t kAnewShare = 4;
/// As long as fewer than one in so many have changed, and no items, a stored model stays as it is:
/// whoever asks it learns the rest in memory.
inline constexpr std::int64_t kFewShare = 50;
/// Below this many tagged items nothing can be learned from tags.
inline constexpr std::int64_t kLeastTagged = 20;
/// Relations are drawn from this many tagged items on.
inline constexpr std::int64_t kLeastRelated = 100;

}  // namespace commonplace
