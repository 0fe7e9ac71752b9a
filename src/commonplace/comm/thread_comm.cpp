#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/comm/comm.h"
#include "commonplace/comm/range_counter.h"
#include "commonplace/comm/reduce.h"

namespace commonplace {
namespace {

/// Ends a rank that waits for one that failed. Not a std::exception, lest a body mistakes it for an
/// error of its own and goes on.
struct Released {};

/// What a rank brings to a collective call. `name`, `count` and `root` must agree.
struct Offer {
  std::string_view name;
  std::size_t count = 0;
  int root = 0;
  void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// What the ranks share. After a failure nobody passes `meet` any more.
class Team {
 public:
  explicit Team(int size) : offers_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(offers_.size()); }

  /// Waits for all ranks, each with its offer; afterwards all may read `offer`s. The last to come
  /// compares the offers, under the lock, so that either all go on or none does.
  void meet(int rank, const Offer& offer) {
    std::unique_lock lock(mutex_);
    require_alive();
    offers_[static_cast<std::size_t>(rank)] = offer;
    arrive(lock);
  }

  /// Waits for all ranks; the offers stay as they are.
  void meet() {
    std::unique_lock lock(mutex_);
    require_alive();
    arrive(lock);
  }

  /// To be read only between two meetings.
  const Offer& offer(int rank) const { return offers_[static_cast<std::size_t>(rank)]; }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    fail_locked(std::move(failure));
  }

  /// A rank has returned from its body.
  void leave() {
    const std::lock_guard lock(mutex_);
    ++departed_;
    if (waiting_ > 0) fail_locked(departure());
  }

  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void require_alive() {
    if (departed_ > 0) fail_locked(departure());
    if (failure_) throw Released{};
  }

  void arrive(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t generation = generation_;
    if (++waiting_ == offers_.size()) {
      waiting_ = 0;
      compare_offers();
      if (failure_) throw Released{};
      ++generation_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return generation_ != generation || failure_; });
    if (generation_ == generation) throw Released{};
  }

  void compare_offers() {
    const Offer& first = offers_.front();
    std::int64_t columns = 0;
    for (const Offer& other : offers_) {
      if (other.name != first.name || other.count != first.count || other.root != first.root)
        fail_locked(error("the ranks made different calls: ", first.name, " of ", first.count,
                          " values with root ", first.root, " and ", other.name, " of ",
                          other.count, " values with root ", other.root,
                          "; all must make the same calls with the same sizes"));
      if (other.rows == 0) continue;
      if (columns == 0) columns = other.columns;
      if (other.columns != columns)
        fail_locked(error("the ranks gather rows of ", columns, " and of ", other.columns,
                          " columns; all must have the same number"));
    }
  }

  template <class... Parts>
  static std::exception_ptr error(const Parts&... parts) {
    return std::make_exception_ptr(Error(concat(parts...)));
  }

  static std::exception_ptr departure() {
    return error(
        "a rank ended while others still wait for it in a collective call; all must make "
        "the same calls");
  }

  void fail_locked(std::exception_ptr failure) {
    if (!failure_) failure_ = std::move(failure);
    failed_.store(true, std::memory_order_relaxed);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Offer> offers_;
  std::size_t waiting_ = 0;
  std::size_t departed_ = 0;
  std::uint64_t generation_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;
};

/// A counter that all ranks hold. After a failure it hands out nothing more.
class TeamCounter final : public WorkCounter {
 public:
  explicit TeamCounter(const Team& team) : team_(team) {}

  void share(std::shared_ptr<detail::RangeCounter> numbers) noexcept {
    numbers_ = std::move(numbers);
  }
  std::int64_t next() override {
    if (team_.failed()) throw Released{};
    return numbers_->next();
  }

 private:
  const Team& team_;
  std::shared_ptr<detail::RangeCounter> numbers_;
};

/// While ranks read each other's data, between two meetings, nothing throws: a rank that unwinds
/// there would free what the others still read.
class ThreadComm final : public Comm {
 public:
  ThreadComm(Team& team, int rank) : team_(team), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return team_.size(); }
  using Comm::sum;

  void sum(std::span<double> values) override { reduce(values, "sum", detail::Add{}); }
  void sum(std::span<std::int64_t> values) override {
    reduce(values, "integer sum", detail::Add{});
  }
  void max(std::span<double> values) override { reduce(values, "max", detail::Larger{}); }

  void broadcast_bytes(std::span<std::byte> bytes, int root) override {
    require(root >= 0 && root < size(), "cannot broadcast from rank ", root, " of ", size());
    const Call call(*this, "broadcast", rank_ == root ? 0 : std::ssize(bytes));
    team_.meet(rank_,
               {.name = "broadcast", .count = bytes.size(), .root = root, .data = bytes.data()});
    if (rank_ != root && !bytes.empty())
      std::memcpy(bytes.data(), team_.offer(root).data, bytes.size());
    team_.meet();
  }

  Matrix gather_rows(const Matrix& rows) override {
    Call call(*this, "gather_rows");
    // Never written through: the offer's pointer is mutable for the sake of the other calls.
    team_.meet(rank_, {.name = "gather_rows",
                       .data = const_cast<float*>(rows.data()),
                       .rows = rows.rows(),
                       .columns = rows.cols()});
    std::int64_t total = 0;
    std::int64_t columns = team_.offer(0).columns;
    for (int other = 0; other < size(); ++other) {
      const Offer& offer = team_.offer(other);
      total += offer.rows;
      if (offer.rows > 0) columns = offer.columns;
    }
    // Taken before the second meeting, since it may throw.
    Matrix all(total, columns);
    team_.meet();
    float* to = all.data();
    for (int other = 0; other < size(); ++other) {
      const Offer& offer = team_.offer(other);
      const auto count = static_cast<std::size_t>(offer.rows * offer.columns);
      if (count > 0) std::memcpy(to, offer.data, count * sizeof(float));
      to += count;
    }
    team_.meet();
    call.received((all.size() - rows.size()) * std::int64_t{sizeof(float)});
    return all;
  }

  std::vector<std::string> gather_texts(std::string_view text) override {
    Call call(*this, "gather_texts");
    // Never written through, as above. A text is rows of one byte.
    team_.meet(rank_, {.name = "gather_texts",
                       .data = const_cast<char*>(text.data()),
                       .rows = std::ssize(text),
                       .columns = 1});
    // Taken before the second meeting, since it may throw.
    std::vector<std::string> all(static_cast<std::size_t>(size()));
    for (int other = 0; other < size(); ++other)
      all[static_cast<std::size_t>(other)].resize(
          static_cast<std::size_t>(team_.offer(other).rows));
    team_.meet();
    for (int other = 0; other < size(); ++other) {
      std::string& to = all[static_cast<std::size_t>(other)];
      if (!to.empty()) std::memcpy(to.data(), team_.offer(other).data, to.size());
      if (other != rank_) call.received(std::ssize(to));
    }
    team_.meet();
    return all;
  }

  std::unique_ptr<WorkCounter> share_work(std::int64_t count) override {
    require(count >= 0, "cannot share out ", count, " pieces of work");
    const Call call(*this, "share_work");
    auto mine = std::make_unique<TeamCounter>(team_);
    std::shared_ptr<detail::RangeCounter> numbers;
    if (rank_ == 0) numbers = std::make_shared<detail::RangeCounter>(0, count);
    team_.meet(rank_,
               {.name = "share_work", .count = static_cast<std::size_t>(count), .data = &numbers});
    mine->share(*static_cast<std::shared_ptr<detail::RangeCounter>*>(team_.offer(0).data));
    team_.meet();
    return mine;
  }

  void barrier() override {
    const Call call(*this, "barrier");
    team_.meet(rank_, {.name = "barrier"});
  }

  int ranks_on_host() const override { return size(); }
  int processors() const override { return std::max(1, resolve_jobs(0) / size()); }

 private:
  /// Each rank reduces its own share of the positions in place, then takes the other shares from
  /// the ranks that hold them.
  template <class T, class Operation>
  void reduce(std::span<T> values, const char* name, Operation operation) {
    if (size() == 1) return;
    const auto count = static_cast<std::int64_t>(values.size());
    const Call call(*this, name,
                    detail::values_received(count, rank_, size()) * std::int64_t{sizeof(T)});
    team_.meet(rank_, {.name = name, .count = values.size(), .data = values.data()});
    const RowRange mine = rows_of_rank(count, rank_, size());
    std::array<T, 512> totals;
    for (std::int64_t begin = mine.begin; begin < mine.end; begin += std::ssize(totals)) {
      const std::int64_t length = std::min<std::int64_t>(std::ssize(totals), mine.end - begin);
      std::copy_n(data_of<T>(0) + begin, length, totals.begin());
      for (int other = 1; other < size(); ++other)
        std::transform(totals.begin(), totals.begin() + length, data_of<T>(other) + begin,
                       totals.begin(), operation);
      std::copy_n(totals.begin(), length, values.data() + begin);
    }
    team_.meet();
    for (int other = 0; other < size(); ++other) {
      if (other == rank_) continue;
      const RowRange share = rows_of_rank(count, other, size());
      std::copy(data_of<T>(other) + share.begin, data_of<T>(other) + share.end,
                values.data() + share.begin);
    }
    team_.meet();
  }

  template <class T>
  const T* data_of(int rank) const {
    return static_cast<const T*>(team_.offer(rank).data);
  }

  Team& team_;
  int rank_;
};

void run_rank(Team& team, int rank, const std::function<void(Comm&)>& body) {
  try {
    ThreadComm comm(team, rank);
    body(comm);
    team.leave();
  } catch (const Released&) {
  } catch (...) {
    team.fail(std::current_exception());
  }
}

}  // namespace

void run_as_threads(int ranks, const std::function<void(Comm&)>& body) {
  require(ranks >= 1, "cannot run ", ranks, " ranks; give 1 or more");
  Team team(ranks);
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(ranks));
    try {
      for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&team, &body, rank] { run_rank(team, rank, body); });
    } catch (...) {
      // The machine gives no more threads: release the ranks that already run.
      team.fail(std::current_exception());
    }
  }
  team.rethrow_failure();
}

}  // namespace commonplace
