#include "commonplace/features/term_counts.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/unicode.h"

namespace commonplace {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{16} << 20;
constexpr std::size_t kBatchTexts = 4096;
constexpr std::uint64_t kTagsPerStep = 4096;

/// Documents counted by one worker, each under its row number in the whole.
struct Tally {
  TermTable terms;
  std::vector<std::int64_t> rows;
  std::vector<std::size_t> ends;
  std::vector<std::pair<std::int32_t, float>> entries;
  std::vector<std::int32_t> ids;  ///< of the words of the present document

  void end_row(std::int64_t row) {
    rows.push_back(row);
    ends.push_back(entries.size());
  }
  void end_words(std::int64_t row) {
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i < ids.size();) {
      const std::size_t begin = i;
      while (i < ids.size() && ids[i] == ids[begin]) ++i;
      entries.emplace_back(ids[begin], static_cast<float>(i - begin));
    }
    ids.clear();
    end_row(row);
  }
};

/// Renumbers the terms of `tally`, sorts each row and adds up what fell together.
void renumber(Tally& tally, const std::vector<std::int32_t>& columns) {
  std::size_t begin = 0;
  std::size_t written = 0;
  auto& entries = tally.entries;
  for (std::size_t& end : tally.ends) {
    for (std::size_t i = begin; i < end; ++i)
      entries[i].first = columns[static_cast<std::size_t>(entries[i].first)];
    std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
              entries.begin() + static_cast<std::ptrdiff_t>(end));
    const std::size_t row = written;
    for (std::size_t i = begin; i < end; ++i) {
      if (written > row && entries[written - 1].first == entries[i].first)
        entries[written - 1].second += entries[i].second;
      else
        entries[written++] = entries[i];
    }
    begin = std::exchange(end, written);
  }
  entries.resize(written);
}

/// The rows of all tallies in the order of their numbers, which are 0 .. rows-1.
Sparse in_row_order(const std::vector<Tally>& tallies, std::int64_t columns) {
  struct Piece {
    const Tally* tally;
    std::size_t begin;
    std::size_t end;
  };
  std::size_t rows = 0;
  std::size_t entries = 0;
  for (const Tally& tally : tallies) {
    rows += tally.rows.size();
    entries += tally.entries.size();
  }
  std::vector<Piece> pieces(rows);
  for (const Tally& tally : tallies)
    for (std::size_t i = 0; i < tally.rows.size(); ++i)
      pieces[static_cast<std::size_t>(tally.rows[i])] = {&tally, i == 0 ? 0 : tally.ends[i - 1],
                                                         tally.ends[i]};
  Sparse result;
  result.columns = columns;
  result.starts.reserve(rows + 1);
  result.indices.reserve(entries);
  result.values.reserve(entries);
  for (const Piece& piece : pieces) {
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      result.push(piece.tally->entries[i].first, piece.tally->entries[i].second);
    result.end_row();
  }
  return result;
}

/// One numbering for all tallies: the terms that `key` makes of theirs, in ascending order.
template <class Key>
TermCounts combine(std::vector<Tally> tallies, int jobs, Key&& key) {
  TermTable all;
  std::vector<std::vector<std::int32_t>> columns(tallies.size());
  for (std::size_t t = 0; t < tallies.size(); ++t)
    for (std::int32_t id = 0; id < tallies[t].terms.size(); ++id)
      columns[t].push_back(all.add(key(tallies[t].terms[id])));

  std::vector<std::int32_t> order(static_cast<std::size_t>(all.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return all[a] < all[b]; });
  std::vector<std::int32_t> place(order.size());
  TermCounts result;
  for (const std::int32_t id : order)
    place[static_cast<std::size_t>(id)] = result.terms.add(all[id]);

  parallel_for(tallies.size(), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      for (std::int32_t& column : columns[t]) column = place[static_cast<std::size_t>(column)];
      renumber(tallies[t], columns[t]);
    }
  });
  result.counts = in_row_order(tallies, result.terms.size());
  return result;
}

/// Fills `batch`; false when there was nothing left.
bool read_batch(const TextSource& texts, std::vector<std::string>& batch) {
  batch.clear();
  std::size_t bytes = 0;
  std::string text;
  while (batch.size() < kBatchTexts && bytes < kBatchBytes && texts(text)) {
    bytes += text.size();
    batch.push_back(std::move(text));
    text.clear();
  }
  return !batch.empty();
}

struct Worker {
  explicit Worker(const TokenOptions& options) : tokenizer(options) {}
  Tokenizer tokenizer;
  Tally tally;

  void count(std::string_view text, std::int64_t row, const TermTable* known) {
    try {
      tokenizer.visit(text, [&](std::string_view term) {
        const std::int32_t id = known != nullptr ? known->find(term) : tally.terms.add(term);
        if (id >= 0) tally.ids.push_back(id);
      });
    } catch (const Error& error) {
      fail("document ", row + 1, ": ", error.what());
    }
    tally.end_words(row);
  }
};

/// Workers that are lent to one thread at a time; as many come to be as threads ask at once.
class WorkerPool {
 public:
  explicit WorkerPool(const TokenOptions& options) : options_(options) { put(take()); }

  std::unique_ptr<Worker> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Worker> worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
    }
    return std::make_unique<Worker>(options_);
  }
  void put(std::unique_ptr<Worker> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }
  std::vector<Tally> tallies() {
    std::vector<Tally> result;
    for (const auto& worker : idle_) result.push_back(std::move(worker->tally));
    return result;
  }

 private:
  TokenOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

std::vector<Tally> tally_words(const TermTable* known, const TextSource& texts,
                               const TokenOptions& options, int jobs, const Progress& progress) {
  WorkerPool pool(options);
  std::vector<std::string> batch;
  std::int64_t first_row = 0;
  while (read_batch(texts, batch)) {
    parallel_for(batch.size(), jobs, [&](std::size_t begin, std::size_t end) {
      std::unique_ptr<Worker> worker = pool.take();
      for (std::size_t i = begin; i < end; ++i)
        worker->count(batch[i], first_row + static_cast<std::int64_t>(i), known);
      pool.put(std::move(worker));
    });
    first_row += static_cast<std::int64_t>(batch.size());
    progress({"counting words", static_cast<std::uint64_t>(first_row), 0, "documents"});
  }
  return pool.tallies();
}

template <class Id>
Tally tally_tags(const TagSource& source, const Progress& progress, Id&& id_of) {
  Tally tally;
  std::vector<TagCount> tags;
  std::int64_t row = 0;
  for (; tags.clear(), source(tags); ++row) {
    for (const TagCount& tag : tags) {
      require(std::isfinite(tag.count) && tag.count >= 0, "item ", row + 1, ": tag \"", tag.tag,
              "\" has count ", tag.count, "; expected 0 or more");
      const std::int32_t id = tag.count > 0 ? id_of(tally, tag.tag) : -1;
      if (id >= 0) tally.entries.emplace_back(id, static_cast<float>(tag.count));
    }
    tally.end_row(row);
    const auto done = static_cast<std::uint64_t>(row + 1);
    if (done % kTagsPerStep == 0) progress({"counting tags", done, 0, "items"});
  }
  return tally;
}

std::vector<std::int32_t> identity(std::int32_t size) {
  std::vector<std::int32_t> result(static_cast<std::size_t>(size));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

}  // namespace

TermCounts count_words(const TextSource& texts, const TokenOptions& options, int jobs,
                       const Progress& progress) {
  return combine(tally_words(nullptr, texts, options, jobs, progress), jobs,
                 [](std::string_view term) { return term; });
}

Sparse count_known_words(const TermTable& known, const TextSource& texts,
                         const TokenOptions& options, int jobs, const Progress& progress) {
  return in_row_order(tally_words(&known, texts, options, jobs, progress), known.size());
}

TermCounts count_tags(const TagSource& tags, const Progress& progress) {
  Tally tally = tally_tags(tags, progress, [](Tally& into, const std::string& tag) {
    const std::string spelling = tidy(tag);
    return spelling.empty() ? -1 : into.terms.add(spelling);
  });
  std::vector<std::int64_t> uses(static_cast<std::size_t>(tally.terms.size()));
  for (const auto& entry : tally.entries) ++uses[static_cast<std::size_t>(entry.first)];
  const TermTable spellings = tally.terms;

  std::vector<Tally> tallies;
  tallies.push_back(std::move(tally));
  TermCounts result =
      combine(std::move(tallies), 1, [](std::string_view spelling) { return fold(spelling); });

  std::vector<std::int32_t> best(static_cast<std::size_t>(result.terms.size()), -1);
  for (std::int32_t id = 0; id < spellings.size(); ++id) {
    std::int32_t& chosen = best[static_cast<std::size_t>(result.terms.find(fold(spellings[id])))];
    const auto rank = [&](std::int32_t spelling) {
      return std::pair(-uses[static_cast<std::size_t>(spelling)], spellings[spelling]);
    };
    if (chosen < 0 || rank(id) < rank(chosen)) chosen = id;
  }
  for (const std::int32_t id : best) result.shown.emplace_back(spellings[id]);
  return result;
}

Sparse count_known_tags(const TermTable& known, const TagSource& tags, const Progress& progress) {
  std::vector<Tally> tallies;
  tallies.push_back(tally_tags(
      tags, progress, [&](Tally&, const std::string& tag) { return known.find(fold(tidy(tag))); }));
  renumber(tallies[0], identity(known.size()));
  return in_row_order(tallies, known.size());
}

}  // namespace commonplace
