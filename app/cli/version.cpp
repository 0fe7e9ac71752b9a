#include <map>
#include <memory>

#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <unicode/uversion.h>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/parallel.h"
#include "commonplace/library/schema.h"

namespace commonplace::app {
namespace version_cli {

using Json = nlohmann::ordered_json;

/// Hosts in the order of their first ranks: name, ranks, threads of each rank.
Json hosts_of(const Common& common) {
  Json hosts = Json::array();
  std::map<std::string, std::size_t> place;
  const std::string threads = std::to_string(resolve_jobs(common.jobs));
  for (const std::string& text : common.comm->gather_texts(threads + " " + host_name())) {
    const std::size_t space = text.find(' ');
    const std::string host = text.substr(space + 1);
    if (place.emplace(host, hosts.size()).second)
      hosts.push_back(
          {{"host", host}, {"ranks", 0}, {"threads", std::stoi(text.substr(0, space))}});
    Json& entry = hosts[place[host]];
    entry["ranks"] = entry["ranks"].get<int>() + 1;
  }
  return hosts;
}

int run(const Common& common) {
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const std::string mpi = common.comm->library();
  const Json hosts = mpi.empty() ? Json::array() : hosts_of(common);
  if (common.json) {
    Json json = {{"commonplace", COMMONPLACE_VERSION},
                 {"schema", newest_schema()},
                 {"sqlite", sqlite3_libversion()},
                 {"icu", U_ICU_VERSION},
                 {"avx2", avx2}};
    if (!mpi.empty())
      json.update(Json{{"mpi", mpi}, {"ranks", common.comm->size()}, {"hosts", hosts}});
    print_json(json);
    return kSuccess;
  }
  tell(std::string("commonplace ") + COMMONPLACE_VERSION + " (schema " +
       std::to_string(newest_schema()) + ", SQLite " + sqlite3_libversion() + ", ICU " +
       U_ICU_VERSION + ", " + (avx2 ? "AVX2" : "no AVX2") + ")");
  if (mpi.empty()) return kSuccess;
  tell(mpi + ": " + counted(common.comm->size(), "rank") + " on " +
       counted(std::ssize(hosts), "host"));
  for (const Json& host : hosts)
    tell("  " + host["host"].get<std::string>() + ": " + counted(host["ranks"].get<int>(), "rank") +
         " of " + counted(host["threads"].get<int>(), "thread"));
  return kSuccess;
}

}  // namespace version_cli

void add_version(CLI::App& app) {
  using namespace version_cli;
  auto arguments = std::make_shared<Common>();
  add_command(
      app, "version", "Print versions", "  commonplace version --json", *arguments,
      [arguments] { return run(*arguments); }, Ranks::many);
}

}  // namespace commonplace::app
