#include "commonplace/comm/trace.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

/// `text` as a string of JSON.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    // Names of hosts and calls have no such characters; whatever has is shown without.
    result += static_cast<unsigned char>(character) < 0x20 ? '?' : character;
  }
  return result + '"';
}

std::string complete_event(int rank, const char* name, const char* category, double begin,
                           double seconds) {
  std::array<char, 96> times{};
  std::snprintf(times.data(), times.size(), R"("ts":%.3f,"dur":%.3f)", begin * 1e6,
                std::max(0.0, seconds) * 1e6);
  return concat(R"({"ph":"X","pid":)", rank, R"(,"tid":0,"name":)", quoted(name), R"(,"cat":")",
                category, R"(",)", times.data());
}

/// The events of this rank, each with a comma before it but for the very first of rank 0.
std::string events_of_rank(const Comm& comm) {
  const int rank = comm.rank();
  std::string text = concat(rank == 0 ? "" : ",\n", R"({"ph":"M","pid":)", rank,
                            R"(,"name":"process_name","args":{"name":)",
                            quoted(concat("rank ", rank, " on ", host_name())), "}}");
  text += concat(",\n", R"({"ph":"M","pid":)", rank,
                 R"(,"name":"process_sort_index","args":{"sort_index":)", rank, "}}");
  const auto compute_until = [&](double begin, double end) {
    if (end > begin)
      text += ",\n" + complete_event(rank, "compute", "compute", begin, end - begin) + "}";
  };
  double computing_since = 0;
  for (const CommEvent& event : comm.events()) {
    compute_until(computing_since, event.begin);
    text += ",\n" + complete_event(rank, event.call, "communication", event.begin, event.seconds) +
            R"(,"args":{"bytes":)" + std::to_string(event.bytes) + "}}";
    computing_since = event.begin + event.seconds;
  }
  compute_until(computing_since, comm.recorded_seconds());
  return text;
}

}  // namespace

std::string chrome_trace(Comm& comm) {
  comm.record(false);
  std::string mine = events_of_rank(comm);
  std::string all = comm.rank() == 0 ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" : "";
  for (int rank = 0; rank < comm.size(); ++rank) {
    std::string received;
    std::string& text = comm.rank() == rank ? mine : received;
    text.resize(comm.broadcast(static_cast<std::uint64_t>(text.size()), rank));
    comm.broadcast(std::span<char>(text), rank);
    if (comm.rank() == 0) all += text;
  }
  if (comm.rank() == 0) all += "\n]}\n";
  return all;
}

std::vector<RankTimes> rank_times(Comm& comm, double seconds_in_all, const CommUse& before) {
  const CommUse use = {comm.use().calls - before.calls, comm.use().bytes - before.bytes,
                       comm.use().seconds - before.seconds};
  struct Numbers {
    double compute;
    double communication;
    std::int64_t bytes;
    std::int64_t calls;
  };
  Numbers numbers{std::max(0.0, seconds_in_all - use.seconds), use.seconds, use.bytes, use.calls};
  std::string mine(sizeof numbers, '\0');
  std::memcpy(mine.data(), &numbers, sizeof numbers);
  std::vector<RankTimes> times;
  for (const std::string& text : comm.gather_texts(mine + host_name())) {
    std::memcpy(&numbers, text.data(), sizeof numbers);
    times.push_back({static_cast<int>(times.size()), text.substr(sizeof numbers), numbers.compute,
                     numbers.communication, numbers.bytes, numbers.calls});
  }
  return times;
}

}  // namespace commonplace
