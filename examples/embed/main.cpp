// Learns from a few tagged notes, suggests tags for a new one, and finds notes like those shown.
//   embed NOTES.jsonl EMPTY_FOLDER
#include <iostream>

#include <commonplace/detect.h>
#include <commonplace/library.h>
#include <commonplace/search.h>
#include <commonplace/suggest.h>

namespace cp = commonplace;

int main(int count, char** arguments) try {
  if (count != 3) throw cp::Error("give the notes and an empty folder");
  cp::Run run;
  run.jobs = 2;

  cp::Library library = cp::Library::create(arguments[2]);
  const cp::AddReport added = cp::add(library, "notes", arguments[1]);
  std::cout << "added " << added.added << " items\n";

  cp::suggest::learn(library, "notes", {}, run);
  const cp::suggest::Suggester suggester(library);
  for (const auto& each : suggester.ask("the mast of a ferry in the harbour").suggestions)
    std::cout << "suggest " << each.tag << " " << each.confidence << "\n";

  // Detecting goes by dense features: topics of the text here, embeddings of your own elsewhere.
  cp::make_features(library, "notes", "topics", {{"topics", "3"}}, "topics", run);
  cp::detect::learn(library, "notes", {}, run);
  const cp::detect::Lesson lessons[] = {{"note001"}, {"note004"}, {"note000", -1}, {"note002", -1}};
  cp::detect::teach(library, "notes", "flying", lessons);
  for (const auto& each : cp::detect::Detector(library).ask("flying", {.limit = 6}).found)
    std::cout << "detect " << each.id << " " << each.score << "\n";

  for (const auto& hit : cp::search::Searcher(library).ask("owl #birds", {.limit = 2}).hits)
    std::cout << "search " << hit.id << " " << hit.score << "\n";
} catch (const cp::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
