#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "app/cli/frame.h"
#include "app/cli/open_library.h"
#include "app/cli/options.h"
#include "commonplace/eval/tune.h"
#include "commonplace/io/fields_json.h"

namespace commonplace::app {

/// What every command below `learn` is given.
struct LearnArguments : Common {
  std::string library;
  std::string name;  ///< of the model; empty: the usual one
  bool update = false;
};

/// Learns by learn(library, run) and prints its report: to_json, or show(arguments, report).
template <class Arguments, class Learn, class Show>
int learn_and_report(const Arguments& arguments, const Learn& learn, const Show& show) {
  Library library = open_to_write(arguments, arguments.library);
  const auto report = with_progress(arguments, [&](const Run& run) { return learn(library, run); });
  return print_answer(arguments, to_json(report), [&] { show(arguments, report); });
}

/// Prints what was tried on held-out items and what was taken; `measure` heads the figures, which
/// are multiplied by `scale`.
inline void show_tried(const LearnArguments& arguments, const std::vector<TuningTrial>& tried,
                       const std::string& measure, int digits = 3, double scale = 1) {
  if (tried.empty() || arguments.quiet) return;
  std::vector<std::vector<std::string>> rows;
  for (const TuningTrial& each : tried)
    rows.push_back({each.setting, fixed(scale * each.quality, digits), each.taken ? "taken" : ""});
  say(arguments,
      "Tried on items held out; a setting is taken where it is better than those above:");
  print_table({"SETTING", measure, ""}, rows);
}

/// Brings the model up to date by update(library, name, run), and prints what has changed, or for
/// people `words` of it, which are empty if nothing has.
template <class Update, class Words>
int update_and_report(const LearnArguments& arguments, const std::string& usual_name,
                      const Update& update, const Words& words) {
  const std::string name = arguments.name.empty() ? usual_name : arguments.name;
  Library library = open_to_write(arguments, arguments.library);
  const auto found =
      with_progress(arguments, [&](const Run& run) { return update(library, name, run); });
  nlohmann::ordered_json json = {{"model", name}};
  json.update(as_json(found));
  const std::string learned = words(found);
  return print_answer(arguments, json.dump(), [&] {
    say(arguments, learned.empty() ? "Nothing has changed since the model was learned."
                                   : learned + " in " + fixed(found.seconds, 2) + " s.");
  });
}

/// Puts a command below `learn`, whose library is read before `run` is called.
template <class Arguments>
CLI::App* add_learn_command(CLI::App& learn, std::string& library, const std::string& name,
                            const std::string& description, const std::string& examples,
                            const std::shared_ptr<Arguments>& arguments,
                            int (*run)(const Arguments&)) {
  return add_command(
      learn, name, description, examples, *arguments,
      [arguments, &library, run] {
        arguments->library = library;
        return run(*arguments);
      },
      Ranks::many);
}

}  // namespace commonplace::app
