#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "commonplace/rows/encoder_features.h"

namespace commonplace {

/// An encoder that is open once however many use it, and asked by one at a time.
class SharedEncoder {
 public:
  /// The one of that name, opened by the first who asks. Error if it is gone or another.
  static std::shared_ptr<SharedEncoder> open(const EncoderName& name, int jobs = 0);
  ~SharedEncoder();

  /// A text's vector of length one, or zeros if nothing came of it. The last few are remembered.
  Eigen::RowVectorXf text(const std::string& text);
  /// Those of many.
  Matrix texts(const std::vector<std::string>& texts, const Worker::Wait& wait = {});
  Eigen::RowVectorXf picture(std::string_view bytes, const std::string& called);

 private:
  struct Parts;
  explicit SharedEncoder(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace commonplace
