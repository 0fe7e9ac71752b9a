#include <algorithm>
#include <memory>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/open_library.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/rows/encoder_features.h"
#include "commonplace/rows/image_features.h"
#include "commonplace/rows/text_features.h"

namespace commonplace::app {
namespace features_cli {

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::string name;
  std::string from;
  std::string ids;
  bool text = false;
  bool tags = false;
  bool plsa = false;
  bool relearn = false;
  TfidfOptions tfidf;
  PlsaOptions plsa_options;
  ImageFeatureOptions image;
  EncoderFeatureOptions encoder;
  bool float32 = false;

  Arguments() { image.image.clear(); }  // none is asked for
};

/// The seed is one flag for all that starts at random.
struct FlagsButSeed {
  FlagMaker make;

  template <class Value>
  void operator()(const char* name, Value& value, const char* help) const {
    if (std::string_view(name) != "seed") make(name, value, help);
  }
};

nlohmann::ordered_json as_json(const FeatureRecord& record) {
  return {{"name", record.name},     {"kind", record.sparse ? "sparse" : "dense"},
          {"rows", record.rows},     {"columns", record.columns},
          {"source", record.source}, {"file", record.file.string()}};
}

int list(const Arguments& arguments) {
  const Library library(arguments.library);
  const Collection chosen = collection(library, arguments.collection);
  const std::vector<FeatureRecord> records = feature_records(library, chosen);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const FeatureRecord& record : records) {
    json.push_back(as_json(record));
    rows.push_back({record.name, record.sparse ? "sparse" : "dense",
                    with_commas(record.rows) + " x " + with_commas(record.columns), record.source});
  }
  if (arguments.json) {
    print_json({{"collection", chosen.name}, {"items", chosen.items}, {"features", json}});
  } else if (rows.empty()) {
    say(arguments, "Collection '" + chosen.name + "' has no features yet; see --help.");
  } else {
    print_table({"FEATURES", "KIND", "SIZE", "FROM"}, rows);
  }
  return kSuccess;
}

MadeFeatures make(Arguments& arguments, Library& library, const Run& run) {
  const Collection chosen = collection(library, arguments.collection);
  auto name = [&](const char* usual) { return arguments.name.empty() ? usual : arguments.name; };
  if (!arguments.from.empty()) {
    require(!arguments.name.empty(), "--from needs --name NAME to call the features by");
    return take_features(library, chosen, arguments.name, arguments.from, arguments.ids, run);
  }
  if (arguments.plsa)
    return make_topics(library, chosen, name("topics"), arguments.tags, arguments.tfidf,
                       arguments.plsa_options, run);
  if (arguments.tags) return make_tag_features(library, chosen, name("tags"), arguments.tfidf, run);
  return make_text_features(library, chosen, name("text"), arguments.tfidf, run);
}

void say_made(const Arguments& arguments, const FeatureRecord& record, const std::string& model) {
  say(arguments, "Features '" + record.name + "': " + with_commas(record.rows) + " x " +
                     with_commas(record.columns) + (record.sparse ? ", sparse" : ", dense") +
                     (model.empty() ? "." : "; model '" + model + "'."));
}

nlohmann::ordered_json as_json(const std::vector<SkippedItem>& skipped) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const SkippedItem& each : skipped)
    json.push_back({{"id", each.id}, {"reason", each.reason}});
  return json;
}

void warn_of(const std::vector<SkippedItem>& skipped) {
  constexpr std::size_t shown = 20;
  for (std::size_t i = 0; i < std::min(shown, skipped.size()); ++i)
    warn(skipped[i].id + ": " + skipped[i].reason);
  if (skipped.size() > shown)
    warn("... and " + with_commas(static_cast<std::int64_t>(skipped.size() - shown)) + " more");
}

std::string rate_text(std::int64_t encoded, double seconds, const std::string& unit) {
  if (encoded == 0 || seconds <= 0) return ".";
  return "; " + fixed(static_cast<double>(encoded) / seconds, 1) + " " + unit + " a second.";
}

/// What features made of pictures and features made by encoders have in common.
template <class Made>
nlohmann::ordered_json made_json(const Made& made) {
  nlohmann::ordered_json json = as_json(made.record);
  json["model"] = made.model;
  json["encoded"] = made.encoded;
  json["kept"] = made.kept;
  json["seconds"] = made.seconds;
  json["skipped"] = as_json(made.skipped);
  return json;
}

void print_made_of_images(const Arguments& arguments, const MadeImageFeatures& made) {
  if (arguments.json) {
    nlohmann::ordered_json json = made_json(made);
    json["learned"] = made.learned;
    print_json(json);
    return;
  }
  warn_of(made.skipped);
  say_made(arguments, made.record, made.model);
  say(arguments, counted(made.encoded, "picture") + " encoded, " + with_commas(made.kept) +
                     " kept, " + with_commas(std::ssize(made.skipped)) + " skipped" +
                     (made.learned ? "; learned anew" : "") +
                     rate_text(made.encoded, made.seconds, "pictures"));
}

void print_made_by_encoder(const Arguments& arguments, const MadeEncoderFeatures& made) {
  const bool text = made.of == Medium::text;
  if (arguments.json) {
    nlohmann::ordered_json json = made_json(made);
    json["of"] = text ? "text" : "pictures";
    json["empty"] = made.empty;
    print_json(json);
    return;
  }
  warn_of(made.skipped);
  say_made(arguments, made.record, made.model);
  say(arguments, counted(made.encoded, text ? "text" : "picture") + " encoded, " +
                     with_commas(made.kept) + " kept, " +
                     (made.empty > 0 ? with_commas(made.empty) + " without text, " : "") +
                     with_commas(std::ssize(made.skipped)) + " skipped" +
                     rate_text(made.encoded, made.seconds, text ? "texts" : "pictures"));
}

int run_encoder(const Arguments& arguments) {
  EncoderFeatureOptions options = arguments.encoder;
  options.anew = arguments.relearn;
  if (arguments.float32) options.numbers = NpyNumbers::float32;
  Library library = open_to_write(arguments, arguments.library);
  // A folder is called by its name.
  const std::filesystem::path named = std::filesystem::path(options.encoder + "/").parent_path();
  MadeEncoderFeatures made;
  {
    ProgressBar bar(arguments);
    made = make_encoder_features(
        library, collection(library, arguments.collection),
        arguments.name.empty() ? named.filename().string() : arguments.name, options, bar.run());
  }
  print_made_by_encoder(arguments, made);
  return made.skipped.empty() ? kSuccess : kSomeSkipped;
}

int run_images(const Arguments& arguments) {
  ImageFeatureOptions options = arguments.image;
  options.seed = arguments.plsa_options.seed;
  Library library = open_to_write(arguments, arguments.library);
  MadeImageFeatures made;
  {
    ProgressBar bar(arguments);
    made = make_image_features(library, collection(library, arguments.collection),
                               arguments.name.empty() ? options.image : arguments.name, options,
                               arguments.relearn, bar.run());
  }
  print_made_of_images(arguments, made);
  return made.skipped.empty() ? kSuccess : kSomeSkipped;
}

int run(Arguments& arguments) {
  if (!arguments.encoder.encoder.empty()) return run_encoder(arguments);
  if (!arguments.image.image.empty()) return run_images(arguments);
  if (arguments.from.empty() && !arguments.text && !arguments.tags && !arguments.plsa) {
    require(arguments.name.empty() && !arguments.relearn,
            "say what to make the features of: --encoder, --from, --text, --tags or --image");
    return list(arguments);
  }
  Library library = open_to_write(arguments, arguments.library);
  MadeFeatures made;
  {
    ProgressBar bar(arguments);
    made = make(arguments, library, bar.run());
  }
  if (arguments.json) {
    nlohmann::ordered_json json = as_json(made.record);
    if (!made.model.empty()) json["model"] = made.model;
    if (made.report.iterations > 0)
      json["report"] = {{"iterations", made.report.iterations},
                        {"converged", made.report.converged},
                        {"objective", made.report.objective}};
    print_json(json);
    return kSuccess;
  }
  say_made(arguments, made.record, made.model);
  if (made.report.iterations > 0)
    say(arguments, (made.report.converged ? "Converged after " : "Stopped, not converged, after ") +
                       counted(made.report.iterations, "iteration") + ".");
  return kSuccess;
}

}  // namespace features_cli

void add_features(CLI::App& app) {
  using namespace features_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "features",
      "Give a collection features: by encoders, vectors of your own, words, tags, topics or "
      "pictures",
      "  commonplace features ~/library notes --encoder minilm\n"
      "  commonplace features ~/library photos --encoder resnet50\n"
      "  commonplace features ~/library photos --encoder ~/clip --of pictures --name clip\n"
      "  commonplace features ~/library photos --name clip --from vectors.npy\n"
      "  commonplace features ~/library photos --name clip --from vectors.csv --ids names.txt\n"
      "  commonplace features ~/library photos --name clip --from parts/\n"
      "  commonplace features ~/library notes --text --language english --stem --stop-words\n"
      "  commonplace features ~/library photos --tags\n"
      "  commonplace features ~/library photos --tags --plsa --topics 50\n"
      "  commonplace features ~/library photos --image sift\n"
      "  commonplace features ~/library photos --image gist --dim 256 --name look\n"
      "  commonplace features ~/library photos --image sift --relearn\n"
      "  commonplace features ~/library photos           (lists what there is)",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->collection, "The collection")->required();
  command->add_option("--name", arguments->name, "What to call the features");
  CLI::Option* from = command->add_option(
      "--from", arguments->from,
      "Vectors, one row per item: .npy, .csv or .tsv (also .gz), or a folder of such parts");
  command->add_option("--ids", arguments->ids, "A file whose line r is the id of row r")
      ->needs(from);
  CLI::Option* text = command->add_flag("--text", arguments->text, "tf-idf of title and text");
  CLI::Option* tags =
      command->add_flag("--tags", arguments->tags, "tf-idf of the tags")->excludes(from, text);
  CLI::Option* plsa =
      command->add_flag("--plsa", arguments->plsa, "pLSA topics, of --text (default) or --tags")
          ->excludes(from);
  visit_options(arguments->tfidf, FlagMaker{command, "Words and tags"});
  visit_options(arguments->plsa_options, FlagMaker{command, "Topics (--plsa)"});
  add_checkpoint(*command, arguments->plsa_options.checkpoint)->needs(plsa);
  visit_options(arguments->image, FlagsButSeed{{command, "Pictures (--image)"}});
  CLI::Option* image = command->get_option("--image")->excludes(from, text, tags, plsa);
  constexpr const char* kEncoders = "Encoders (--encoder)";
  CLI::Option* encoder =
      command
          ->add_option("--encoder", arguments->encoder.encoder,
                       "what an encoder of texts or pictures says: one that 'commonplace models' "
                       "lists, or its folder")
          ->excludes(from, text, tags, plsa, image)
          ->group(kEncoders);
  command
      ->add_option("--of", arguments->encoder.of,
                   "text or pictures; the default is what the encoder reads, pictures first")
      ->needs(encoder)
      ->group(kEncoders);
  command
      ->add_option("--runtime", arguments->encoder.runtime,
                   "ONNX Runtime's libonnxruntime.so, or its folder")
      ->needs(encoder)
      ->group(kEncoders);
  command
      ->add_flag("--float32", arguments->float32,
                 "keep four bytes a number rather than two (float16)")
      ->needs(encoder)
      ->group(kEncoders);
  command
      ->add_flag("--relearn", arguments->relearn,
                 "learn visual words and axes anew, and encode all pictures (with --encoder: all "
                 "items)")
      ->excludes(from, text, tags, plsa)
      ->group("Pictures (--image)");
}

}  // namespace commonplace::app
