#include "commonplace/rows/shared_encoder.h"

#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace commonplace {
namespace {

/// A search of several collections asks for the same text, and a user for the last ones again.
constexpr std::size_t kRemembered = 64;

}  // namespace

struct SharedEncoder::Parts {
  explicit Parts(Encoder opened) : encoder(std::move(opened)) {}
  std::mutex mutex;
  Encoder encoder;
  std::deque<std::pair<std::string, Eigen::RowVectorXf>> remembered;
};

SharedEncoder::SharedEncoder(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SharedEncoder::~SharedEncoder() = default;

std::shared_ptr<SharedEncoder> SharedEncoder::open(const EncoderName& name, int jobs) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<SharedEncoder>> opened;
  const std::scoped_lock lock(mutex);
  std::weak_ptr<SharedEncoder>& known = opened[name.folder + '\n' + name.fingerprint];
  if (std::shared_ptr<SharedEncoder> encoder = known.lock()) return encoder;
  const std::shared_ptr<SharedEncoder> encoder(
      new SharedEncoder(std::make_unique<Parts>(open_encoder(name, {{}, {}, jobs}))));
  known = encoder;
  return encoder;
}

Eigen::RowVectorXf SharedEncoder::text(const std::string& text) {
  const std::scoped_lock lock(parts_->mutex);
  for (const auto& [known, vector] : parts_->remembered)
    if (known == text) return vector;
  Eigen::RowVectorXf vector = parts_->encoder.encode_text(text);
  parts_->remembered.emplace_front(text, vector);
  if (parts_->remembered.size() > kRemembered) parts_->remembered.pop_back();
  return vector;
}

Matrix SharedEncoder::texts(const std::vector<std::string>& texts, const Worker::Wait& wait) {
  const std::scoped_lock lock(parts_->mutex);
  std::vector<Tokens> prepared;
  for (const std::string& text : texts) prepared.push_back(parts_->encoder.prepare(text));
  return parts_->encoder.encode(prepared, wait);
}

Eigen::RowVectorXf SharedEncoder::picture(std::string_view bytes, const std::string& called) {
  const std::scoped_lock lock(parts_->mutex);
  return encode_unseen_picture(parts_->encoder, bytes, called);
}

}  // namespace commonplace
