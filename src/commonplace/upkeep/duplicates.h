#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"

namespace commonplace {

struct DuplicateOptions {
  /// What is compared: pictures, texts, links. Empty: pictures and links of all items, and texts of
  /// those without a picture.
  std::vector<std::string> by;
  double likeness = 0.8;  ///< texts that have so much in common are near-identical; in (0, 1]
};

/// One of those that are the same.
struct Duplicate {
  std::string collection;
  std::string id;
  std::string title;
  std::vector<std::string> tags;
  std::string time;
  std::string address;     ///< of the web, if it has one
  std::int64_t width = 0;  ///< of the picture, as it is shown; 0 where its file does not say
  std::int64_t height = 0;
  std::string format;      ///< of the picture: JPEG, PNG, ...
  std::int64_t bytes = 0;  ///< of the picture's file, or of the text
  bool best = false;       ///< the one to keep, if only one is
  /// What it is beside the best: "same file", "copy", "smaller", "larger", "crop", "edited"; "same
  /// text", "similar text"; "same address"; "by way of another" where only others link them.
  std::string is;
  double likeness = 1;  ///< to the best: correlation of pictures, shared part of texts
};

struct DuplicateGroup {
  std::string by;                    ///< pictures, texts or links
  std::vector<Duplicate> items;      ///< the best first
  std::vector<std::string> differs;  ///< size, bytes, format, title, tags, time, address
};

struct DuplicateReport {
  std::vector<DuplicateGroup> groups;  ///< largest first
  std::int64_t pictures = 0;           ///< that were compared
  std::int64_t texts = 0;
  std::int64_t links = 0;
  std::int64_t candidates = 0;  ///< pairs that were looked at closely
  struct Skipped {
    std::string collection;
    std::string id;
    std::string reason;
  };
  std::vector<Skipped> skipped;  ///< pictures that cannot be read
  double seconds = 0;
};

/// Groups items that are copies of each other: pictures in other sizes, crops, formats or slightly
/// changed; texts of nearly the same words; spellings of one web address. Items of several
/// collections are compared with each other too. Nothing is changed. Candidates come from buckets
/// of hashes, and of stored encoders' vectors where there are any, never from all pairs: time and
/// memory (about 6 kB a picture, 0.6 kB a text) grow as the items do.
DuplicateReport find_duplicates(const Library& library, const std::vector<Collection>& collections,
                                const DuplicateOptions& options, const Run& run);

std::string to_json(const DuplicateReport& report);

}  // namespace commonplace
