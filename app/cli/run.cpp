#include "app/cli/run.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <streambuf>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/memory.h"
#include "commonplace/comm/trace.h"
#include "commonplace/encode/worker.h"

namespace commonplace::app {
namespace {

void add_commands(CLI::App& app) {
  app.description(
      "Commonplace: learn from the tags that people already gave, on your own machine.\n"
      "A library is a folder; a collection is one source of tagged things in it.");
  app.footer(
      "Examples:\n"
      "  commonplace open ~/Pictures\n"
      "  commonplace init ~/library\n"
      "  commonplace add ~/library photos ~/Pictures\n"
      "  commonplace list ~/library photos --tags\n"
      "Every command has --help with examples of its own.\n"
      "Exit codes: 0 done, 1 wrong data or environment (nothing was changed), 2 wrong arguments,\n"
      "3 done but some records were skipped, 4 refused because it would do harm, 130 interrupted.");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("commonplace ") + COMMONPLACE_VERSION);
  add_open(app);
  add_init(app);
  add_add(app);
  add_list(app);
  add_show(app);
  add_tag(app);
  add_vocabulary(app);
  add_decisions(app);
  add_audit(app);
  add_export(app);
  add_features(app);
  add_models(app);
  add_learn(app);
  add_search(app);
  add_topics(app);
  add_suggest(app);
  add_review(app);
  add_apply(app);
  add_teach(app);
  add_runs(app);
  add_update(app);
  add_status(app);
  add_detect(app);
  add_relate(app);
  add_place(app);
  add_cluster(app);
  add_map(app);
  add_duplicates(app);
  add_bridges(app);
  add_transfer(app);
  add_evaluate(app);
  add_link(app);
  add_remove(app);
  add_serve(app);
  add_version(app);
  add_completion(app);
}

/// While it lives, what is written to standard output and error is lost.
class Silence {
 public:
  Silence() : output_(std::cout.rdbuf(&nowhere_)), error_(std::cerr.rdbuf(&nowhere_)) {}
  ~Silence() {
    std::cout.rdbuf(output_);
    std::cerr.rdbuf(error_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  class Nowhere final : public std::streambuf {
   protected:
    int_type overflow(int_type character) override { return traits_type::not_eof(character); }
    std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
  };

  Nowhere nowhere_;
  std::streambuf* output_;
  std::streambuf* error_;
};

/// Parses, and says what is wrong with the arguments. The exit code if that is all there is to do.
std::optional<int> parse(Program& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    // CLI11 misses a command before it tells of a word that is none.
    const bool misnamed =
        error.get_exit_code() != 0 && program.get_subcommands().empty() && argc > 1;
    if (!misnamed) return program.exit(error) == 0 ? kSuccess : kUsage;
    warn(concat("commonplace: there is no ", argv[1][0] == '-' ? "option" : "command", " '",
                printable(argv[1]), "'; commonplace --help lists those there are"));
    return kUsage;
  }
}

/// The ranks go on only if all found the arguments right and were given the same command. A rank
/// may find fault where others do not, as with a file that its host has not.
std::optional<int> agree(const Program& program, std::optional<int> code, Comm& comm) {
  const std::string mine = code ? "" : program.chosen()->name;
  const std::vector<std::string> names = comm.gather_texts(mine);
  const auto other = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& name) { return name != names.front(); });
  if (other == names.end()) return code;
  warn(concat("commonplace: rank ", other - names.begin(), " of ", comm.size(),
              " was given other arguments than rank 0, or finds them wrong; all must run the same "
              "command, on files that every host has"));
  return kUsage;
}

/// The timeline into a file, and where several ranks' time went on standard error.
void write_profile(const Chosen& chosen, Comm& comm, double seconds, const CommUse& before) {
  comm.record(false);
  const std::vector<RankTimes> times = rank_times(comm, seconds, before);
  const std::string trace = chrome_trace(comm);
  if (comm.rank() != 0) return;
  write_whole(chosen.common->profile, trace);
  if (comm.size() == 1 || chosen.common->quiet) return;
  std::vector<std::vector<std::string>> rows;
  for (const RankTimes& each : times)
    rows.push_back({std::to_string(each.rank), each.host, fixed(each.compute, 2),
                    fixed(each.communication, 2), fixed(static_cast<double>(each.bytes) / 1e6, 1)});
  print_table({"RANK", "HOST", "COMPUTE S", "COMMUNICATION S", "MB RECEIVED"}, rows, std::cerr);
}

int run_chosen(const Chosen& chosen, Comm& comm) {
  if (comm.size() > 1 && chosen.ranks == Ranks::one) {
    warn("commonplace: '" + chosen.name + "' runs in one process; start it without mpirun");
    return kUsage;
  }
  if (chosen.common->profile.empty()) return chosen.run();
  if (comm.rank() == 0) check_writable(chosen.common->profile);
  comm.record(true);
  const CommUse before = comm.use();
  const int code = chosen.run();
  write_profile(chosen, comm, comm.recorded_seconds(), before);
  return code;
}

int run_all(int argc, char** argv, Comm& comm) {
  Program program("commonplace", comm);
  add_commands(program);
  std::optional<int> code = parse(program, argc, argv);
  if (comm.size() > 1) code = agree(program, code, comm);
  if (!code) code = run_chosen(*program.chosen(), comm);
  std::cout.flush();
  require(std::cout.good(), "the output cannot be written");
  return *code;
}

int run_alone(int argc, char** argv, Comm& comm) {
  // With several ranks the first of these signals ends a process at once, as mpirun expects.
  catch_interrupts();
  try {
    return run_all(argc, argv, comm);
  } catch (const Cancelled& error) {
    warn(std::string("commonplace: ") + error.what());
    return kInterrupted;
  } catch (const std::bad_alloc&) {
    warn("commonplace: not enough memory; nothing was changed");
    return kFailure;
  } catch (const std::exception& error) {
    warn(std::string("commonplace: ") + error.what());
    return kFailure;
  }
}

}  // namespace

int run(int argc, char** argv, Comm& comm) {
  keep_freed_blocks();
  set_worker_program("/proc/self/exe");
  if (comm.size() == 1) return run_alone(argc, argv, comm);
  std::optional<Silence> silence;
  if (comm.rank() != 0) silence.emplace();
  try {
    return run_all(argc, argv, comm);
  } catch (const std::bad_alloc&) {
    fail("not enough memory; nothing was changed");
  }
}

void report_failure(int rank, int size, const std::string& message) {
  const std::string who =
      rank < 0 ? "" : concat("rank ", rank, " of ", size, " (", host_name(), "): ");
  std::cout.flush();
  warn("commonplace: " + who + message);
  std::cerr.flush();
}

}  // namespace commonplace::app
