#pragma once

#include <string>
#include <vector>

#include "commonplace/base/rng.h"
#include "commonplace/suggest/ask.h"
#include "commonplace/suggest/learn.h"
#include "tests/support/sample_library.h"

/// Notes whose tags follow from their words, in a library, with a model that suggests them.
namespace commonplace::test {

inline const std::vector<std::string> kNoteTopics = {"Sea/Harbour", "Forest", "Kitchen", "Ölberg"};
inline constexpr int kNotes = 640;

/// Note i is of topic i % 4 and has six of its ten words. Every fifth note has no tags; those of
/// the others are the topic and, for a third of them, "photo", which no word tells.
inline std::string note_lines() {
  Rng rng(5);
  std::string lines;
  for (int i = 0; i < kNotes; ++i) {
    const auto topic = static_cast<std::size_t>(i % 4);
    std::string text;
    for (int word = 0; word < 6; ++word)
      text += "word" + std::string(1, static_cast<char>('a' + topic)) +
              std::string(1, static_cast<char>('a' + rng.below(10))) + " ";
    text += "noise" + std::string(1, static_cast<char>('a' + rng.below(20)));
    std::string tags;
    if (i % 5 != 0) tags = "\"" + kNoteTopics[topic] + "\"";
    if (i % 5 != 0 && rng.below(3) == 0) tags += ",\"photo\"";
    lines += "{\"id\":\"n" + std::to_string(i) + "\",\"title\":\"Note " + std::to_string(i) +
             "\",\"text\":\"" + text + "\",\"tags\":[" + tags + "]}\n";
  }
  return lines;
}

class TaggedNotes : public LibraryTest {
 protected:
  TaggedNotes() { import_jsonl(library(), "notes", note_lines()); }

  /// Nothing is chosen, so that learning is quick.
  static suggest::ModelOptions usual_options() {
    suggest::ModelOptions options;
    options.suggester.method = "tags";
    options.suggester.prototypes = "40";
    options.suggester.length_scale = 0.7;
    options.suggester.noise_variance = 0.1;
    options.suggester.weighting = "rare";
    return options;
  }
  void learn(const suggest::ModelOptions& options = usual_options()) {
    suggest::learn(library(), "notes", "", options, {.jobs = 1});
  }
  suggest::Answerer suggester() { return {library(), "", "notes", {.jobs = 1}}; }
  /// The tags suggested for an item, whatever the confidence.
  std::vector<std::string> suggested(const suggest::Answerer& by, const std::string& id) {
    suggest::Options options;
    options.threshold = 0;
    const auto answers = by.ask("notes", std::span(&id, 1), options);
    std::vector<std::string> tags;
    for (const suggest::Suggestion& each : answers[0].suggestions) tags.push_back(each.tag);
    return tags;
  }
  static const std::string& topic_of(const std::string& id) {
    return kNoteTopics[static_cast<std::size_t>(std::stoi(id.substr(1)) % 4)];
  }
};

}  // namespace commonplace::test
