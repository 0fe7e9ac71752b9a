#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include <nlohmann/json.hpp>
#include <signal.h>
#include <spawn.h>

#include "app/cli/command.h"
#include "app/cli/serving.h"
#include "app/cli/terminal.h"
#include "app/server/http/http_server.h"
#include "app/server/keeper.h"
#include "app/server/routes/routes.h"
#include "app/server/service.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"

namespace commonplace::app {
namespace serve_cli {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookEvery{100};
constexpr std::chrono::milliseconds kKeepEvery{5000};

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Beside the program, or where an installation has it.
fs::path page_folder(const std::string& given) {
  if (!given.empty()) {
    require(fs::is_regular_file(fs::path(given) / "index.html"), given,
            ": there is no page (it has no index.html)");
    return given;
  }
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& each : {beside / "page", beside / "../share/commonplace/page"})
    if (fs::is_regular_file(each / "index.html", error)) return each;
  return {};
}

server::GuardOptions guard_of(const ServeArguments& arguments, int port) {
  server::GuardOptions guard;
  guard.token = arguments.token;
  guard.read_only = arguments.read_only;
  guard.port = port;
  guard.hosts = arguments.names;
  guard.hosts.push_back(arguments.server.host);
  if (is_loopback(arguments.server.host))
    for (const char* name : {"localhost", "127.0.0.1", "::1"}) guard.hosts.emplace_back(name);
  return guard;
}

/// Does something again and again, with a pause, until it is ended.
class Repeated {
 public:
  Repeated(std::chrono::milliseconds pause, std::function<void()> work)
      : thread_([this, pause, work = std::move(work)] {
          std::unique_lock lock(mutex_);
          while (!wake_.wait_for(lock, pause, [&] { return ended_; })) {
            lock.unlock();
            try {
              work();
            } catch (const std::exception& error) {
              warn(std::string("commonplace: ") + error.what());
            }
            lock.lock();
          }
        }) {}
  ~Repeated() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

/// What else opens addresses for the person who is at the machine; if there is nothing, the address
/// that was printed is enough.
void show_in_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open";
  std::string where = address + "/";
  char* arguments[] = {program.data(), where.data(), nullptr};
  pid_t child = 0;
  ::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ);
}

void announce(const ServeArguments& arguments, int port, bool has_page) {
  const std::string& host = arguments.server.host;
  const std::string address =
      concat("http://", host.find(':') == std::string::npos ? host : "[" + host + "]", ":", port);
  if (arguments.json)
    print_json({{"address", address},
                {"page", has_page},
                {"read_only", arguments.read_only},
                {"library", arguments.library}});
  else
    say(arguments, has_page ? "Open " + address + "/ in a browser. Ctrl-C stops it."
                            : "The HTTP interface is at " + address +
                                  "/v1 (there is no page beside the program). Ctrl-C stops it.");
  std::cout.flush();
  if (arguments.browse && has_page) show_in_browser(address);
}

}  // namespace serve_cli

int serve(ServeArguments& arguments) {
  using namespace serve_cli;
  require(is_loopback(arguments.server.host) || !arguments.token.empty(), "'",
          arguments.server.host,
          "' can be reached by others: give a --token that they need to know");
  require(arguments.token.empty() || arguments.token.size() >= 8,
          "the token is too easy to guess; give one of 8 characters or more");
  ::signal(SIGPIPE, SIG_IGN);
  const fs::path path = fs::weakly_canonical(arguments.library);
  server::Workspace workspace(path, arguments.read_only, arguments.jobs);
  server::Uploads uploads(path);
  server::Metrics metrics;
  // Before the jobs, which tell it what has come.
  std::optional<server::Keeper> keeper;
  server::Jobs jobs(fs::read_symlink("/proc/self/exe"));
  server::Router router;
  std::vector<fs::path> folders(arguments.import_folders.begin(), arguments.import_folders.end());
  server::add_library_routes(router, workspace, !folders.empty());
  server::add_item_routes(router, workspace);
  server::add_search_routes(router, workspace);
  server::add_suggest_routes(router, workspace);
  server::add_select_routes(router, workspace);
  server::add_vocabulary_routes(router, workspace);
  server::add_audit_routes(router, workspace);
  server::add_decision_routes(router, workspace);
  server::add_review_routes(router, workspace);
  server::add_detect_routes(router, workspace);
  server::add_relate_routes(router, workspace);
  server::add_job_routes(router, workspace, jobs, uploads, folders, [&keeper] {
    if (keeper) keeper->wake();
  });
  server::add_system_routes(router, metrics);
  if (arguments.keep && !arguments.read_only) {
    server::KeeperOptions kept;
    kept.program = fs::read_symlink("/proc/self/exe");
    kept.library = path;
    keeper.emplace(std::move(kept));
  }
  server::add_keep_routes(router, workspace, keeper ? &*keeper : nullptr);
  const fs::path page = page_folder(arguments.page);
  const bool has_page = !page.empty() && server::add_page_routes(router, page);

  server::GuardOptions guard;
  if (!arguments.read_only) fs::create_directories(uploads.arrivals());
  arguments.server.upload_folder = uploads.arrivals();
  if (arguments.server.workers == 0)
    arguments.server.workers = std::max(4, resolve_jobs(arguments.jobs));
  server::HttpServer http(
      arguments.server,
      server::make_service(router, guard, metrics, [](const std::string& line) { warn(line); }),
      metrics);
  guard = guard_of(arguments, http.port());
  announce(arguments, http.port(), has_page);
  {
    // A signal's handler can do no more than note it, so that somebody has to look.
    const Repeated watch(kLookEvery, [&http] {
      if (interrupted()) http.stop();
    });
    const Repeated keeping(kKeepEvery, [&] {
      workspace.keep_learned();
      if (!arguments.read_only) uploads.sweep();
    });
    http.run();
  }
  try {
    workspace.keep_learned();
  } catch (const Error& error) {
    warn(concat("commonplace: what was learned is learned again the next time: ", error.what()));
  }
  say(arguments, "Stopped.");
  return kSuccess;
}

void add_serve_options(CLI::App& command, ServeArguments& arguments) {
  command.add_option("--host", arguments.server.host, "The address to listen on")
      ->capture_default_str();
  command.add_option("--port", arguments.server.port, "The port (0: any that is free)")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command.add_flag("!--no-keep", arguments.keep,
                   "Do not watch folders and bring the library up to date");
  command.add_option("--token", arguments.token, "Those who ask must know this")
      ->envname("COMMONPLACE_TOKEN");
  command
      .add_option("--name", arguments.names,
                  "A name that this machine is called by, besides its address")
      ->delimiter(',');
  command.add_option("--page", arguments.page, "The folder of the built page (beside the program)");
}

void add_serve(CLI::App& app) {
  auto arguments = std::make_shared<ServeArguments>();
  arguments->server.workers = 0;
  CLI::App* command = add_command(
      app, "serve", "Answer over HTTP and show the page",
      "  commonplace serve ~/library\n"
      "  commonplace serve ~/library --port 8080 --allow-import ~/Pictures\n"
      "  commonplace serve ~/library --read-only\n"
      "  commonplace serve ~/library --host 0.0.0.0 --name archive.example --token \"$(cat "
      "secret)\"\n"
      "It listens on this machine alone unless another --host is given, which needs a --token.\n"
      "Folders of its collections are watched, and what is out of date is brought up to date in "
      "the\n"
      "background, as 'update' does. Models that are learned meanwhile, here or on the command "
      "line, are used at once.",
      *arguments, [arguments] { return serve(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  add_serve_options(*command, *arguments);
  command->add_flag("--read-only", arguments->read_only, "Change nothing");
  command->add_option("--allow-import", arguments->import_folders,
                      "Folders below which files may be added from the page");
  command
      ->add_option("--workers", arguments->server.workers,
                   "Requests handled at once (0: at least 4)")
      ->check(CLI::Range(0, 256));
  command
      ->add_option("--per-client", arguments->server.per_client,
                   "Requests of one address at once; more are answered 429")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

}  // namespace commonplace::app
