#include "commonplace/search/explain.h"

#include <algorithm>

#include "commonplace/search/topics.h"

namespace commonplace::search {
namespace {

constexpr std::size_t kMostReasons = 3;
constexpr std::size_t kTopicTerms = 5;
/// What adds less to a score is no reason.
constexpr double kLeastWeight = 0.05;

bool has_item(const WordPostings& words, const std::string& token, std::int64_t row) {
  const std::int32_t word = words.words.find(token);
  if (word < 0) return false;
  const auto items = words.items.view().row_indices(word);
  return std::binary_search(items.begin(), items.end(), static_cast<std::int32_t>(row));
}

/// The value in that column, or 0.
float value_at(const SparseView& matrix, std::int64_t row, std::int32_t column) {
  const auto columns = matrix.row_indices(row);
  const auto found = std::lower_bound(columns.begin(), columns.end(), column);
  if (found == columns.end() || *found != column) return 0;
  return matrix.row_values(row)[static_cast<std::size_t>(found - columns.begin())];
}

template <class Reason>
void keep_strongest(std::vector<Reason>& reasons) {
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const Reason& a, const Reason& b) { return a.weight > b.weight; });
  if (reasons.size() > kMostReasons) reasons.resize(kMostReasons);
}

/// Where most lenders have both terms, and how many.
void count_together(const Model& model, const SparseView& lenders_by_term, std::int32_t a,
                    std::int32_t b, Reasons::Association& reason) {
  std::vector<std::int64_t> together(model.lending.size());
  const auto left = lenders_by_term.row_indices(a);
  const auto right = lenders_by_term.row_indices(b);
  for (std::size_t l = 0, r = 0; l < left.size() && r < right.size();) {
    if (left[l] == right[r]) {
      const auto lender = static_cast<std::size_t>(left[l++]);
      ++r;
      ++together[static_cast<std::size_t>(model.lender_collections[lender])];
    } else {
      ++(left[l] < right[r] ? l : r);
    }
  }
  const auto most = std::max_element(together.begin(), together.end());
  reason.together = *most;
  reason.collection = model.lending[static_cast<std::size_t>(most - together.begin())];
}

std::vector<Reasons::Association> find_associations(const Index& index, const Model& model,
                                                    const Ranker& ranker, const Ask& ask,
                                                    std::int64_t row) {
  const Borrowing& borrowing = model.borrowing;
  const SparseView items = index.coded.terms.view();
  struct Pair {
    std::int32_t from;
    std::int32_t asked;
    double weight;
  };
  std::vector<Pair> pairs;
  const auto terms = items.row_indices(row);
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (const WeightedTerm& asked : ask.terms) {
      const std::int32_t from = terms[i];
      if (from == asked.term) continue;
      const double lift =
          static_cast<double>(borrowing.associations.unrelated[static_cast<std::size_t>(from)]) +
          static_cast<double>(value_at(borrowing.associations.lift.view(), asked.term, from));
      const double ridge =
          static_cast<double>(value_at(borrowing.associations.ridge.view(), asked.term, from));
      const double weight = static_cast<double>(asked.weight) *
                            static_cast<double>(items.row_values(row)[i]) *
                            (borrowing.weights.lift * lift + borrowing.weights.ridge * ridge);
      if (weight >= kLeastWeight) pairs.push_back({from, asked.term, weight});
    }
  keep_strongest(pairs);
  std::vector<Reasons::Association> reasons;
  for (const Pair& pair : pairs) {
    Reasons::Association& reason = reasons.emplace_back();
    reason.from = model.vocabulary.name(pair.from);
    reason.asked = model.vocabulary.name(pair.asked);
    reason.weight = pair.weight;
    count_together(model, ranker.lenders_by_term().view(), pair.from, pair.asked, reason);
  }
  return reasons;
}

std::vector<Reasons::Neighbour> find_neighbours(const Index& index, const Model& model,
                                                const AskedVectors& vectors, const Ask& ask,
                                                std::int64_t row) {
  struct Vote {
    std::int32_t lender;
    double weight;
  };
  std::vector<Vote> votes;
  const auto lenders = index.coded.votes.view().row_indices(row);
  const auto shares = index.coded.votes.view().row_values(row);
  for (std::size_t i = 0; i < lenders.size(); ++i) {
    const double weight =
        model.borrowing.weights.votes * static_cast<double>(shares[i]) *
        static_cast<double>(vectors.lenders[static_cast<std::size_t>(lenders[i])]);
    if (weight >= kLeastWeight) votes.push_back({lenders[i], weight});
  }
  keep_strongest(votes);
  std::vector<Reasons::Neighbour> reasons;
  for (const Vote& vote : votes) {
    const auto lender = static_cast<std::size_t>(vote.lender);
    Reasons::Neighbour& reason = reasons.emplace_back();
    reason.collection = model.lending[static_cast<std::size_t>(model.lender_collections[lender])];
    reason.id = model.lender_ids[lender];
    reason.weight = vote.weight;
    for (const WeightedTerm& asked : ask.terms)
      if (value_at(model.borrowing.lenders.view(), vote.lender, asked.term) > 0)
        reason.asked.emplace_back(model.vocabulary.name(asked.term));
  }
  return reasons;
}

std::vector<Reasons::Topic> find_topics(const Index& index, const Model& model,
                                        const AskedVectors& vectors, std::int64_t row) {
  struct Part {
    int topic;
    double weight;
  };
  std::vector<Part> parts;
  const std::vector<int> columns = model.borrowing.subspace.topics_of(0);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double weight = model.borrowing.weights.topics * static_cast<double>(vectors.topics[i]) *
                          static_cast<double>(index.coded.codes(row, static_cast<Eigen::Index>(i)));
    if (weight >= kLeastWeight) parts.push_back({columns[i], weight});
  }
  keep_strongest(parts);
  std::vector<Reasons::Topic> reasons;
  for (const Part& part : parts) {
    TopicSummary topic = topic_summary(model, part.topic, kTopicTerms);
    reasons.push_back(
        {std::move(topic.name), std::move(topic.members), std::move(topic.terms), part.weight});
  }
  return reasons;
}

}  // namespace

Reasons find_reasons(const Index& index, const Model* model, const Ranker& ranker, const Ask& ask,
                     std::int64_t row) {
  Reasons reasons;
  for (const Ask::Word& asked : ask.words) {
    const bool in_tags = has_item(index.tag_words, asked.word, row);
    const bool in_text = has_item(index.text_words, asked.word, row);
    if (in_tags || in_text) reasons.words.push_back({asked.word, in_tags, in_text});
  }
  if (!model || ask.terms.empty()) return reasons;
  const AskedVectors vectors = ranker.vectors(ask);
  reasons.associations = find_associations(index, *model, ranker, ask, row);
  reasons.neighbours = find_neighbours(index, *model, vectors, ask, row);
  reasons.topics = find_topics(index, *model, vectors, row);
  return reasons;
}

}  // namespace commonplace::search
