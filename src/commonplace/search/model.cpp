#include "commonplace/search/model.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/eval/tune.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/search/core/topic_blocks.h"

namespace commonplace::search {
namespace {

constexpr int kModelLayout = 1;
constexpr int kMostTopics = 4096;

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 6 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

Vocabulary read_vocabulary(const TensorFile& file) {
  Vocabulary vocabulary;
  for (const std::string& term : file.strings("terms")) vocabulary.terms.add(term);
  vocabulary.shown = file.strings("terms.shown");
  const auto frequency = file.longs("terms.documents");
  vocabulary.document_frequency.assign(frequency.begin(), frequency.end());
  const auto documents = file.longs("documents");
  require(!frequency.empty() && std::ssize(frequency) == vocabulary.size() &&
              (vocabulary.shown.empty() || std::ssize(vocabulary.shown) == vocabulary.size()) &&
              documents.size() == 1,
          file.name(), ": the parts of its vocabulary do not fit together; the file is damaged");
  vocabulary.documents = documents[0];
  return vocabulary;
}

void check_fits(const Model& model, const TensorFile& file) {
  const std::int64_t terms = model.vocabulary.size();
  const Borrowing& borrowing = model.borrowing;
  require(borrowing.terms() == terms && borrowing.subspace.basis.rows() == terms &&
              borrowing.lenders.columns == terms &&
              std::ssize(model.lender_ids) == borrowing.lenders.rows() &&
              model.lender_collections.size() == model.lender_ids.size() && !model.lending.empty(),
          file.name(), ": the parts of the model do not fit together; the file is damaged");
  for (const std::int32_t place : model.lender_collections)
    require(place >= 0 && place < std::ssize(model.lending), file.name(),
            ": a lender is of no collection; the file is damaged");
  const BorrowingWeights& weights = borrowing.weights;
  for (const double weight : {weights.topics, weights.lift, weights.ridge, weights.votes})
    require(std::isfinite(weight) && weight >= 0, file.name(),
            ": a way of borrowing has the weight ", weight, "; the file is damaged");
  for (const float value : borrowing.idf)
    require(std::isfinite(value) && value > 0, file.name(),
            ": a weight of a term is not positive; the file is damaged");
  for (const float value : borrowing.lenders.values)
    require(std::isfinite(value) && value >= 0, file.name(), ": a lender's term has the weight ",
            value, "; the file is damaged");
}

}  // namespace

void check(const ModelOptions& options) {
  tuning_budget(options.budget);
  require(options.rank >= 1 && options.rank <= kMostTopics, "rank is ", options.rank,
          "; expected 1 .. ", kMostTopics);
  require(options.auxiliary_rank >= 1 && options.auxiliary_rank <= kMostTopics,
          "auxiliary_rank is ", options.auxiliary_rank, "; expected 1 .. ", kMostTopics);
  const int most = std::min(options.rank, options.auxiliary_rank);
  require(options.shared == "auto" || options.shared == "rule" || options.shared == "rank" ||
              is_number(options.shared),
          "shared is '", options.shared, "'; expected auto, rule, rank or a number of topics");
  require(!is_number(options.shared) || std::stoi(options.shared) + options.pairwise <= most,
          "shared is ", options.shared, " and pairwise ", options.pairwise,
          ", but a collection has only ", most, " topics; share fewer or give greater ranks");
  require(options.pairwise >= 0 && options.pairwise <= most, "pairwise is ", options.pairwise,
          "; expected 0 .. ", most);
  require(options.neighbours >= 0 && options.neighbours <= 10000, "neighbours is ",
          options.neighbours, "; expected 0 .. 10,000");
  require(options.terms.min_items >= 1, "min_documents is ", options.terms.min_items,
          "; expected 1 or more");
}

void save(const Model& model, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kModelKind, kModelLayout, options_to_json(model.options));
  writer.set("target", model.target);
  writer.set("weights", options_to_json(model.borrowing.weights));
  writer.add_strings("lending", model.lending);
  writer.add_strings("terms", model.vocabulary.terms.strings());
  writer.add_strings("terms.shown", model.vocabulary.shown);
  writer.add("terms.documents", std::span<const std::int64_t>(model.vocabulary.document_frequency));
  writer.add("documents", std::span<const std::int64_t>(&model.vocabulary.documents, 1));
  writer.add("idf", std::span<const float>(model.borrowing.idf));
  writer.set("blocks", to_text(model.borrowing.subspace.blocks));
  writer.add("basis", model.borrowing.subspace.basis);
  add_associations(writer, model.borrowing.associations);
  writer.add_sparse("lenders", model.borrowing.lenders.view());
  writer.add_strings("lenders.ids", model.lender_ids);
  writer.add("lenders.collections", std::span<const std::int32_t>(model.lender_collections));
  writer.write(path);
}

Model load_model(const TensorFile& file) {
  require_kind(file, kModelKind, kModelLayout);
  Model model;
  model.options = options_from_json<ModelOptions>(file.metadata("options"));
  check(model.options);
  model.target = file.metadata("target");
  model.lending = file.strings("lending");
  model.vocabulary = read_vocabulary(file);
  Borrowing& borrowing = model.borrowing;
  const auto idf = file.floats("idf");
  borrowing.idf.assign(idf.begin(), idf.end());
  borrowing.weights = options_from_json<BorrowingWeights>(file.metadata("weights"));
  borrowing.neighbours = model.options.neighbours;
  borrowing.subspace = {file.matrix("basis"), blocks_from_text(file.metadata("blocks")),
                        model.options.subspace};
  check(borrowing.subspace, file.name());
  borrowing.associations = read_associations(file, model.vocabulary.size());
  borrowing.lenders = copy(file.sparse("lenders"));
  model.lender_ids = file.strings("lenders.ids");
  const auto places = file.ints("lenders.collections");
  model.lender_collections.assign(places.begin(), places.end());
  check_fits(model, file);
  return model;
}

}  // namespace commonplace::search
