#include "commonplace/features/tfidf.h"

#include <cmath>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/io/tensors.h"
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

const char* kind_of(const TfidfModel& model) { return model.of_tags ? kTagsKind : kTextKind; }

}  // namespace

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, TfidfModel>
static void visit_tensors(Self& model, Visit&& visit) {
  visit("terms", model.vocabulary.terms);
  const TensorShape terms{model.vocabulary.size()};
  if (model.of_tags) visit("shown", model.vocabulary.shown, terms);
  visit("document_frequency", model.vocabulary.document_frequency, terms);
  visit("documents", model.vocabulary.documents);
  visit("idf", model.idf, terms);
}

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
  model_writer(model, kind_of(model), kLayout).write(path);
}

std::string to_bytes(const TfidfModel& model) {
  return model_writer(model, kind_of(model), kLayout).bytes();
}

TfidfModel load_tfidf(const TensorFile& file) {
  TfidfModel model;
  model.of_tags = file.metadata("kind") == kTagsKind;
  require_kind(file, kind_of(model), kLayout);
  model.options = options_from_json<TfidfOptions>(file.metadata("options"));
  check(model.options.terms);
  if (!model.of_tags) Tokenizer checked(model.options.tokens);
  visit_tensors(model, TensorLoader{file});
  const Vocabulary& vocabulary = model.vocabulary;
  require(vocabulary.size() > 0 && vocabulary.documents >= 0, file.name(), ": the model has ",
          vocabulary.size(), " terms of ", vocabulary.documents, " documents; the file is damaged");
  for (std::int32_t term = 1; term < vocabulary.size(); ++term)
    require(vocabulary.terms[term - 1] < vocabulary.terms[term], file.name(),
            ": the model's terms are not ascending at \"", vocabulary.terms[term],
            "\"; the file is damaged");
  return model;
}

}  // namespace commonplace
