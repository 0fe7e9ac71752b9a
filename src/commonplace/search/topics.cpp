#include "commonplace/search/topics.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/top_k.h"
#include "commonplace/library/items/items.h"

namespace commonplace::search {
namespace {

/// The block that a topic is in, and its number within it.
struct TopicPlace {
  std::size_t block = 0;
  int number = 0;
};

TopicPlace place_of(const SharedSubspace& subspace, int topic) {
  TopicPlace place{0, topic};
  while (place.number >= subspace.blocks[place.block].topics)
    place.number -= subspace.blocks[place.block++].topics;
  return place;
}

/// The positions of the greatest positive values.
template <class Column>
std::vector<std::int64_t> foremost(const Column& values, std::size_t count) {
  std::vector<std::int64_t> order = top_k(values.size(), static_cast<std::int64_t>(count),
                                          [&](std::int64_t place) { return values[place]; });
  while (!order.empty() && !(values[order.back()] > 0)) order.pop_back();
  return order;
}

/// Adds the lenders of collection `d` that show its topics most.
void add_lender_examples(const Model& model, int d, std::size_t count, int jobs,
                         std::vector<TopicSummary>& topics) {
  const std::vector<std::string> names = collections_of(model);
  const auto lending =
      std::find(model.lending.begin(), model.lending.end(), names[static_cast<std::size_t>(d)]);
  std::vector<std::size_t> lenders;
  Sparse rows;
  rows.columns = model.borrowing.terms();
  for (std::size_t lender = 0; lender < model.lender_ids.size(); ++lender) {
    if (model.lender_collections[lender] != lending - model.lending.begin()) continue;
    lenders.push_back(lender);
    rows.push_row(model.borrowing.lenders.view(), static_cast<std::int64_t>(lender));
  }
  for (std::size_t i = 0; i < rows.indices.size(); ++i)
    rows.values[i] *= model.borrowing.idf[static_cast<std::size_t>(rows.indices[i])];
  const Matrix codes = encode(model.borrowing.subspace, d, rows.view(), jobs);
  const std::vector<int> columns = model.borrowing.subspace.topics_of(d);
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (const Eigen::Index row : foremost(codes.col(static_cast<Eigen::Index>(i)), count))
      topics[static_cast<std::size_t>(columns[i])].examples.push_back(
          {names[static_cast<std::size_t>(d)],
           model.lender_ids[lenders[static_cast<std::size_t>(row)]]});
}

}  // namespace

std::vector<std::string> collections_of(const Model& model) {
  std::vector<std::string> names = {model.target};
  for (const std::string& name : model.lending)
    if (name != model.target) names.push_back(name);
  return names;
}

TopicSummary topic_summary(const Model& model, int topic, std::size_t terms) {
  const SharedSubspace& subspace = model.borrowing.subspace;
  const std::vector<std::string> names = collections_of(model);
  const TopicPlace place = place_of(subspace, topic);
  TopicSummary summary;
  for (const int member : subspace.blocks[place.block].members)
    summary.members.push_back(names[static_cast<std::size_t>(member)]);
  const bool shared = summary.members.size() == names.size() && names.size() > 1;
  summary.name = concat(shared ? "shared" : join(summary.members), " ", place.number + 1);
  const auto column = subspace.basis.col(topic);
  for (const Eigen::Index term : foremost(column, terms)) {
    summary.terms.emplace_back(model.vocabulary.name(static_cast<std::int32_t>(term)));
    summary.weights.push_back(column[term]);
  }
  return summary;
}

std::vector<TopicSummary> topic_summaries(const Library& library, const Model& model,
                                          const Index& index, std::size_t terms,
                                          std::size_t examples, int jobs) {
  const SharedSubspace& subspace = model.borrowing.subspace;
  std::vector<TopicSummary> topics;
  for (int topic = 0; topic < subspace.basis.cols(); ++topic)
    topics.push_back(topic_summary(model, topic, terms));

  const std::vector<int> own = subspace.topics_of(0);
  const Matrix& codes = index.coded.codes;
  const double total = codes.cast<double>().sum();
  const bool present = has_collection(library, model.target);
  for (std::size_t i = 0; i < own.size(); ++i) {
    TopicSummary& topic = topics[static_cast<std::size_t>(own[i])];
    const auto column = codes.col(static_cast<Eigen::Index>(i));
    topic.share = total > 0 ? column.cast<double>().sum() / total : 0;
    if (!present) continue;
    const Collection target = collection(library, model.target);
    for (std::string& id : ids_of_rows(library, target, foremost(column, examples)))
      topic.examples.push_back({model.target, std::move(id)});
  }
  for (int d = 1; d < subspace.collections(); ++d)
    add_lender_examples(model, d, examples, jobs, topics);
  std::stable_sort(topics.begin(), topics.end(), [](const TopicSummary& a, const TopicSummary& b) {
    return a.members.size() != b.members.size() ? a.members.size() > b.members.size()
                                                : a.share > b.share;
  });
  return topics;
}

}  // namespace commonplace::search
