#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "commonplace/keep/plan.h"

namespace commonplace::server {

/// What is known of changes in folders without asking each file: inotify, which does not see what
/// other machines write to a network folder, so that somebody has to look from time to time, too.
class FolderWatch {
 public:
  FolderWatch();
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  /// Watches these sources (files or folders with all below them) in place of those before.
  void watch(const std::vector<std::filesystem::path>& sources);
  /// Waits for a change, at most so long; whether there was one.
  bool wait(std::chrono::milliseconds time);

 private:
  void add(const std::filesystem::path& source);

  int file_;
  std::set<std::filesystem::path> sources_;
  std::map<int, std::filesystem::path> folders_;  ///< by number of their watch
};

struct KeeperOptions {
  std::filesystem::path program;
  std::filesystem::path library;
  std::chrono::milliseconds quiet{1000};   ///< so long nothing must change before work begins
  std::chrono::milliseconds most{5000};    ///< but it begins after so long
  std::chrono::milliseconds look{30'000};  ///< from one look at all there is to the next
};

/// Keeps a library up to date while it is served: watches the folders of its collections, and runs
/// `update`, as a process of its own at low priority, when something is out of date.
class Keeper {
 public:
  explicit Keeper(KeeperOptions options);
  /// Stops what is being done; it goes on from there the next time.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// What is being done.
  struct Work {
    bool working = false;
    std::string stage;
    std::uint64_t done = 0;
    std::uint64_t total = 0;  ///< 0: not known
    std::string unit;
    double seconds = 0;   ///< since it began
    std::string problem;  ///< of the last time; empty: there was none
  };
  Work work() const;
  /// Has it look soon, without waiting for the next time.
  void wake();

 private:
  using Key = std::pair<std::string, std::string>;
  void live();
  bool wait_for_change();
  bool stopping() const;
  void look();
  void run_update();

  KeeperOptions options_;
  KeepTools tools_;
  FolderWatch watch_;
  std::set<Key> failed_;  ///< steps that were tried and stay due, by their states
  mutable std::mutex mutex_;
  Work work_;
  bool woken_ = true;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace commonplace::server
