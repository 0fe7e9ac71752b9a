#include "commonplace/suggest/model.h"

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"

namespace commonplace::suggest {
namespace {

constexpr int kLayout = 1;

}  // namespace

void save(const Model& model, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kModelKind, kLayout, options_to_json(model.options));
  writer.set("collection", model.collection);
  writer.set("state", model.state);
  writer.set("control", to_json(model.control));
  writer.add_strings("tags", model.tags);
  writer.add_strings("known.ids", model.known_ids);
  add_evidence(writer, model.evidence);
  add_suggester(writer, model.suggester);
  add_naming(writer, model.naming);
  writer.write(path);
}

Model load_model(const TensorFile& file) {
  require_kind(file, kModelKind, kLayout);
  Model model;
  model.options = options_from_json<ModelOptions>(file.metadata("options"));
  model.collection = file.metadata("collection");
  model.state = file.metadata("state");
  model.control = tag_control_from_json(file.metadata("control"));
  model.tags = file.strings("tags");
  model.known_ids = file.strings("known.ids");
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
