#include "commonplace/rows/sentence_encoder.h"

#include "commonplace/encode/models.h"

namespace commonplace {

std::vector<EncodedFeatures> encoded_features(const Library& library,
                                              const Collection& collection) {
  std::vector<EncodedFeatures> result;
  for (const FeatureRecord& record : feature_records(library, collection)) {
    if (record.sparse) continue;
    if (const auto name = stored_encoder_name(library, collection, record.name))
      result.push_back({collection, record, *name});
  }
  return result;
}

std::optional<EncoderName> text_half(const EncoderName& pictures) {
  const Encoder encoder = open_encoder(pictures);
  const EncoderModel& model = encoder.model();
  if (!model.reads(Medium::text)) return std::nullopt;
  return EncoderName{pictures.encoder, pictures.folder, Medium::text,
                     fingerprint_of(model, Medium::text)};
}

std::optional<EncoderName> sentence_encoder(const Library& library,
                                            const std::vector<Collection>& collections) {
  std::vector<Collection> all = collections;
  for (const Collection& each : commonplace::collections(library)) all.push_back(each);
  for (const Collection& each : all)
    for (const EncodedFeatures& features : encoded_features(library, each))
      if (features.encoder.of == Medium::text) return features.encoder;
  const EncoderModel* found = nullptr;
  const InstalledModels installed = installed_models(models_folder());
  for (const EncoderModel& model : installed.models) {
    if (!model.reads(Medium::text) || model.reads(Medium::picture)) continue;
    // Sentences before words without context.
    if (found == nullptr || (!found->words.empty() && model.words.empty())) found = &model;
  }
  if (found == nullptr) return std::nullopt;
  return EncoderName{found->name, found->folder.string(), Medium::text,
                     fingerprint_of(*found, Medium::text)};
}

}  // namespace commonplace
