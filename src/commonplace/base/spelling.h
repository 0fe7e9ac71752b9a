#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commonplace/base/join.h"

namespace commonplace {

/// The name of an option and those that it had before, which are still read: visit_options writes
/// "noise|ridge".
inline std::vector<std::string> spellings(const char* name) { return split(name, '|'); }
inline std::string current_spelling(std::string_view name) {
  return std::string(name.substr(0, name.find('|')));
}

/// The word for a method or a kernel that was written with one that it had before.
inline std::string current_word(const std::string& word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kFormer = {{
      {"neighbours", "knn"},
      {"smooth", "laprls"},
      {"ale-smooth", "ale-laprls"},
      {"iale-smooth", "iale-laprls"},
      {"se", "rbf"},
      {"gaussian", "rbf"},
      {"place-votes", "kernel-regression"},
      {"words", "naive-bayes"},
      {"regression", "logistic"},
  }};
  for (const auto& [former, now] : kFormer)
    if (word == former) return std::string(now);
  return word;
}

/// The value of an option, in the words of now if it names a method or a kernel.
inline std::string current_value(const char* names, const std::string& value) {
  for (const char* of_words : {"method", "head", "kernel", "weights", "base_classifier"})
    if (current_spelling(names) == of_words) return current_word(value);
  return value;
}

/// The words of a list such as "svm,knn".
inline std::vector<std::string> current_words(const std::string& list) {
  std::vector<std::string> words = split(list);
  for (std::string& word : words) word = current_word(word);
  return words;
}

}  // namespace commonplace
