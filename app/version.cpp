#include <memory>

#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <unicode/uversion.h>

#include "app/command.h"
#include "app/terminal.h"
#include "commonplace/data/schema.h"

namespace commonplace::app {

void add_version(CLI::App& app) {
  auto arguments = std::make_shared<Common>();
  add_command(
      app, "version", "Print versions", "  commonplace version --json", *arguments, [arguments] {
        const bool avx2 = __builtin_cpu_supports("avx2") != 0;
        if (arguments->json) {
          print_json({{"commonplace", COMMONPLACE_VERSION},
                      {"schema", newest_schema()},
                      {"sqlite", sqlite3_libversion()},
                      {"icu", U_ICU_VERSION},
                      {"avx2", avx2}});
        } else {
          say(Common{}, std::string("commonplace ") + COMMONPLACE_VERSION + " (schema " +
                            std::to_string(newest_schema()) + ", SQLite " + sqlite3_libversion() +
                            ", ICU " + U_ICU_VERSION + ", " + (avx2 ? "AVX2" : "no AVX2") + ")");
        }
        return kSuccess;
      });
}

}  // namespace commonplace::app
