#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/library.h"

namespace commonplace {

/// What is known of a thing that is not in the library.
struct UnseenThing {
  std::string_view text;
  std::string_view picture;  ///< the bytes of its file; empty: none
  std::string called;        ///< what errors call the picture
};

/// Makes dense features of things that are not in the library as those of a collection were made:
/// by an encoder, or as descriptors of pictures. What it needs is opened when it is first asked
/// for. Several threads may ask.
class UnseenFeatures {
 public:
  /// The library must outlive it.
  UnseenFeatures(const Library& library, std::string collection);
  ~UnseenFeatures();

  /// The vector of features `name`; nothing where they are made of what the thing has not, or were
  /// brought from elsewhere. Error if what made them is gone, or the picture cannot be read.
  std::optional<std::vector<float>> of(const std::string& name, const UnseenThing& thing);

 private:
  struct Maker;
  Maker& maker_of(const std::string& name);

  const Library& library_;
  std::string collection_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Maker>> makers_;
};

}  // namespace commonplace
