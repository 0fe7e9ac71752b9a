#include "commonplace/rows/image_rows.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/io/safetensors.h"

namespace commonplace {
namespace {

/// Pictures that are lost at most, in each thread besides, when the work of one rank is
/// interrupted.
constexpr std::size_t kBlock = 128;
/// Several ranks keep smaller blocks, but not so small that there are files beyond number.
constexpr std::size_t kLeastBlock = 32;
constexpr const char* kCallIt = "the file";

/// What one rank made of some of the pictures.
struct Made {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
};

Made make_own(WorkCounter& counter, std::int64_t count, const std::string& stage, const Run& run,
              const std::function<std::string(std::int64_t)>& make) {
  Made made;
  std::int64_t reached = 0;
  std::mutex mutex;
  std::atomic<bool> failed = false;
  const auto work = [&](std::size_t, std::size_t) {
    try {
      for (std::int64_t number = counter.next(); number >= 0 && !failed; number = counter.next()) {
        std::string text = make(number);
        const std::lock_guard lock(mutex);
        made.numbers.push_back(number);
        made.texts.push_back(std::move(text));
        // They are handed out in order, so this many are done or nearly so, here or elsewhere.
        reached = std::max(reached, number + 1);
        run.progress({stage, static_cast<std::uint64_t>(reached), static_cast<std::uint64_t>(count),
                      "pictures"});
      }
    } catch (...) {
      failed = true;
      throw;
    }
  };
  const auto threads = static_cast<std::size_t>(
      std::min<std::int64_t>(resolve_jobs(run.jobs), std::max<std::int64_t>(1, count)));
  parallel_for(threads, run.jobs, work, 1);
  return made;
}

void put(Made&& made, std::vector<std::string>& all) {
  for (std::size_t i = 0; i < made.numbers.size(); ++i)
    all[static_cast<std::size_t>(made.numbers[i])] = std::move(made.texts[i]);
}

/// Makes rows on several threads, and keeps them block by block.
class RowKeeper {
 public:
  RowKeeper(const ImageFeatureOptions& options, const RowMaking& making, std::size_t block,
            PartialRows& rows)
      : options_(options), making_(making), block_(block), rows_(rows) {}

  /// Reads the file and, unless its row is kept already, makes it.
  RowState make(const ImageSource& source) {
    RowState state;
    ImageBytes image;
    try {
      image = read_image(source);
    } catch (const Error& error) {
      state.problem = error.what();
      return state;
    }
    state.known = true;
    state.fingerprint = image.fingerprint;
    {
      const std::lock_guard lock(mutex_);
      if (rows_.has(image.fingerprint)) {
        state.problem = rows_.problem(image.fingerprint);
        return state;
      }
    }
    Row row{image.fingerprint, {}, {}};
    try {
      row.values = making_.make(decode_for_features(options_, image.bytes, kCallIt));
    } catch (const Error& error) {
      state.problem = row.problem = error.what();
    }
    add(std::move(row));
    return state;
  }

  /// The last block.
  void finish() { keep(std::move(waiting_)); }

 private:
  struct Row {
    std::uint64_t fingerprint;
    std::string problem;
    Eigen::RowVectorXf values;  ///< empty if there was a problem
  };

  void add(Row&& row) {
    std::vector<Row> full;
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(row));
      if (waiting_.size() >= block_) full.swap(waiting_);
    }
    keep(std::move(full));
  }

  void keep(std::vector<Row> block) {
    std::vector<std::uint64_t> fingerprints;
    std::vector<std::string> problems;
    std::vector<const Eigen::RowVectorXf*> good;
    std::vector<std::int64_t> good_at;
    std::unordered_set<std::uint64_t> seen;
    for (const Row& row : block) {
      if (!seen.insert(row.fingerprint).second) continue;
      if (row.problem.empty()) {
        good.push_back(&row.values);
        good_at.push_back(std::ssize(fingerprints));
      }
      fingerprints.push_back(row.fingerprint);
      problems.push_back(row.problem);
    }
    Matrix kept = Matrix::Zero(std::ssize(fingerprints), rows_.columns());
    if (!good.empty()) {
      Matrix values(std::ssize(good), good.front()->size());
      for (std::size_t i = 0; i < good.size(); ++i)
        values.row(static_cast<std::int64_t>(i)) = *good[i];
      if (making_.finish) values = making_.finish(values);
      for (std::size_t i = 0; i < good.size(); ++i)
        kept.row(good_at[i]) = values.row(static_cast<std::int64_t>(i));
    }
    const std::lock_guard lock(mutex_);
    rows_.add(fingerprints, kept, problems);
  }

  const ImageFeatureOptions& options_;
  const RowMaking& making_;
  std::size_t block_;
  PartialRows& rows_;
  std::vector<Row> waiting_;
  std::mutex mutex_;  ///< of rows_ and waiting_
};

}  // namespace

std::string to_bytes(const RowState& state) {
  std::string bytes(1 + sizeof state.fingerprint,
                    static_cast<char>((state.known ? 1 : 0) + (state.away ? 2 : 0)));
  std::memcpy(bytes.data() + 1, &state.fingerprint, sizeof state.fingerprint);
  return bytes + state.problem;
}

RowState row_state(std::string_view bytes) {
  RowState state;
  state.known = (bytes.front() & 1) != 0;
  state.away = (bytes.front() & 2) != 0;
  std::memcpy(&state.fingerprint, bytes.data() + 1, sizeof state.fingerprint);
  state.problem = bytes.substr(1 + sizeof state.fingerprint);
  return state;
}

std::vector<std::string> make_by_picture(std::int64_t count, const std::string& stage,
                                         const Run& run,
                                         const std::function<std::string(std::int64_t)>& make) {
  std::vector<std::string> all(static_cast<std::size_t>(count));
  Made mine;
  {
    const auto counter = run.comm.share_work(count);
    mine = make_own(*counter, count, stage, run, make);
  }
  if (run.comm.size() > 1) {
    TensorWriter writer;
    writer.add("numbers", std::span<const std::int64_t>(mine.numbers));
    writer.add_strings("texts", mine.texts);
    const std::vector<std::string> others = run.comm.gather_texts(writer.bytes());
    for (std::size_t rank = 0; rank < others.size(); ++rank) {
      const TensorFile file(others[rank], concat("what rank ", rank, " made"));
      const auto numbers = file.longs("numbers");
      put({{numbers.begin(), numbers.end()}, file.strings("texts")}, all);
    }
  } else {
    put(std::move(mine), all);
  }
  return all;
}

void make_image_rows(const std::vector<ImageSource>& sources, std::span<const std::int64_t> chosen,
                     const ImageFeatureOptions& options, const RowMaking& making, PartialRows& rows,
                     std::vector<RowState>& states, const Run& run) {
  const auto at = [&](std::int64_t number) {
    return static_cast<std::size_t>(chosen[static_cast<std::size_t>(number)]);
  };
  RowKeeper keeper(options, making,
                   std::max(kLeastBlock, kBlock / static_cast<std::size_t>(run.comm.size())), rows);
  const std::vector<std::string> made = make_by_picture(
      std::ssize(chosen), making.stage, run,
      [&](std::int64_t number) { return to_bytes(keeper.make(sources[at(number)])); });
  for (std::int64_t number = 0; number < std::ssize(chosen); ++number)
    states[at(number)] = row_state(made[static_cast<std::size_t>(number)]);
  keeper.finish();
  rows.join(run.comm);
}

}  // namespace commonplace
