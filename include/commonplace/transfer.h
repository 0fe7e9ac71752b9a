#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/library.h"

/// Label this collection from that one, which shares nothing with it.
namespace commonplace::api::transfer {

struct Options {
  std::vector<std::string> through{};     ///< collections in between, in their order; empty: choose
  bool direct = false;                    ///< nothing in between
  bool chain = false;                     ///< search the best path
  std::vector<std::string> candidates{};  ///< that may be in between; empty: all others
  std::size_t most = 3;                   ///< collections in between, of a path that is searched
  bool force = false;                     ///< go on where the forecast is that it would harm
  bool dry_run = false;                   ///< find out and write nothing
  double above = 0;                       ///< least probability of a label that is written
  std::string name{};                     ///< of the model; empty: SOURCE-to-TARGET
  Settings settings{};
};

/// What Options::settings may name.
COMMONPLACE_API std::vector<Setting> settings();

struct Prediction {
  std::string item;
  std::string label;
  double probability = 0;
};

/// A collection that a transfer could go through.
struct Bridge {
  std::string name;
  double gain = 0;           ///< that is predicted against direct transfer, as a share of items
  double gain_error = 0;     ///< its standard error
  double success = 0;        ///< probability that it helps
  double shared_source = 0;  ///< shares of features
  double shared_target = 0;
  bool only_way = false;  ///< source and target share nothing, but it shares with both
};

struct Answer {
  std::string model;
  std::vector<std::string> through;
  std::string field;                    ///< of the labels
  std::optional<Bridge> forecast;       ///< of what is in between, if something is
  bool refused = false;                 ///< and nothing was written
  std::string reason;                   ///< for a refusal
  std::vector<Prediction> predictions;  ///< of the items without a label
  std::int64_t known = 0;               ///< items of the target that had a label before
  std::int64_t sure = 0;                ///< predictions that are sure enough to be written
  std::int64_t written = 0;
  double mean_probability = 0;
  double seconds = 0;
  std::string json;  ///< all of it
};

/// Labels the items of `target` that have no label of their own, and stores what it finds as
/// machine labels, in place of what that model said before: called again, it brings them up to
/// date. It refuses where harm is predicted, or where source and target have nothing in common.
COMMONPLACE_API Answer label(Library& library, const std::vector<std::string>& sources,
                             const std::string& target, const Options& options = {},
                             const Run& run = {});
/// Removes what a model said of a collection, and says how many labels that were.
COMMONPLACE_API std::int64_t undo(Library& library, const std::string& model,
                                  const std::string& target);

/// What bridges there are between two ends, the best first.
struct Bridges {
  std::vector<Bridge> ranked;
  std::optional<std::vector<std::string>> chain;  ///< the best path; nothing if there is no way
  std::string advice;                             ///< what the forecasts are learned from
};
COMMONPLACE_API Bridges bridges(const Library& library, const std::vector<std::string>& sources,
                                const std::string& target, const Options& options = {},
                                const Run& run = {});

struct Report {
  std::vector<std::string> collections;
  std::int64_t trials = 0;
  std::string advice;  ///< what the model was learned from
  double seconds = 0;
  std::string json;  ///< all of it
};
/// Tries the labelled collections of a library as bridges between each other and stores what was
/// learned of it, which later forecasts use. Empty: all that have the label. Four at least.
COMMONPLACE_API Report learn(Library& library, const std::vector<std::string>& collections = {},
                             const Settings& settings = {}, const Run& run = {});

}  // namespace commonplace::api::transfer

#ifndef COMMONPLACE_INSIDE
namespace commonplace {
namespace transfer = api::transfer;
}
#endif
