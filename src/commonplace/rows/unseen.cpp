#include "commonplace/rows/unseen.h"

#include "commonplace/rows/encoder_features.h"
#include "commonplace/rows/image_features.h"

namespace commonplace {

/// What makes one kind of features: one of the two, or neither.
struct UnseenFeatures::Maker {
  std::optional<StoredEncoder> encoder;
  std::optional<ImageFeatureModel> descriptors;
};

UnseenFeatures::UnseenFeatures(const Library& library, std::string collection)
    : library_(library), collection_(std::move(collection)) {}
UnseenFeatures::~UnseenFeatures() = default;

UnseenFeatures::Maker& UnseenFeatures::maker_of(const std::string& name) {
  std::unique_ptr<Maker>& maker = makers_[name];
  if (maker) return *maker;
  Maker made;
  if (has_collection(library_, collection_)) {
    const Collection source = collection(library_, collection_);
    if (has_stored_encoder(library_, source, name))
      made.encoder.emplace(stored_encoder(library_, source, name));
    else if (has_stored_image_model(library_, source, name))
      made.descriptors = stored_image_model(library_, source, name);
  }
  maker = std::make_unique<Maker>(std::move(made));
  return *maker;
}

std::optional<std::vector<float>> UnseenFeatures::of(const std::string& name,
                                                     const UnseenThing& thing) {
  const std::scoped_lock lock(mutex_);
  Maker& maker = maker_of(name);
  Eigen::RowVectorXf vector;
  if (maker.encoder && maker.encoder->of == Medium::text && !thing.text.empty())
    vector = encode_unseen_text(maker.encoder->encoder, thing.text);
  else if (maker.encoder && maker.encoder->of == Medium::picture && !thing.picture.empty())
    vector = encode_unseen_picture(maker.encoder->encoder, thing.picture, thing.called);
  else if (maker.descriptors && !thing.picture.empty())
    vector = encode_picture(*maker.descriptors, thing.picture, thing.called);
  else
    return std::nullopt;
  return std::vector<float>(vector.data(), vector.data() + vector.size());
}

}  // namespace commonplace
