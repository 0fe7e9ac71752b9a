#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace commonplace::server {

/// Things that are slow to open and go out of date. Each is made once for all who ask, again when
/// its state has changed; while it is made again, those who ask get the old one after a moment.
template <class Thing>
class RevalidatingCache {
 public:
  using Make = std::function<std::shared_ptr<Thing>()>;

  /// Holds `most` things; the one that nobody has asked for longest gives way.
  explicit RevalidatingCache(std::size_t most) : most_(most) {}

  /// The thing of that name in that state, or the last one while the new one is being made. What
  /// `make` throws, this throws.
  std::shared_ptr<Thing> get(const std::string& name, const std::string& state, const Make& make) {
    std::unique_lock lock(mutex_);
    make_room_for(name);
    Entry& entry = entries_[name];
    entry.asked = ++asked_;
    if (entry.thing && entry.state == state) return entry.thing;
    if (!entry.making.valid() || is_ready(entry.making))
      entry.making = std::async(std::launch::async, [this, name, state, make] {
                       std::shared_ptr<Thing> made = make();
                       const std::scoped_lock guard(mutex_);
                       entries_[name].thing = std::move(made);
                       entries_[name].state = state;
                     }).share();
    const std::shared_future<void> making = entry.making;
    std::shared_ptr<Thing> old = entry.thing;
    lock.unlock();
    if (old && making.wait_for(kPatience) != std::future_status::ready) return old;
    making.get();
    lock.lock();
    const auto made = entries_.find(name);
    if (made != entries_.end()) return made->second.thing;
    lock.unlock();
    return make();  // it had to give way before this thread could take it
  }

  /// From now on the thing that is there is in that state.
  void restate(const std::string& name, const std::string& state) {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(name);
    if (found != entries_.end()) found->second.state = state;
  }

  /// All that are there now.
  std::map<std::string, std::shared_ptr<Thing>> all() const {
    const std::scoped_lock lock(mutex_);
    std::map<std::string, std::shared_ptr<Thing>> result;
    for (const auto& [name, entry] : entries_)
      if (entry.thing) result.emplace(name, entry.thing);
    return result;
  }

 private:
  /// A search a moment after a change should see it where that can be had.
  static constexpr std::chrono::milliseconds kPatience{400};

  struct Entry {
    std::string state;
    std::shared_ptr<Thing> thing;
    std::shared_future<void> making;
    std::uint64_t asked = 0;  ///< when it was last asked for, as a count
  };
  static bool is_ready(const std::shared_future<void>& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  /// What is being made stays: its end would have to be waited for.
  void make_room_for(const std::string& name) {
    if (entries_.size() < most_ || entries_.contains(name)) return;
    auto oldest = entries_.end();
    for (auto each = entries_.begin(); each != entries_.end(); ++each)
      if ((!each->second.making.valid() || is_ready(each->second.making)) &&
          (oldest == entries_.end() || each->second.asked < oldest->second.asked))
        oldest = each;
    if (oldest != entries_.end()) entries_.erase(oldest);
  }

  std::size_t most_;
  std::uint64_t asked_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;  ///< its end waits for what is being made
};

}  // namespace commonplace::server
