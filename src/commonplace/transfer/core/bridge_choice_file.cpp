#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/transfer/core/bridge_choice.h"
#include "commonplace/transfer/core/bridge_choice_check.h"

namespace commonplace {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "bridge-choice";
constexpr int kLayout = 1;

/// The one list of the lists of numbers, for both kinds of file.
template <class Choice, class Visit>
void visit_parts(Choice& choice, Visit&& visit) {
  visit("mean", choice.mean);
  visit("scale", choice.scale);
  visit("lowest", choice.lowest);
  visit("highest", choice.highest);
  visit("precision", choice.precision);
  visit("success", choice.success);
  visit("gain", choice.gain);
}

template <class Quality, class Visit>
void visit_quality(Quality& quality, Visit&& visit) {
  visit("examples", quality.examples);
  visit("successes", quality.successes);
  visit("targets", quality.targets);
  visit("balanced_accuracy", quality.balanced_accuracy);
  visit("balanced_deviation", quality.balanced_deviation);
  visit("target_accuracy", quality.target_accuracy);
  visit("target_auc", quality.target_auc);
  visit("gain_error", quality.gain_error);
  visit("gain_deviation", quality.gain_deviation);
  visit("gain_correlation", quality.gain_correlation);
  visit("success_ridge", quality.success_ridge);
  visit("gain_ridge", quality.gain_ridge);
}

void require_size(const std::vector<double>& part, std::initializer_list<int> sizes,
                  const char* name, const std::string& where) {
  require(
      std::any_of(sizes.begin(), sizes.end(), [&](int size) { return std::ssize(part) == size; }),
      where, ": the part ", name, " of a bridge choice has ", part.size(), " numbers, not ",
      *sizes.begin(), "; the file is damaged");
}

/// Error, beginning with `where`, unless the parts fit together.
void check_parts(const BridgeChoice& choice, const std::string& where) {
  check(choice.options);
  constexpr int measures = kBridgeTraits;
  require_size(choice.mean, {measures}, "mean", where);
  require_size(choice.scale, {measures}, "scale", where);
  require_size(choice.lowest, {measures}, "lowest", where);
  require_size(choice.highest, {measures}, "highest", where);
  require_size(choice.precision, {measures * measures}, "precision", where);
  for (const auto& [name, part] :
       {std::pair{"success", &choice.success}, std::pair{"gain", &choice.gain}})
    require_size(*part, {kLinearWeights, kQuadraticWeights}, name, where);
  visit_parts(choice, [&](const char* name, const std::vector<double>& part) {
    for (const double value : part)
      if (!std::isfinite(value))
        fail(where, ": the part ", name, " of a bridge choice holds what is not a number; the file",
             " is damaged");
  });
  for (std::size_t i = 0; i < choice.scale.size(); ++i)
    require(choice.scale[i] > 0 && choice.lowest[i] <= choice.highest[i], where,
            ": a measure of a bridge choice has the scale ", choice.scale[i], " and the range ",
            choice.lowest[i], " .. ", choice.highest[i], "; the file is damaged");
  visit_quality(choice.quality, [&](const char* name, double value) {
    require(std::isfinite(value), where, ": ", name,
            " of a bridge choice is not a number; the file is damaged");
  });
  require(choice.quality.targets >= 1 && choice.quality.gain_error >= 0, where,
          ": a bridge choice was learned from ", choice.quality.targets,
          " targets with an error of ", choice.quality.gain_error, "; the file is damaged");
}

double number(const Json& json, const char* name) {
  require(json.is_number(), "bridge choice: ", name, " holds ",
          json.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 100),
          "; expected a number");
  return json.get<double>();
}

const Json& member(const Json& json, const char* name) {
  const auto found = json.find(name);
  require(found != json.end(), "bridge choice: ", name, " is missing");
  return *found;
}

}  // namespace

void check(const BridgeChoiceOptions& options) {
  require(options.inputs == "traits" || options.inputs == "logs", "inputs is \"", options.inputs,
          "\"; expected traits or logs");
  require(options.margin > 0 && std::isfinite(options.margin), "margin is ", options.margin,
          "; expected more than 0, such as 1.03");
  require(options.quadratic == "auto" || options.quadratic == "yes" || options.quadratic == "no",
          "quadratic is \"", options.quadratic, "\"; expected auto, yes or no");
  require(options.ridge >= 0 && std::isfinite(options.ridge), "ridge is ", options.ridge,
          "; expected 0 (to choose it) or more");
  require(options.samples >= 1 && options.samples <= 10000, "samples is ", options.samples,
          "; expected 1 .. 10,000");
  require(options.folds >= 2, "folds is ", options.folds, "; expected 2 or more");
}

void save(const BridgeChoice& choice, const std::filesystem::path& path) {
  check_parts(choice, path.string());
  TensorWriter writer;
  describe_model(writer, kKind, kLayout, options_to_json(choice.options));
  visit_parts(choice, [&](const char* name, const std::vector<double>& part) {
    writer.add(name, std::span<const double>(part));
  });
  std::vector<double> quality;
  visit_quality(choice.quality, [&](const char*, double value) { quality.push_back(value); });
  writer.add("quality", std::span<const double>(quality));
  writer.write(path);
}

BridgeChoice load_bridge_choice(const TensorFile& file) {
  require_kind(file, kKind, kLayout);
  BridgeChoice choice;
  choice.options = options_from_json<BridgeChoiceOptions>(file.metadata("options"));
  visit_parts(choice, [&](const char* name, std::vector<double>& part) {
    const auto numbers = file.doubles(name);
    part.assign(numbers.begin(), numbers.end());
  });
  const auto quality = file.doubles("quality");
  std::size_t at = 0;
  visit_quality(choice.quality, [&](const char* name, double& value) {
    require(at < quality.size(), file.name(), ": ", name, " is missing; the file is damaged");
    value = quality[at++];
  });
  require(at == quality.size(), file.name(), ": ", quality.size(), " numbers of quality, not ", at,
          "; the file is damaged");
  check_parts(choice, file.name());
  return choice;
}

std::string to_json(const BridgeChoice& choice) {
  check_parts(choice, "a bridge choice to write");
  Json json{{"kind", kKind}, {"layout", kLayout}};
  json["options"] = Json::parse(options_to_json(choice.options));
  visit_quality(choice.quality,
                [&](const char* name, double value) { json["quality"][name] = value; });
  visit_parts(choice,
              [&](const char* name, const std::vector<double>& part) { json[name] = part; });
  // A line for each member: arrays of numbers are not for reading one by one.
  std::string text = "{";
  for (const auto& [name, value] : json.items())
    text += (text.size() > 1 ? ",\n " : "\n ") + Json(name).dump() + ": " + value.dump();
  return text + "\n}\n";
}

BridgeChoice bridge_choice_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  require(json.is_object() && json.value("kind", Json()) == kKind,
          "this is not a bridge choice: expected a JSON object of the kind \"", kKind, "\"");
  const Json& layout = member(json, "layout");
  require(layout.is_number_integer() && layout >= 1 && layout <= kLayout,
          "bridge choice: layout is not a number from 1 to ", kLayout,
          "; it may need a newer version");
  BridgeChoice choice;
  choice.options = options_from_json<BridgeChoiceOptions>(
      member(json, "options").dump(-1, ' ', true, Json::error_handler_t::replace));
  const Json& quality = member(json, "quality");
  require(quality.is_object(), "bridge choice: quality is not a JSON object");
  visit_quality(choice.quality, [&](const char* name, double& value) {
    value = number(member(quality, name), name);
  });
  visit_parts(choice, [&](const char* name, std::vector<double>& part) {
    const Json& list = member(json, name);
    require(list.is_array(), "bridge choice: ", name, " is not a list of numbers");
    for (const Json& value : list) part.push_back(number(value, name));
  });
  check_parts(choice, "bridge choice");
  return choice;
}

}  // namespace commonplace
