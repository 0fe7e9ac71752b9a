#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/server/http/http_server.h"

namespace commonplace::app {

/// What `serve` and `open` are told.
struct ServeArguments : Common {
  std::string library;
  bool read_only = false;
  bool keep = true;     ///< up to date, in the background
  bool browse = false;  ///< show the page in a browser
  std::string token;
  std::vector<std::string> import_folders;
  std::vector<std::string> names;
  std::string page;
  server::ServerOptions server;
};

/// Answers over HTTP until it is stopped.
int serve(ServeArguments& arguments);

/// The options of the two.
void add_serve_options(CLI::App& command, ServeArguments& arguments);

}  // namespace commonplace::app
