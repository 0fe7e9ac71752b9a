#include "commonplace/io/model_file.h"

#include <charconv>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

std::string entry(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? std::string() : found->second;
}

}  // namespace

void describe_model(TensorWriter& writer, const std::string& kind, int layout,
                    const std::string& options) {
  require(layout >= 1, "a model's layout is counted from 1, not ", layout);
  writer.set("kind", kind);
  writer.set("layout", std::to_string(layout));
  writer.set("options", options);
}

int require_kind(const TensorFile& file, const std::string& kind, int max_layout) {
  require(entry(file, "format") == "commonplace", file.name(),
          ": is not a model of Commonplace; a ", kind, " model is expected");
  require(entry(file, "kind") == kind, file.name(), ": is a model of kind '", entry(file, "kind"),
          "'; '", kind, "' is expected");
  const std::string& text = file.metadata("layout");
  int layout = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), layout);
  require(error == std::errc() && end == text.data() + text.size() && layout >= 1, file.name(),
          ": has the layout '", text, "', which is not a number from 1");
  require(layout <= max_layout, file.name(), ": has layout ", layout, " of ", kind,
          " models, written by version ", entry(file, "library_version"),
          "; this version reads up to ", max_layout, ", so update Commonplace or train again");
  return layout;
}

}  // namespace commonplace
