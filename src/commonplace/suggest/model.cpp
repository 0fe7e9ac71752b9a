#include "commonplace/suggest/model.h"

#include <map>
#include <set>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/tensors.h"

namespace commonplace::suggest {
namespace {

constexpr int kLayout = 1;

}  // namespace

void follow_vocabulary(Model& model, const TagMeanings& meanings) {
  if (meanings.empty()) return;
  meanings.rename(model.tags);
  for (Evidence::Source& source : model.evidence.sources) {
    if (!source.is_tags()) continue;
    std::vector<std::string> keys = source.terms.strings();
    meanings.rename(keys);
    TermTable terms;
    for (const std::string& key : keys) terms.add(tag_key(key));
    // Two that are spelt alike now would take each other's place.
    if (terms.size() == source.terms.size()) source.terms = std::move(terms);
  }
  TagControl& control = model.control;
  for (std::set<std::string>* keys : {&control.include, &control.exclude}) {
    std::set<std::string> now;
    for (const std::string& key : *keys)
      if (const std::string name = meanings.now(key); !name.empty()) now.insert(tag_key(name));
    *keys = std::move(now);
  }
  std::map<std::string, std::string> synonyms;
  for (const auto& [from, to] : control.synonyms) {
    const std::string key = tag_key(meanings.now(from));
    const std::string meant = meanings.now(to);
    if (!key.empty() && !meant.empty() && key != tag_key(meant)) synonyms[key] = meant;
  }
  control.synonyms = std::move(synonyms);
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Model>
static void visit_tensors(Self& model, Visit&& visit) {
  visit("tags", model.tags);
  visit("known.ids", model.known_ids);
}

void save(const Model& model, const std::filesystem::path& path) {
  TensorWriter writer = model_writer(model, kModelKind, kLayout);
  writer.set("collection", model.collection);
  writer.set("state", model.state);
  writer.set("control", to_json(model.control));
  add_evidence(writer, model.evidence);
  add_suggester(writer, model.suggester);
  add_naming(writer, model.naming);
  writer.write(path);
}

Model load_model(const TensorFile& file) {
  auto model = read_model<Model>(file, kModelKind, kLayout, [](const ModelOptions&) {});
  model.collection = file.metadata("collection");
  model.state = file.metadata("state");
  model.control = tag_control_from_json(file.metadata("control"));
  model.evidence = load_evidence(file);
  model.suggester = read_suggester(file);
  model.naming = read_naming(file);
  require(std::ssize(model.tags) == model.suggester.tags() &&
              std::ssize(model.known_ids) == model.suggester.known_tags.rows() &&
              model.evidence.columns() == model.suggester.known.view().columns() &&
              model.evidence.is_sparse() == model.suggester.known.is_sparse &&
              model.naming.empty() == model.suggester.names.empty() &&
              (model.naming.empty() || model.naming.texts.size() == model.tags.size()),
          file.name(), ": its parts do not fit together; the file is damaged");
  return model;
}

}  // namespace commonplace::suggest
