// Latency of whole queries (own words, associations, votes and topics) by the number of items.
//
//     bench_search_latency [MOST_ITEMS]
//
// Items and lenders are made from planted topics with Zipf's law within each; the model is fitted
// to 10,000 items of each. Prints a table of p50 and p99 in milliseconds, one query at a time.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/rng.h"
#include "commonplace/features/tfidf.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/search/learn.h"
#include "commonplace/search/ranker.h"

namespace {

using namespace commonplace;

constexpr std::int32_t kTerms = 20000;
constexpr std::int32_t kTopics = 200;
constexpr std::int32_t kTermsOfTopic = 400;

/// Items with two topics each and `tags` tags; every tenth tag is any term.
Sparse make_items(std::int64_t count, int tags, std::uint64_t seed) {
  Sparse items;
  items.columns = kTerms;
  std::vector<std::int32_t> row;
  for (std::int64_t item = 0; item < count; ++item) {
    Rng draw(seed, static_cast<std::uint64_t>(item));
    const std::uint64_t topics[] = {draw.below(kTopics), draw.below(kTopics)};
    row.clear();
    for (int tag = 0; tag < tags; ++tag) {
      const auto rank =
          static_cast<std::uint64_t>(std::exp(draw.uniform() * std::log(kTermsOfTopic)) - 1);
      const std::uint64_t topic = topics[draw.below(2)];
      row.push_back(static_cast<std::int32_t>(
          draw.below(10) == 0 ? draw.below(kTerms) : mix(topic * 1000 + rank) % kTerms));
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const std::int32_t term : row) items.push(term, 1);
    items.end_row();
  }
  return items;
}

search::Model make_model() {
  const Sparse counts[] = {make_items(10000, 8, 1), make_items(10000, 15, 2)};
  search::Model model;
  model.target = "target";
  model.lending = {"auxiliary"};
  std::vector<std::int64_t> frequency(kTerms, 1);
  for (const Sparse& each : counts)
    for (const std::int32_t term : each.indices) ++frequency[static_cast<std::size_t>(term)];
  for (std::int32_t term = 0; term < kTerms; ++term)
    model.vocabulary.terms.add("w" + std::to_string(term));
  model.vocabulary.document_frequency = frequency;
  model.vocabulary.documents = 20000;
  const SparseView views[] = {counts[0].view(), counts[1].view()};
  model.borrowing = search::fit_borrowing(views, inverse_document_frequency(model.vocabulary, {}),
                                          search::Lending::auxiliaries, 40, model.options, {})
                        .borrowing;
  model.borrowing.weights = {.topics = 4, .lift = 1, .ridge = 14, .votes = 8};
  model.lender_ids.resize(10000);
  model.lender_collections.resize(10000);
  return model;
}

search::Index make_index(const search::Model& model, std::int64_t items) {
  const Sparse counts = make_items(items, 8, 3);
  search::Index index;
  index.items = items;
  index.tag_words.words = model.vocabulary.terms;
  index.tag_words.items = transpose(counts.view());
  index.tag_words.lengths.assign(static_cast<std::size_t>(items), 8);
  index.tag_words.mean_length = 8;
  index.text_words.lengths.resize(static_cast<std::size_t>(items));
  index.term_words = model.vocabulary.terms;
  index.word_terms.columns = kTerms;
  index.rejected.columns = items;
  for (std::int32_t term = 0; term < kTerms; ++term) {
    index.word_terms.push(term, 1);
    index.word_terms.end_row();
    index.rejected.end_row();
  }
  index.coded = code_items(model.borrowing, counts.view());
  return index;
}

void measure(const search::Model& model, std::int64_t items, int jobs) {
  auto begin = Clock::now();
  const search::Index index = make_index(model, items);
  const search::Ranker ranker(index, &model, jobs);
  const double making = seconds_since(begin);
  std::vector<double> milliseconds;
  for (std::uint64_t query = 0; query < 300; ++query) {
    Rng draw(4, query);
    std::vector<std::string> words;
    for (std::uint64_t word = 0; word <= draw.below(2); ++word)
      words.push_back("w" +
                      std::to_string(mix(draw.below(kTopics) * 1000 + draw.below(20)) % kTerms));
    begin = Clock::now();
    ranker.rank(ranker.understand(words, false), 20, {}, false, {}, jobs);
    milliseconds.push_back(1000 * seconds_since(begin));
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("%9lld items, %d threads: p50 %6.2f ms, p99 %6.2f ms; made ready in %.1f s\n",
              static_cast<long long>(items), jobs, milliseconds[150], milliseconds[297], making);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const long long most = argc > 1 ? std::atoll(argv[1]) : 1000000;
  const search::Model model = make_model();
  for (const std::int64_t items : {10000, 100000, 1000000})
    if (items <= most) measure(model, items, 2);
  return 0;
}
