#include "commonplace/suggest/names.h"

#include <algorithm>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"
#include "commonplace/library/tags/vocabulary.h"
#include "commonplace/rows/sentence_encoder.h"
#include "commonplace/rows/shared_encoder.h"

namespace commonplace::suggest {
namespace {

/// Names that are encoded at a time.
constexpr std::size_t kBatch = 256;

/// The texts' vectors, by an encoder in a process of its own; zeros for empty texts.
Matrix encode_texts(const EncoderName& encoder, const std::vector<std::string>& texts,
                    const Run& run) {
  const std::shared_ptr<SharedEncoder> shared = SharedEncoder::open(encoder, run.jobs);
  Matrix vectors;
  for (std::size_t begin = 0; begin < texts.size(); begin += kBatch) {
    run.progress({"reading the names of tags", begin, texts.size(), "tags"});
    const auto first = texts.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto count = std::min(kBatch, texts.size() - begin);
    const Matrix some = shared->texts({first, first + static_cast<std::ptrdiff_t>(count)});
    if (begin == 0) vectors = Matrix::Zero(std::ssize(texts), some.cols());
    for (std::size_t i = 0; i < count; ++i)
      if (!texts[begin + i].empty())
        vectors.row(static_cast<Eigen::Index>(begin + i)) = some.row(static_cast<Eigen::Index>(i));
  }
  return vectors;
}

/// "machine-learning" -> "machine learning".
std::string in_words(std::string_view tag) {
  std::string words(tag_leaf(tag));
  std::ranges::replace_if(
      words, [](char each) { return each == '-' || each == '_' || each == '+'; }, ' ');
  return words;
}

}  // namespace

std::optional<NamePlan> plan_names(const Library& library, const Collection& collection,
                                   const Evidence& evidence) {
  const std::vector<std::int64_t> blocks = evidence.blocks();
  std::optional<NamePlan> plan;
  for (std::size_t i = 0; i < evidence.sources.size(); ++i) {
    const Evidence::Source& source = evidence.sources[i];
    if (!source.dense) continue;
    const auto made_by = stored_encoder_name(library, collection, source.name);
    if (!made_by) continue;
    NamePlan found{*made_by, blocks[i], source.columns, false};
    if (made_by->of == Medium::text) return found;
    if (plan) continue;
    std::optional<EncoderName> reads;
    try {
      reads = text_half(*made_by);
    } catch (const Error&) {
      // It is gone; what it said of the pictures still tells.
    }
    found.mapped = !reads;
    if (!reads) reads = sentence_encoder(library, {collection});
    if (!reads) continue;
    found.encoder = *reads;
    plan = std::move(found);
  }
  return plan;
}

std::vector<std::string> texts_of_tags(const Library& library,
                                       const std::vector<std::string>& tags) {
  std::unordered_map<std::string, std::string> said;
  for (const TagEntry& each : described_tags(library)) said[tag_key(each.name)] = each.description;
  std::vector<std::string> texts;
  for (const std::string& tag : tags) {
    texts.push_back(in_words(tag));
    if (const auto found = said.find(tag_key(tag)); found != said.end() && !found->second.empty())
      texts.back() += ": " + found->second;
  }
  return texts;
}

NamedTags read_names(const Library& library, const Collection& collection, const Evidence& evidence,
                     const std::vector<std::string>& tags, Naming& naming, const Run& run) {
  NamedTags named;
  naming = {};
  const std::optional<NamePlan> plan = plan_names(library, collection, evidence);
  if (!plan) return named;
  std::vector<std::string> texts = texts_of_tags(library, tags);
  std::int64_t dimensions = 0;
  on_root(run.comm, [&] {
    try {
      named.vectors = encode_texts(plan->encoder, texts, run);
      dimensions = named.vectors.cols();
    } catch (const Error&) {
      // Without the encoder tags are told by their examples, as ever.
    }
  });
  dimensions = run.comm.broadcast(dimensions, 0);
  if (dimensions == 0 || (!plan->mapped && dimensions != plan->columns)) return {};
  named.vectors.conservativeResize(std::ssize(tags), dimensions);
  run.comm.broadcast(
      std::span(named.vectors.data(), static_cast<std::size_t>(named.vectors.size())), 0);
  named.first = plan->first;
  named.columns = plan->columns;
  named.mapped = plan->mapped;
  naming = {plan->encoder, std::move(texts), vocabulary_state(library)};
  return named;
}

std::int64_t refresh_names(const Library& library, const std::vector<std::string>& tags,
                           Naming& naming, TagNames& names, const Run& run) {
  if (naming.empty() || names.empty()) return 0;
  naming.state = vocabulary_state(library);
  naming.texts.resize(tags.size());
  const Eigen::Index before = names.vectors.rows();
  names.vectors.conservativeResize(std::ssize(tags), Eigen::NoChange);
  names.vectors.bottomRows(names.vectors.rows() - before).setZero();
  const std::vector<std::string> now = texts_of_tags(library, tags);
  std::vector<std::size_t> changed;
  std::vector<std::string> texts;
  for (std::size_t tag = 0; tag < now.size(); ++tag)
    if (now[tag] != naming.texts[tag]) {
      changed.push_back(tag);
      texts.push_back(now[tag]);
    }
  if (changed.empty()) return 0;
  Matrix vectors;
  try {
    vectors = encode_texts(naming.encoder, texts, run);
  } catch (const Error&) {
    return 0;
  }
  if (vectors.cols() != names.vectors.cols()) return 0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    names.vectors.row(static_cast<Eigen::Index>(changed[i])) =
        centred_name(names, vectors.row(static_cast<Eigen::Index>(i)));
    naming.texts[changed[i]] = texts[i];
  }
  return std::ssize(changed);
}

void add_naming(TensorWriter& writer, const Naming& naming) {
  if (naming.empty()) return;
  const EncoderName& encoder = naming.encoder;
  writer.set("naming", json_text(nlohmann::json{{"encoder", encoder.encoder},
                                                {"folder", encoder.folder},
                                                {"of", name_of(encoder.of)},
                                                {"fingerprint", encoder.fingerprint},
                                                {"state", naming.state}}));
  writer.add_strings("naming.texts", naming.texts);
}

Naming read_naming(const TensorFile& file) {
  Naming naming;
  const auto found = file.metadata().find("naming");
  if (found == file.metadata().end()) return naming;
  try {
    const nlohmann::json json = json_from(found->second);
    naming.encoder = {json.at("encoder").get<std::string>(), json.at("folder").get<std::string>(),
                      json.at("of") == "text" ? Medium::text : Medium::picture,
                      json.at("fingerprint").get<std::string>()};
    json.at("state").get_to(naming.state);
  } catch (const nlohmann::json::exception& error) {
    fail(file.name(), ": what read the names of its tags is not told (", error.what(),
         "); the file is damaged");
  }
  naming.texts = file.strings("naming.texts");
  return naming;
}

}  // namespace commonplace::suggest
