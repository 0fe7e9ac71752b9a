#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace commonplace::server {

/// Counts what the server does, for /metrics. Any thread may call anything.
class Metrics {
 public:
  /// `route` is a pattern, never what a client sent, so that there are few.
  void count_request(const std::string& method, const std::string& route, int status,
                     double seconds);
  std::atomic<std::int64_t> connections{0};  ///< open now
  std::atomic<std::int64_t> in_work{0};      ///< requests with a worker now
  std::atomic<std::int64_t> waiting{0};      ///< requests that wait for one now

  /// Prometheus' text format 0.0.4: commonplace_requests_total{method,route,status},
  /// commonplace_request_seconds (a histogram by route), the gauges above, and the process' memory,
  /// processor seconds and open files (process_resident_memory_bytes, process_cpu_seconds_total,
  /// process_open_fds).
  std::string text() const;

 private:
  static constexpr std::array<double, 12> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                     0.1,   0.25,   0.5,   1,    2.5,   10};
  struct Histogram {
    std::array<std::int64_t, kBounds.size() + 1> counts{};
    double sum = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> requests_;  ///< by the labels as they are printed
  std::map<std::string, Histogram> seconds_;
};

}  // namespace commonplace::server
