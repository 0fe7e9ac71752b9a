#include "commonplace/search/ranker.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "commonplace/base/parallel.h"
#include "commonplace/base/top_k.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::search {
namespace {

/// A word in the text of average length, once, beside kOwnWord for one in the tags.
constexpr float kOwnText = 4;
/// BM25's usual constants for text.
constexpr float kSaturation = 1.2F;
constexpr float kLengthShare = 0.75F;
/// Further tags with the same word add little.
constexpr float kTagSaturation = 0.2F;
/// The share of an item's own score that it keeps whatever its other words say.
constexpr float kLeastOwn = 1e-3F;

/// Where more than one row in so many may be among the best, all are scanned.
constexpr std::size_t kShareToScan = 16;
/// Keeps a bound computed in float a bound.
constexpr float kRoundingMargin = 1.0001F;

constexpr std::size_t kMostContaining = 50;
constexpr std::size_t kLongestTerm = 4;
constexpr float kContaining = 0.5F;

std::int64_t items_with(const WordPostings& words, const std::string& token) {
  const std::int32_t word = words.words.find(token);
  return word < 0 ? 0 : std::ssize(words.items.view().row_indices(word));
}

/// Terms that contain the word share `weight` as they are used.
void add_containing(const Index& index, const Vocabulary& vocabulary, std::int32_t word,
                    std::int32_t exact, float weight, std::vector<WeightedTerm>& terms) {
  const auto all = index.word_terms.view().row_indices(word);
  std::vector<std::int32_t> containing(all.begin(), all.end());
  std::erase(containing, exact);
  auto uses = [&](std::int32_t term) {
    return vocabulary.document_frequency[static_cast<std::size_t>(term)];
  };
  std::stable_sort(containing.begin(), containing.end(),
                   [&](std::int32_t a, std::int32_t b) { return uses(a) > uses(b); });
  if (containing.size() > kMostContaining) containing.resize(kMostContaining);
  double total = 0;
  for (const std::int32_t term : containing) total += static_cast<double>(uses(term));
  for (const std::int32_t term : containing)
    terms.push_back({term, static_cast<float>(weight * static_cast<double>(uses(term)) / total)});
}

float tag_score(float weight, float count) {
  return weight * kOwnWord * count * (1 + kTagSaturation) / (count + kTagSaturation);
}

float text_score(const WordPostings& words, float weight, float count, std::size_t row) {
  const float length = words.lengths[row] / static_cast<float>(words.mean_length);
  return weight * kOwnText * count * (1 + kSaturation) /
         (count + kSaturation * (1 - kLengthShare + kLengthShare * length));
}

/// Calls visit(row, score) for each item that has the word in its tags.
template <class Visit>
void visit_tag_matches(const Index& index, const Ask::Word& asked, const Visit& visit) {
  const std::int32_t word = index.tag_words.words.find(asked.word);
  if (word < 0) return;
  const auto rows = index.tag_words.items.view().row_indices(word);
  const auto counts = index.tag_words.items.view().row_values(word);
  for (std::size_t i = 0; i < rows.size(); ++i)
    visit(static_cast<std::size_t>(rows[i]), tag_score(asked.weight, counts[i]));
}

/// The same for title and text.
template <class Visit>
void visit_text_matches(const Index& index, const Ask::Word& asked, const Visit& visit) {
  const std::int32_t word = index.text_words.words.find(asked.word);
  if (word < 0) return;
  const auto rows = index.text_words.items.view().row_indices(word);
  const auto counts = index.text_words.items.view().row_values(word);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    visit(row, text_score(index.text_words, asked.weight, counts[i], row));
  }
}

/// How often the item has the word.
float count_in(const WordPostings& words, const std::string& token, std::int64_t row) {
  const std::int32_t word = words.words.find(token);
  if (word < 0) return 0;
  const auto rows = words.items.view().row_indices(word);
  const auto found = std::lower_bound(rows.begin(), rows.end(), row);
  if (found == rows.end() || *found != row) return 0;
  return words.items.view().row_values(word)[static_cast<std::size_t>(found - rows.begin())];
}

float tag_match(const Index& index, const Ask::Word& asked, std::int64_t row) {
  const float count = count_in(index.tag_words, asked.word, row);
  return count > 0 ? tag_score(asked.weight, count) : 0;
}

float text_match(const Index& index, const Ask::Word& asked, std::int64_t row) {
  const float count = count_in(index.text_words, asked.word, row);
  return count > 0
             ? text_score(index.text_words, asked.weight, count, static_cast<std::size_t>(row))
             : 0;
}

/// Best first, ties by row; at most `count`.
void keep_best(std::vector<ScoredRow>& rows, std::size_t count) {
  keep_first(rows, static_cast<std::int64_t>(count), [](const ScoredRow& a, const ScoredRow& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
}

/// The count-th greatest base of the kept rows, or minus infinity if there are fewer.
float greatest(const ScanScope& scope, std::size_t count, int jobs) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  if (count == 0) return none;
  std::mutex mutex;
  std::vector<float> all;
  parallel_for(scope.base.size(), jobs, [&](std::size_t begin, std::size_t end) {
    std::vector<float> heap;  // the least of the best in front
    for (std::size_t row = begin; row < end; ++row) {
      const float base = scope.base[row];
      if (heap.size() == count && base <= heap.front()) continue;
      if (!scope.keep.empty() && scope.keep[row] == 0) continue;
      if (heap.size() == count) {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        heap.pop_back();
      }
      heap.push_back(base);
      std::push_heap(heap.begin(), heap.end(), std::greater<>());
    }
    const std::lock_guard lock(mutex);
    all.insert(all.end(), heap.begin(), heap.end());
  });
  if (all.size() < count) return none;
  keep_first(all, static_cast<std::int64_t>(count), std::greater<>());
  return all.back();
}

void merge_same(std::vector<WeightedTerm>& terms) {
  std::sort(terms.begin(), terms.end(), [](const WeightedTerm& a, const WeightedTerm& b) {
    return a.term != b.term ? a.term < b.term : a.weight > b.weight;
  });
  terms.erase(
      std::unique(terms.begin(), terms.end(),
                  [](const WeightedTerm& a, const WeightedTerm& b) { return a.term == b.term; }),
      terms.end());
}

}  // namespace

Ranker::Ranker(const Index& index, const Model* model, int jobs) : index_(index), model_(model) {
  if (!model_) return;
  lenders_by_term_ = transpose(model_->borrowing.lenders.view());
  items_by_lender_ = transpose(index_.coded.votes.view());
  const Matrix& codes = index_.coded.codes;
  codes_.emplace(MatrixView(codes.data(), codes.rows(), codes.cols()), jobs);
  for (Eigen::Index row = 0; row < codes.rows(); ++row)
    code_norms_.push_back(codes.row(row).norm());
  terms_.emplace(index_.coded.terms.view());
}

Ask Ranker::understand(const std::vector<std::string>& tokens, bool whole_terms) const {
  Ask ask;
  const double items = static_cast<double>(index_.items);
  double rarest = 0;
  std::vector<double> rarity;
  for (const std::string& token : tokens) {
    const auto having = static_cast<double>(
        std::max(items_with(index_.tag_words, token), items_with(index_.text_words, token)));
    const bool in_terms = model_ && index_.term_words.find(token) >= 0;
    if (having == 0 && !in_terms) {
      ask.unknown.push_back(token);
      continue;
    }
    ask.words.push_back({token, 1});
    rarity.push_back(std::log1p((items - having + 0.5) / (having + 0.5)));
    rarest = std::max(rarest, rarity.back());
  }
  for (std::size_t i = 0; i < ask.words.size(); ++i)
    ask.words[i].weight = static_cast<float>(rarity[i] / rarest);
  if (!model_) return ask;

  const Vocabulary& vocabulary = model_->vocabulary;
  for (const Ask::Word& word : ask.words) {
    const std::int32_t exact = vocabulary.find(word.word);
    if (exact >= 0) ask.terms.push_back({exact, word.weight});
    const std::int32_t inside = index_.term_words.find(word.word);
    if (!whole_terms && inside >= 0)
      add_containing(index_, vocabulary, inside, exact,
                     exact >= 0 ? kContaining * word.weight : word.weight, ask.terms);
  }
  for (std::size_t first = 0; first < tokens.size(); ++first) {
    std::string run = tokens[first];
    for (std::size_t last = first + 1; last < std::min(tokens.size(), first + kLongestTerm);
         ++last) {
      run += ' ' + tokens[last];
      if (const std::int32_t term = vocabulary.find(run); term >= 0) ask.terms.push_back({term, 1});
    }
  }
  merge_same(ask.terms);
  return ask;
}

void Ranker::add_own(const Ask& ask, std::vector<float>& scores) const {
  for (const Ask::Word& asked : ask.words) {
    visit_tag_matches(index_, asked, [&](std::size_t row, float score) { scores[row] += score; });
    visit_text_matches(index_, asked, [&](std::size_t row, float score) { scores[row] += score; });
  }
}

double Ranker::own_score(const Ask& ask, std::int64_t row) const {
  double score = 0;
  for (const Ask::Word& asked : ask.words) {
    score += tag_match(index_, asked, row);
    score += text_match(index_, asked, row);
  }
  return score;
}

AskedVectors Ranker::vectors(const Ask& ask) const {
  return search::ask(model_->borrowing, lenders_by_term_.view(), ask.terms);
}

void Ranker::add_votes(const AskedVectors& asked, std::vector<float>& scores) const {
  const auto weight = static_cast<float>(model_->borrowing.weights.votes);
  if (weight == 0) return;
  const SparseView voters = items_by_lender_.view();
  for (std::size_t lender = 0; lender < asked.lenders.size(); ++lender) {
    if (asked.lenders[lender] == 0) continue;
    const float vote = weight * asked.lenders[lender];
    const auto rows = voters.row_indices(static_cast<std::int64_t>(lender));
    const auto shares = voters.row_values(static_cast<std::int64_t>(lender));
    for (std::size_t i = 0; i < rows.size(); ++i)
      scores[static_cast<std::size_t>(rows[i])] += vote * shares[i];
  }
}

void Ranker::add_associations(const AskedVectors& asked, std::vector<float>& scores,
                              int jobs) const {
  const BorrowingWeights& weights = model_->borrowing.weights;
  if (weights.lift == 0 && weights.ridge == 0) return;
  std::vector<float> terms(asked.lift.size());
  for (std::size_t term = 0; term < terms.size(); ++term)
    terms[term] = static_cast<float>(weights.lift * static_cast<double>(asked.lift[term]) +
                                     weights.ridge * static_cast<double>(asked.ridge[term]));
  const auto unrelated = static_cast<float>(weights.lift * asked.weight);
  for (std::size_t row = 0; row < scores.size(); ++row)
    scores[row] += unrelated * index_.coded.unrelated[row];
  terms_->add_product(terms, scores, jobs);
}

std::vector<std::uint8_t> Ranker::without_rejected(const Ask& ask,
                                                   std::span<const std::uint8_t> keep) const {
  std::vector<std::uint8_t> allowed(keep.begin(), keep.end());
  for (const WeightedTerm& term : ask.terms)
    for (const std::int32_t row : index_.rejected.view().row_indices(term.term)) {
      if (allowed.empty()) allowed.assign(static_cast<std::size_t>(index_.items), 1);
      if (own_score(ask, row) == 0) allowed[static_cast<std::size_t>(row)] = 0;
    }
  return allowed;
}

double Ranker::product(std::span<const float> topics, std::int64_t row) const {
  double sum = 0;
  for (std::size_t topic = 0; topic < topics.size(); ++topic)
    sum += static_cast<double>(topics[topic]) *
           static_cast<double>(index_.coded.codes(row, static_cast<Eigen::Index>(topic)));
  return sum;
}

/// The rows that may be among the best, and how many rows are found in all.
struct Ranker::Candidates {
  std::vector<std::int64_t> rows;
  std::int64_t found = 0;
};

Ranker::Candidates Ranker::candidates(std::span<const float> topics, std::size_t count,
                                      const ScanScope& scope, int jobs) const {
  float norm = 0;
  for (const float topic : topics) norm += topic * topic;
  norm = std::sqrt(norm) * kRoundingMargin;
  // Codes and topics are 0 or more, so the base of the count-th best row is a bound for the others,
  // and a row can only be among the best if its base and the longest possible product reach it.
  const float least = greatest(scope, count, jobs);
  Candidates all;
  std::mutex mutex;
  parallel_for(scope.base.size(), jobs, [&](std::size_t begin, std::size_t end) {
    Candidates own;
    for (std::size_t row = begin; row < end; ++row) {
      const float base = scope.base[row];
      const float most = base + (norm > 0 ? norm * code_norms_[row] : 0);
      if (!(most > 0) || (!scope.keep.empty() && scope.keep[row] == 0)) continue;
      if (most >= least) own.rows.push_back(static_cast<std::int64_t>(row));
      if (base > 0 || static_cast<float>(static_cast<double>(base) +
                                         product(topics, static_cast<std::int64_t>(row))) > 0)
        ++own.found;
    }
    const std::lock_guard lock(mutex);
    all.rows.insert(all.rows.end(), own.rows.begin(), own.rows.end());
    all.found += own.found;
  });
  return all;
}

std::vector<ScoredRow> Ranker::best(const Candidates& candidates, std::span<const float> topics,
                                    std::size_t count, const ScanScope& scope, int jobs) const {
  const std::size_t many = scope.base.size() / kShareToScan;
  if (!topics.empty() && candidates.rows.size() > many && count < many)
    return codes_->search(topics, count, scope, jobs);
  std::vector<ScoredRow> scored(candidates.rows.size());
  parallel_for(scored.size(), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t row = candidates.rows[i];
      const auto base = static_cast<double>(scope.base[static_cast<std::size_t>(row)]);
      scored[i] = {row, static_cast<float>(base + product(topics, row))};
    }
  });
  keep_best(scored, count);
  return scored;
}

RankedItems Ranker::rank(const Ask& ask, std::int64_t limit, std::span<const std::uint8_t> keep,
                         bool words_only, std::span<const float> meant, int jobs) const {
  std::vector<float> scores(static_cast<std::size_t>(index_.items));
  std::vector<float> topics;
  std::vector<std::uint8_t> allowed;
  add_own(ask, scores);
  const bool borrows = model_ && !words_only && !ask.terms.empty();
  if (borrows) {
    const AskedVectors asked = vectors(ask);
    add_votes(asked, scores);
    add_associations(asked, scores, jobs);
    topics = asked.topics;
    for (float& topic : topics) topic *= static_cast<float>(model_->borrowing.weights.topics);
    // An item that has an asked word is shown whatever its other words say.
    for (const Ask::Word& word : ask.words) {
      auto show = [&](std::size_t row, float own) {
        scores[row] = std::max(scores[row], kLeastOwn * own);
      };
      visit_tag_matches(index_, word, show);
      visit_text_matches(index_, word, show);
    }
    allowed = without_rejected(ask, keep);
    keep = allowed;
  }
  for (std::size_t row = 0; row < std::min(meant.size(), scores.size()); ++row)
    if (meant[row] > 0) scores[row] = std::max(scores[row], 0.0F) + meant[row];
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(limit, 0));
  const ScanScope scope{scores, keep};
  const Candidates fitting = candidates(topics, count, scope, jobs);
  RankedItems ranked;
  ranked.found = fitting.found;
  for (const ScoredRow& each : best(fitting, topics, count, scope, jobs)) {
    if (!(each.score > 0)) break;
    const double means = meant.empty() ? 0.0 : meant[static_cast<std::size_t>(each.row)];
    const double own =
        borrows || !meant.empty() ? own_score(ask, each.row) : static_cast<double>(each.score);
    ranked.best.push_back(
        {each.row, each.score, own, borrows ? each.score - own - means : 0, means});
  }
  return ranked;
}

}  // namespace commonplace::search
