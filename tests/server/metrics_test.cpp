#include "app/server/metrics.h"

#include <cctype>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace commonplace::server {
namespace metrics_test {

bool has_line(const std::string& text, const std::string& line) {
  return ('\n' + text).find('\n' + line + '\n') != std::string::npos;
}

double value_of(const std::string& text, const std::string& name) {
  const std::size_t at = text.find('\n' + name + ' ');
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

TEST(Metrics, CountsRequestsAndSeconds) {
  Metrics metrics;
  metrics.count_request("GET", "/v1/x", 200, 0.001);
  metrics.count_request("GET", "/v1/x", 200, 0.3);
  metrics.count_request("GET", "/v1/x", 404, 100);
  metrics.count_request("BREW", "other", 400, 0);
  const std::string text = metrics.text();
  EXPECT_TRUE(has_line(
      text, "commonplace_requests_total{method=\"GET\",route=\"/v1/x\",status=\"200\"} 2"));
  EXPECT_TRUE(has_line(
      text, "commonplace_requests_total{method=\"GET\",route=\"/v1/x\",status=\"404\"} 1"));
  EXPECT_TRUE(has_line(
      text, "commonplace_requests_total{method=\"other\",route=\"other\",status=\"400\"} 1"));
  const std::string bucket = "commonplace_request_seconds_bucket{route=\"/v1/x\",le=";
  EXPECT_TRUE(has_line(text, bucket + "\"0.001\"} 1"));
  EXPECT_TRUE(has_line(text, bucket + "\"0.25\"} 1"));
  EXPECT_TRUE(has_line(text, bucket + "\"0.5\"} 2"));
  EXPECT_TRUE(has_line(text, bucket + "\"10\"} 2"));
  EXPECT_TRUE(has_line(text, bucket + "\"+Inf\"} 3"));
  EXPECT_TRUE(has_line(text, "commonplace_request_seconds_count{route=\"/v1/x\"} 3"));
  EXPECT_TRUE(has_line(text, "commonplace_request_seconds_sum{route=\"/v1/x\"} 100.301"));
}

TEST(Metrics, EscapesLabels) {
  Metrics metrics;
  metrics.count_request("GET", "a\"b\\c\nd", 200, 0);
  EXPECT_NE(metrics.text().find("route=\"a\\\"b\\\\c\\nd\""), std::string::npos);
}

TEST(Metrics, TellsOfTheProcess) {
  Metrics metrics;
  metrics.connections = 3;
  metrics.waiting = 2;
  metrics.in_work = 1;
  const std::string text = metrics.text();
  EXPECT_TRUE(has_line(text, "commonplace_connections 3"));
  EXPECT_TRUE(has_line(text, "commonplace_requests_waiting 2"));
  EXPECT_TRUE(has_line(text, "commonplace_requests_in_work 1"));
  EXPECT_GT(value_of(text, "process_resident_memory_bytes"), 100000);
  EXPECT_GE(value_of(text, "process_cpu_seconds_total"), 0);
  EXPECT_GE(value_of(text, "process_open_fds"), 1);
  EXPECT_EQ(text.back(), '\n');
}

TEST(Metrics, EveryLineIsAboutADescribedName) {
  Metrics metrics;
  metrics.count_request("GET", "/v1/{c}", 200, 0.01);
  std::istringstream lines(metrics.text());
  std::string described;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ")) continue;
    if (line.starts_with("# TYPE ")) {
      described = line.substr(7, line.find(' ', 7) - 7);
      continue;
    }
    EXPECT_TRUE(line.starts_with(described)) << line;
    EXPECT_NE(std::isdigit(static_cast<unsigned char>(line.back())), 0) << line;
  }
}

TEST(Metrics, CountsFromAllThreads) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) metrics.count_request("GET", "/a", 200, 0.01);
      EXPECT_FALSE(metrics.text().empty());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(
      has_line(metrics.text(),
               "commonplace_requests_total{method=\"GET\",route=\"/a\",status=\"200\"} 2000"));
}

}  // namespace metrics_test
}  // namespace commonplace::server
