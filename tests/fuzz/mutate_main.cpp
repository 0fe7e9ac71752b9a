// The engine for compilers without libFuzzer: runs a target on its seeds and on random changes of
// them, the same in every run. It ends at the first finding and keeps the input that made it.
#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "commonplace/io/files.h"
#include "tests/fuzz/allocations.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/sanitizer.h"

namespace commonplace::fuzz {
namespace {

constexpr unsigned kSecondsPerInput = 120;

struct Arguments {
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  std::string failed = "failed_input";
  std::vector<std::filesystem::path> paths;
};

/// What a signal handler needs to keep the input that is being tried. Never destroyed: a sanitizer
/// may still abort while the program ends.
struct Current {
  std::string input;
  std::string failed;
};
Current& current = *new Current;  // NOLINT(cppcoreguidelines-owning-memory)

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  require(error == std::errc() && end == text.data() + text.size(), "'", text, "' is not a number");
  return number;
}

Arguments parse_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      arguments.paths.emplace_back(word);
      continue;
    }
    require(++i < words.size(), word, " needs a value");
    if (word == "--runs") {
      arguments.runs = number_in(words[i]);
    } else if (word == "--seed") {
      arguments.seed = number_in(words[i]);
    } else if (word == "--failed") {
      arguments.failed = words[i];
    } else {
      fail(word, " is unknown; usage: [--runs N] [--seed S] [--failed FILE] FILE_OR_FOLDER...");
    }
  }
  return arguments;
}

/// Files, and the files of folders, by name.
std::vector<std::string> load_seeds(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const auto& path : paths) {
    if (std::filesystem::is_directory(path)) {
      for (const auto& entry : std::filesystem::directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  seeds.reserve(files.size());
  for (const auto& file : files) seeds.push_back(read_file(file, 1 << 20));
  require(!seeds.empty(), "there are no seeds; give at least one small valid file");
  return seeds;
}

/// Safe in a signal handler.
void keep_input() {
  const int file = ::open(current.failed.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  const bool kept = ::write(file, current.input.data(), current.input.size()) >= 0;
  ::close(file);
  constexpr std::string_view message = "the input that failed is kept in ";
  if (kept && ::write(2, message.data(), message.size()) > 0 &&
      ::write(2, current.failed.data(), current.failed.size()) > 0 && ::write(2, "\n", 1) > 0) {
    return;
  }
}

void on_signal(int signal) {
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void keep_input_on_failure() {
  std::vector<int> signals{SIGABRT, SIGALRM};
#ifndef COMMONPLACE_SANITIZED  // a sanitizer reports these itself and then aborts
  signals.insert(signals.end(), {SIGSEGV, SIGBUS, SIGFPE, SIGILL});
#endif
  // A stack of its own, for when the recursion of a reader has used up the other.
  static std::array<char, 1 << 16> stack;
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : signals) ::sigaction(signal, &action, nullptr);
}

/// A copy of exactly the input's size, so that a sanitizer sees the first byte read behind it.
void try_input(std::string input) {
  current.input = std::move(input);
  const std::vector<std::uint8_t> bytes(current.input.begin(), current.input.end());
  forget_allocations();
  ::alarm(kSecondsPerInput);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  ::alarm(0);
  check(largest_allocation() <= allocation_limit(), "a single allocation was above the limit");
}

void fuzz(const Arguments& arguments) {
  const std::vector<std::string> seeds = load_seeds(arguments.paths);
  current.failed = arguments.failed;
  std::size_t largest = 0;
  for (const std::string& seed : seeds) try_input(seed);
  require(outcomes.accepted > 0 || outcomes.refused == 0,
          "the reader refuses every seed, so nothing behind its first check would be tried");
  Rng rng(arguments.seed);
  for (std::uint64_t run = 0; run < arguments.runs; ++run) {
    try_input(mutate(seeds, rng));
    largest = std::max(largest, largest_allocation());
  }
  std::printf(
      "%zu seeds, %llu mutants: %llu accepted, %llu refused, largest allocation %zu bytes\n",
      seeds.size(), static_cast<unsigned long long>(arguments.runs),
      static_cast<unsigned long long>(outcomes.accepted),
      static_cast<unsigned long long>(outcomes.refused), largest);
}

}  // namespace
}  // namespace commonplace::fuzz

int main(int count, char** words) {
  using namespace commonplace::fuzz;
  keep_input_on_failure();
  try {
    fuzz(parse_arguments({words + 1, words + count}));
  } catch (const commonplace::Error& error) {
    std::fprintf(stderr, "%s: %s\n", words[0], error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", words[0], error.what());
    keep_input();
    return 1;
  }
  return 0;
}
