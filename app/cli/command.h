#pragma once

#include <functional>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include "commonplace/base/progress.h"
#include "commonplace/comm/comm.h"

namespace commonplace::app {

/// What every command has: --json, --quiet, --jobs, and --profile if it may run on several ranks.
struct Common {
  bool json = false;
  bool quiet = false;
  /// 0 for as many threads as there are processors; with several ranks add_command makes of that
  /// this rank's share of its host.
  int jobs = 0;
  std::string profile;
  /// The ranks that run the command; never null.
  Comm* comm = &self_comm();
};

/// Whether a command can be run by several ranks, each with a part of the work.
enum class Ranks { one, many };

/// The command that the arguments name.
struct Chosen {
  std::string name;  ///< with those above it: "learn search"
  Ranks ranks = Ranks::one;
  Common* common = nullptr;
  std::function<int()> run;
};

/// The root of the commands, and what they share in one run of the program.
class Program : public CLI::App {
 public:
  Program(const std::string& name, Comm& comm) : CLI::App("", name), comm_(comm) {}
  Comm& comm() { return comm_; }
  /// Nothing before parse() returned.
  const std::optional<Chosen>& chosen() const { return chosen_; }
  /// The deepest of nested commands comes first, and counts.
  void choose(Chosen chosen) {
    if (!chosen_) chosen_ = std::move(chosen);
  }

 private:
  Comm& comm_;
  std::optional<Chosen> chosen_;
};

/// How a run ended, for scripts.
enum ExitCode {
  kSuccess = 0,
  kFailure = 1,      ///< wrong data or environment: the message says which; nothing was changed
  kUsage = 2,        ///< wrong arguments
  kSomeSkipped = 3,  ///< done, but some records or files could not be read and were skipped
  kRefused = 4,      ///< it would do harm, so nothing was written; --force does it nevertheless
  kInterrupted = 130,
};

/// Makes a sub-command, somewhere below a Program, with the common options and an example for its
/// --help. `run` is called after all arguments were found right, and returns the exit code. With
/// Ranks::many every rank calls it, and what is written to standard output or error appears only if
/// rank 0 wrote it.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples, Common& common, std::function<int()> run,
                      Ranks ranks = Ranks::one);

/// Each puts one sub-command into the program.
void add_init(CLI::App& app);
void add_add(CLI::App& app);
void add_list(CLI::App& app);
void add_show(CLI::App& app);
void add_tag(CLI::App& app);
void add_vocabulary(CLI::App& app);
void add_decisions(CLI::App& app);
void add_audit(CLI::App& app);
void add_export(CLI::App& app);
void add_features(CLI::App& app);
void add_models(CLI::App& app);
void add_learn(CLI::App& app);
void add_search(CLI::App& app);
void add_topics(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_link(CLI::App& app);
void add_remove(CLI::App& app);
void add_suggest(CLI::App& app);
void add_review(CLI::App& app);
void add_apply(CLI::App& app);
void add_teach(CLI::App& app);
void add_open(CLI::App& app);
void add_update(CLI::App& app);
void add_status(CLI::App& app);
void add_runs(CLI::App& app);
void add_detect(CLI::App& app);
void add_relate(CLI::App& app);
void add_place(CLI::App& app);
void add_cluster(CLI::App& app);
void add_map(CLI::App& app);
void add_duplicates(CLI::App& app);
void add_bridges(CLI::App& app);
void add_transfer(CLI::App& app);
void add_serve(CLI::App& app);
void add_version(CLI::App& app);
void add_completion(CLI::App& app);

/// Each puts one sub-command below `learn` or `evaluate`.
void add_learn_search(CLI::App& learn, std::string& library);
void add_learn_suggest(CLI::App& learn, std::string& library);
void add_learn_detect(CLI::App& learn, std::string& library);
void add_learn_relate(CLI::App& learn, std::string& library);
void add_evaluate_search(CLI::App& evaluate);
void add_evaluate_suggest(CLI::App& evaluate);
void add_evaluate_classify(CLI::App& evaluate);
void add_evaluate_audit(CLI::App& evaluate);
void add_evaluate_review(CLI::App& evaluate);
void add_evaluate_detect(CLI::App& evaluate);
void add_evaluate_relate(CLI::App& evaluate);
void add_evaluate_transfer(CLI::App& evaluate);

}  // namespace commonplace::app
