#include "app/server/metrics.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

namespace commonplace::server {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result.push_back('\\');
    if (c == '\n')
      result += "\\n";
    else
      result.push_back(c);
  }
  return result;
}

/// A method that a client made up must not become a label.
std::string_view known_method(std::string_view method) {
  constexpr std::array<std::string_view, 7> kMethods = {"GET",    "HEAD",  "POST",   "PUT",
                                                        "DELETE", "PATCH", "OPTIONS"};
  const auto* const found = std::find(kMethods.begin(), kMethods.end(), method);
  return found == kMethods.end() ? "other" : *found;
}

void describe(std::ostream& out, std::string_view name, std::string_view type,
              std::string_view help) {
  out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n';
}

template <class Value>
void single(std::ostream& out, std::string_view name, std::string_view type, std::string_view help,
            Value value) {
  describe(out, name, type, help);
  out << name << ' ' << value << '\n';
}

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  statm >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::int64_t open_files() {
  std::error_code error;
  std::int64_t count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error))
    ++count;
  return std::max<std::int64_t>(0, count - 1);  // without the one that listed them
}

}  // namespace

void Metrics::count_request(const std::string& method, const std::string& route, int status,
                            double seconds) {
  const std::string by_route = "route=\"" + escaped(route) + '"';
  std::string labels = "method=\"";
  labels += known_method(method);
  labels += "\"," + by_route + ",status=\"" + std::to_string(status) + '"';
  const auto bucket = static_cast<std::size_t>(
      std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin());
  const std::lock_guard lock(mutex_);
  ++requests_[labels];
  Histogram& histogram = seconds_[by_route];
  ++histogram.counts[bucket];
  histogram.sum += seconds;
}

std::string Metrics::text() const {
  std::ostringstream out;
  {
    const std::lock_guard lock(mutex_);
    describe(out, "commonplace_requests_total", "counter", "Requests that were answered.");
    for (const auto& [labels, count] : requests_)
      out << "commonplace_requests_total{" << labels << "} " << count << '\n';
    describe(out, "commonplace_request_seconds", "histogram", "How long requests took.");
    for (const auto& [route, histogram] : seconds_) {
      std::int64_t count = 0;
      for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        count += histogram.counts[i];
        out << "commonplace_request_seconds_bucket{" << route << ",le=\"";
        if (i < kBounds.size())
          out << kBounds[i];
        else
          out << "+Inf";
        out << "\"} " << count << '\n';
      }
      out << "commonplace_request_seconds_sum{" << route << "} " << histogram.sum << '\n';
      out << "commonplace_request_seconds_count{" << route << "} " << count << '\n';
    }
  }
  single(out, "commonplace_connections", "gauge", "Open connections.", connections.load());
  single(out, "commonplace_requests_in_work", "gauge", "Requests with a worker.", in_work.load());
  single(out, "commonplace_requests_waiting", "gauge", "Requests that wait for a worker.",
         waiting.load());
  single(out, "process_resident_memory_bytes", "gauge", "Memory of the process.", resident_bytes());
  single(out, "process_cpu_seconds_total", "counter", "Processor seconds of the process.",
         processor_seconds());
  single(out, "process_open_fds", "gauge", "Open files and sockets.", open_files());
  return out.str();
}

}  // namespace commonplace::server
