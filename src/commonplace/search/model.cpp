#include "commonplace/search/model.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/eval/tune.h"
#include "commonplace/io/tensors.h"
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

void check_values(const Model& model, const TensorFile& file) {
  const Borrowing& borrowing = model.borrowing;
  require(model.vocabulary.size() > 0 && !model.lending.empty(), file.name(), ": the model has ",
          model.vocabulary.size(), " terms of ", model.lending.size(),
          " collections; the file is damaged");
  for (const std::int32_t place : model.lender_collections)
    require(place >= 0 && place < std::ssize(model.lending), file.name(),
            ": a lender is of no collection; the file is damaged");
  const BorrowingWeights& weights = borrowing.weights;
  for (const double weight : {weights.topics, weights.lift, weights.ridge, weights.votes})
    require(std::isfinite(weight) && weight >= 0, file.name(),
            ": a way of borrowing has the weight ", weight, "; the file is damaged");
  for (const float value : borrowing.idf)
    require(value > 0, file.name(), ": a weight of a term is not positive; the file is damaged");
  for (const float value : borrowing.lenders.values)
    require(value >= 0, file.name(), ": a lender's term has the weight ", value,
            "; the file is damaged");
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

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Model>
static void visit_tensors(Self& model, Visit&& visit) {
  auto& vocabulary = model.vocabulary;
  auto& borrowing = model.borrowing;
  visit("lending", model.lending);
  visit("terms", vocabulary.terms);
  const std::int64_t terms = vocabulary.size();
  visit("terms.shown", vocabulary.shown);
  visit("terms.documents", vocabulary.document_frequency, TensorShape{terms});
  visit("documents", vocabulary.documents);
  visit("idf", borrowing.idf, TensorShape{terms});
  visit("basis", borrowing.subspace.basis, TensorShape{terms});
  visit("lenders", borrowing.lenders, TensorShape{-1, terms});
  const TensorShape lenders{borrowing.lenders.rows()};
  visit("lenders.ids", model.lender_ids, lenders);
  visit("lenders.collections", model.lender_collections, lenders);
}

void save(const Model& model, const std::filesystem::path& path) {
  TensorWriter writer = model_writer(model, kModelKind, kModelLayout);
  writer.set("target", model.target);
  writer.set("weights", options_to_json(model.borrowing.weights));
  writer.set("blocks", to_text(model.borrowing.subspace.blocks));
  add_associations(writer, model.borrowing.associations);
  writer.write(path);
}

Model load_model(const TensorFile& file) {
  auto model = read_model<Model>(file, kModelKind, kModelLayout,
                                 [](const ModelOptions& options) { check(options); });
  model.target = file.metadata("target");
  const std::vector<std::string>& shown = model.vocabulary.shown;
  require(shown.empty() || std::ssize(shown) == model.vocabulary.size(), file.name(), ": ",
          shown.size(), " names do not fit ", model.vocabulary.size(),
          " terms; the file is damaged");
  Borrowing& borrowing = model.borrowing;
  borrowing.weights = options_from_json<BorrowingWeights>(file.metadata("weights"));
  borrowing.neighbours = model.options.neighbours;
  borrowing.subspace.blocks = blocks_from_text(file.metadata("blocks"));
  borrowing.subspace.options = model.options.subspace;
  check(borrowing.subspace, file.name());
  borrowing.associations = read_associations(file, model.vocabulary.size());
  check_values(model, file);
  return model;
}

}  // namespace commonplace::search
