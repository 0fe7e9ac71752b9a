#include "commonplace/suggest/review.h"

#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/keyboard.h"
#include "app/cli/suggest/reasons.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"

namespace commonplace::app {
namespace review_cli {

using namespace suggest;

constexpr int kLineWidth = 100;
constexpr int kSnippetWidth = 300;
constexpr std::size_t kShownTags = 10;
constexpr const char* kKeys =
    "y or a: accept   n or r: reject   s or blank: skip   u: undo   q: quit   ?: this help";

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::string model;
  std::string order = "confident";
  std::string tag;
  double threshold = -1;
  std::int64_t limit = 0;
  bool explain = false;
};

ReviewOptions review_options(const Arguments& arguments) {
  require(arguments.threshold <= 1, "--threshold is ", arguments.threshold,
          "; expected a confidence from 0 to 1");
  ReviewOptions options;
  options.order = review_order(arguments.order);
  options.tag = arguments.tag;
  if (arguments.threshold >= 0) options.threshold = arguments.threshold;
  options.limit = arguments.limit;
  return options;
}

void print_queue(const Arguments& arguments, ReviewQueue& queue) {
  for (std::int64_t i = 0; i < queue.left(); ++i) {
    const std::optional<ReviewEntry> entry = queue.look(i, arguments.explain);
    if (entry) print_json(*entry);
  }
}

std::string progress_line(const ReviewCounts& counts) {
  return with_commas(counts.accepted) + " accepted, " + with_commas(counts.rejected) + " rejected" +
         (counts.skipped > 0 ? ", " + with_commas(counts.skipped) + " skipped" : "");
}

/// Asks the questions of a queue.
class Dialogue {
 public:
  Dialogue(const Arguments& arguments, ReviewQueue& queue)
      : common_(arguments), queue_(queue), total_(queue.left()) {
    // Without questions a person at a terminal would wait for them.
    if (keyboard_.is_terminal()) common_.quiet = false;
  }

  void run() {
    if (keyboard_.is_terminal()) say(common_, kKeys);
    for (bool ask = true;;) {
      const ReviewEntry* entry = queue_.next();
      if (entry == nullptr && (!keyboard_.is_terminal() || total_ == 0)) return;
      if (std::exchange(ask, false)) entry != nullptr ? show(*entry) : show_end();
      const std::optional<char> key = keyboard_.next();
      if (!key || *key == 'q' || (entry == nullptr && *key != 'u')) return;
      ask = answer(*key);
    }
  }

 private:
  void show(const ReviewEntry& entry) {
    say(common_, "");
    say(common_,
        "[" + progress_line(queue_.counts()) + "; " + with_commas(queue_.left()) + " left]");
    say(common_, shorten(entry.title.empty() ? entry.id : entry.title, kLineWidth));
    if (!entry.snippet.empty()) say(common_, "  " + shorten(entry.snippet, kSnippetWidth));
    if (!entry.image.empty()) say(common_, "  " + shorten(entry.image, kLineWidth));
    say(common_, "  " + (entry.tags.empty() ? std::string("no tags yet")
                                            : "tags: " + shorten(join(entry.tags), kSnippetWidth)));
    const std::string reasons = why(entry.reasons);
    say(common_, "  " + entry.tag + "?  " + fixed(100 * entry.confidence, 0) + " % sure" +
                     (reasons.empty() ? "" : ", " + reasons));
    std::cout << std::flush;
  }
  void show_end() {
    say(common_, "");
    say(common_, "That was the last. u: undo   any other key: end");
    std::cout << std::flush;
  }

  /// True if there is something new to show.
  bool answer(char key) {
    switch (key) {
      case 'y':
      case 'a':
        queue_.accept();
        return said("accepted");
      case 'n':
      case 'r':
        queue_.reject();
        return said("rejected");
      case 's':
      case ' ':
        queue_.skip();
        return said("skipped");
      case 'u':
        return said(queue_.undo() ? "taken back" : "there is nothing to take back");
      case '?':
      case 'h':
        say(common_, kKeys);
        return true;
      default:
        warn(std::string("'") + key + "' is not known. " + kKeys);
        return false;
    }
  }
  bool said(std::string_view word) {
    say(common_, "  -> " + std::string(word));
    return true;
  }

  Keyboard keyboard_;
  Common common_;
  ReviewQueue& queue_;
  std::int64_t total_;
};

void show_end(const Arguments& arguments, const suggest::Answerer& suggester, ReviewQueue& queue,
              bool kept) {
  const ReviewCounts& counts = queue.counts();
  say(arguments, "");
  tell(progress_line(counts) + "; " + with_commas(queue.left()) + " not answered.");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [tag, of] : queue.counts_by_tag())
    if (rows.size() < kShownTags)
      rows.push_back(
          {with_commas(of.accepted), with_commas(of.rejected), with_commas(of.skipped), tag});
  if (!rows.empty() && !arguments.quiet)
    print_table({"ACCEPTED", "REJECTED", "SKIPPED", "TAG"}, rows);
  if (queue.counts_by_tag().size() > rows.size())
    say(arguments,
        "and " + counted(std::ssize(queue.counts_by_tag()) - std::ssize(rows), "other tag") + ".");
  if (counts.decided() == 0) return;
  const suggest::Update& learned = queue.learned();
  if (arguments.collection != suggester.collection())
    say(arguments, "The model '" + suggester.name() + "' learns from '" + suggester.collection() +
                       "' and not from these decisions.");
  else
    say(arguments, "The model '" + suggester.name() + "' learned " +
                       counted(learned.new_items, "new item") + " and changed what it knew of " +
                       with_commas(learned.changed_items) + ", in " + fixed(learned.seconds, 2) +
                       " s" +
                       (kept ? "." : "; it was learned anew meanwhile, and that one was kept."));
  say(arguments, "To go on: commonplace review " + arguments.library + " --collection " +
                     arguments.collection);
  say(arguments, "To write what is sure: commonplace apply " + arguments.library +
                     " --collection " + arguments.collection + " --above 0.9");
}

int run(const Arguments& arguments) {
  const ReviewOptions options = review_options(arguments);
  Library library(arguments.library,
                  arguments.json ? Library::Access::read : Library::Access::write);
  collection(library, arguments.collection);
  std::unique_ptr<suggest::Answerer> suggester;
  std::unique_ptr<ReviewQueue> queue;
  {
    ProgressBar bar(arguments);
    suggester = std::make_unique<suggest::Answerer>(library, arguments.model, arguments.collection,
                                                    bar.run());
    queue = std::make_unique<ReviewQueue>(library, *suggester, arguments.collection, options,
                                          bar.run());
  }
  if (arguments.json) {
    print_queue(arguments, *queue);
    return kSuccess;
  }
  if (queue->left() == 0) {
    say(arguments,
        "There is nothing to review: no suggestion is sure enough. Try -t 0.1, or"
        " learn the model again with more tags.");
    return kSuccess;
  }
  Dialogue(arguments, *queue).run();
  const bool kept = queue->keep();
  show_end(arguments, *suggester, *queue, kept);
  return interrupted() ? kInterrupted : kSuccess;
}

}  // namespace review_cli

void add_review(CLI::App& app) {
  using namespace review_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "review", "Accept or reject suggestions one by one; the model learns from each answer",
      "  commonplace review ~/library --collection bookmarks\n"
      "  commonplace review ~/library --collection photos --order uncertain --limit 50\n"
      "  commonplace review ~/library --collection photos --tag harbour -t 0.2\n"
      "  commonplace review ~/library --collection photos --json --limit 100\n"
      "  printf 'y\\nn\\ns\\n' | commonplace review ~/library --collection photos\n"
      "Keys: y or a accept, n or r reject, s or blank skip, u undo, ? help, q quit. Each answer "
      "is\n"
      "stored at once. A rejected tag is never suggested for that item again. When the standard\n"
      "input is not a terminal, one letter is read from each line. With --json the questions are\n"
      "printed, one on a line, and nothing is asked.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--collection", arguments->collection, "The collection to review")
      ->required();
  command
      ->add_option(
          "--order", arguments->order,
          "confident (surest first), uncertain (nearest to 50 % first), useful (the same,\n"
          "with all tags and items in turn) or tag (by tag)")
      ->capture_default_str();
  command->add_option("--tag", arguments->tag, "The items that deserve this tag");
  command->add_option("-t,--threshold", arguments->threshold,
                      "Least confidence, 0 .. 1 (the model's own; 0.25 for uncertain)");
  command->add_option("-l,--limit", arguments->limit, "At most so many questions (all)")
      ->check(CLI::PositiveNumber);
  command->add_option("--model", arguments->model, "The model, if there are several");
  command->add_flag("--explain", arguments->explain, "With --json: say why, too");
}

}  // namespace commonplace::app
