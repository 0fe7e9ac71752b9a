#include "commonplace/features/tfidf.h"

#include <cmath>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

constexpr const char* kTextKind = "tfidf";
constexpr const char* kTagsKind = "tags";
constexpr int kLayout = 1;

TfidfFit weighed(TermCounts counted, const TfidfOptions& options, bool of_tags) {
  SelectedTerms selected = select_terms(std::move(counted), options.terms);
  TfidfFit fit;
  fit.model.idf = inverse_document_frequency(selected.vocabulary, options.weights);
  fit.model.vocabulary = std::move(selected.vocabulary);
  fit.model.options = options;
  fit.model.of_tags = of_tags;
  fit.matrix = std::move(selected.counts);
  weigh(fit.matrix, fit.model.idf, options.weights);
  return fit;
}

/// A source of exactly one value.
template <class Value, class Given>
auto once(const Given& given) {
  return [&given, done = false](Value& value) mutable {
    if (std::exchange(done, true)) return false;
    value.assign(given.begin(), given.end());
    return true;
  };
}

Vocabulary load_vocabulary(const TensorFile& file, bool of_tags) {
  Vocabulary vocabulary;
  std::string previous;
  for (const std::string& term : file.strings("terms")) {
    require(previous < term, file.name(), ": the model's terms are not ascending at \"", term,
            "\"; the file is damaged");
    vocabulary.terms.add(term);
    previous = term;
  }
  const auto frequency = file.longs("document_frequency");
  vocabulary.document_frequency.assign(frequency.begin(), frequency.end());
  if (of_tags) vocabulary.shown = file.strings("shown");
  const auto documents = file.longs("documents");
  require(documents.size() == 1 && documents[0] >= 0, file.name(),
          ": the model does not tell how many documents it has seen; the file is damaged");
  vocabulary.documents = documents[0];
  const auto terms = static_cast<std::size_t>(vocabulary.size());
  require(terms > 0 && frequency.size() == terms && (!of_tags || vocabulary.shown.size() == terms),
          file.name(), ": the model's vocabulary has ", terms, " terms, ", frequency.size(),
          " frequencies and ", vocabulary.shown.size(),
          " names, which do not fit; the file is damaged");
  return vocabulary;
}

/// The file of a model, which must outlive the writer.
TensorWriter describe(const TfidfModel& model) {
  TensorWriter writer;
  describe_model(writer, model.of_tags ? kTagsKind : kTextKind, kLayout,
                 options_to_json(model.options));
  writer.add_strings("terms", model.vocabulary.terms.strings());
  if (model.of_tags) writer.add_strings("shown", model.vocabulary.shown);
  writer.add("document_frequency", std::span(model.vocabulary.document_frequency));
  writer.add("documents", std::span<const std::int64_t>(&model.vocabulary.documents, 1));
  writer.add("idf", std::span(model.idf));
  return writer;
}

}  // namespace

std::vector<float> inverse_document_frequency(const Vocabulary& vocabulary,
                                              const WeightOptions& options) {
  std::vector<float> result;
  result.reserve(vocabulary.document_frequency.size());
  const double one = options.smooth ? 1 : 0;
  const double documents = static_cast<double>(vocabulary.documents) + one;
  for (const std::int64_t frequency : vocabulary.document_frequency)
    result.push_back(
        options.idf
            ? static_cast<float>(std::log(documents / (static_cast<double>(frequency) + one)) + 1)
            : 1.0F);
  return result;
}

void weigh(Sparse& counts, std::span<const float> idf, const WeightOptions& options) {
  require(static_cast<std::int64_t>(idf.size()) == counts.columns, "there are ", idf.size(),
          " weights for ", counts.columns, " columns");
  for (std::size_t i = 0; i < counts.values.size(); ++i) {
    const double count = counts.values[i];
    const double tf = options.sublinear && count > 0 ? 1 + std::log(count) : count;
    counts.values[i] = static_cast<float>(tf * idf[static_cast<std::size_t>(counts.indices[i])]);
  }
  if (options.normalise) normalise_rows(counts, 1);
}

TfidfFit fit_tfidf(const TextSource& texts, const TfidfOptions& options, int jobs,
                   const Progress& progress) {
  check(options.terms);
  return fit_tfidf(count_words(texts, options.tokens, jobs, progress), options);
}

TfidfFit fit_tfidf(TermCounts words, const TfidfOptions& options) {
  check(options.terms);
  return weighed(std::move(words), options, false);
}

TfidfFit fit_tags(const TagSource& tags, const TfidfOptions& options, const Progress& progress) {
  check(options.terms);
  return weighed(count_tags(tags, progress), options, true);
}

Sparse encode(const TfidfModel& model, const TextSource& texts, int jobs,
              const Progress& progress) {
  require(!model.of_tags, "this model is of tags, not of text; encode tags with it");
  Sparse rows =
      count_known_words(model.vocabulary.terms, texts, model.options.tokens, jobs, progress);
  weigh(rows, model.idf, model.options.weights);
  return rows;
}

Sparse encode(const TfidfModel& model, std::string_view text) {
  return encode(model, once<std::string>(text), 1);
}

Sparse encode_tags(const TfidfModel& model, const TagSource& tags) {
  require(model.of_tags, "this model is of text, not of tags; encode text with it");
  Sparse rows = count_known_tags(model.vocabulary.terms, tags);
  weigh(rows, model.idf, model.options.weights);
  return rows;
}

Sparse encode_tags(const TfidfModel& model, std::span<const TagCount> tags) {
  return encode_tags(model, once<std::vector<TagCount>>(tags));
}

void save(const TfidfModel& model, const std::filesystem::path& path) {
  describe(model).write(path);
}

std::string to_bytes(const TfidfModel& model) { return describe(model).bytes(); }

TfidfModel load_tfidf(const TensorFile& file) {
  TfidfModel model;
  model.of_tags = file.metadata("kind") == kTagsKind;
  require_kind(file, model.of_tags ? kTagsKind : kTextKind, kLayout);
  model.options = options_from_json<TfidfOptions>(file.metadata("options"));
  check(model.options.terms);
  if (!model.of_tags) Tokenizer checked(model.options.tokens);
  model.vocabulary = load_vocabulary(file, model.of_tags);
  const auto idf = file.floats("idf");
  require(static_cast<std::int64_t>(idf.size()) == model.vocabulary.size(), file.name(),
          ": the model has ", idf.size(), " weights for ", model.vocabulary.size(),
          " terms; the file is damaged");
  for (const float weight : idf)
    require(std::isfinite(weight), file.name(), ": the model has a weight of ", weight,
            "; the file is damaged");
  model.idf.assign(idf.begin(), idf.end());
  return model;
}

}  // namespace commonplace
