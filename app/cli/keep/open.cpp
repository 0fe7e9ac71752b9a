#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>

#include "app/cli/command.h"
#include "app/cli/serving.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/encode/models.h"
#include "commonplace/formats/pictures/photo.h"
#include "commonplace/library/items/import_items.h"

namespace commonplace::app {
namespace open_cli {

namespace fs = std::filesystem;

struct Arguments : ServeArguments {
  std::vector<std::string> sources;
};

bool is_library(const fs::path& path) { return fs::is_regular_file(path / "library.db"); }

/// What is added for a file or folder that was named: of a picture the folder that it is in.
fs::path source_of(const std::string& named) {
  require(fs::exists(named), named, ": there is no such file or folder");
  const fs::path whole = fs::canonical(named);
  return fs::is_regular_file(whole) && is_picture(whole) ? whole.parent_path() : whole;
}

/// A name that a collection can have, of what the source is called.
std::string name_of(const fs::path& source) {
  const fs::path last = fs::is_directory(source) ? source.filename() : source.stem();
  std::string name;
  for (const char c : last.string())
    name += std::string_view("/\\,:;\"'*?<>|=").find(c) != std::string_view::npos ||
                    static_cast<unsigned char>(c) < 0x20
                ? '-'
                : c;
  while (!name.empty() && (name.front() == '.' || name.front() == '-' || name.front() == ' '))
    name.erase(0, 1);
  try {
    check_collection_name(name);
    return name;
  } catch (const Error&) {
    return "collection";
  }
}

bool has_source(const fs::path& library, const fs::path& source) {
  const std::vector<Collection> all = collections(Library(library));
  return std::any_of(all.begin(), all.end(),
                     [&](const Collection& each) { return each.source == source; });
}

/// The library that has the source already, or the first name that is free.
fs::path library_for(const fs::path& source) {
  const fs::path folder = models_folder().parent_path() / "libraries";
  const std::string name = name_of(source);
  for (int number = 1;; ++number) {
    const fs::path path = folder / (number == 1 ? name : concat(name, "-", number));
    if (!fs::exists(path) || (is_library(path) && has_source(path, source))) return path;
  }
}

/// Notes the sources that the library has not; `update` reads them.
void note_sources(Library& library, const std::vector<fs::path>& sources) {
  for (const fs::path& source : sources) {
    std::set<std::string> names;
    bool there = false;
    for (const Collection& each : collections(library)) {
      names.insert(each.name);
      there = there || each.source == source;
    }
    if (there) continue;
    std::string name = name_of(source);
    for (int number = 2; names.contains(name); ++number)
      name = concat(name_of(source), "-", number);
    note_source(library, name, source, {});
  }
}

int run(Arguments& arguments) {
  require(!arguments.sources.empty(), "name a folder or a file to open");
  if (arguments.sources.size() == 1 && arguments.library.empty() &&
      is_library(arguments.sources[0])) {
    arguments.library = arguments.sources[0];
    return serve(arguments);
  }
  std::vector<fs::path> sources;
  for (const std::string& each : arguments.sources) {
    const fs::path source = source_of(each);
    if (std::find(sources.begin(), sources.end(), source) == sources.end())
      sources.push_back(source);
  }
  const fs::path path =
      arguments.library.empty() ? library_for(sources[0]) : fs::path(arguments.library);
  for (const fs::path& each : sources) recognise_format(each);
  if (!is_library(path)) {
    Library::create(path);
    if (!arguments.json) say(arguments, "Made the library " + path.string() + ".");
  }
  {
    Library library(path, Library::Access::write);
    note_sources(library, sources);
  }
  arguments.library = path.string();
  return serve(arguments);
}

}  // namespace open_cli

void add_open(CLI::App& app) {
  using namespace open_cli;
  auto arguments = std::make_shared<Arguments>();
  arguments->server.workers = 0;
  arguments->browse = true;
  CLI::App* command = add_command(
      app, "open", "Show a folder or files in the browser, and learn from them in the background",
      "  commonplace open ~/Pictures\n"
      "  commonplace open references.bib bookmarks.html\n"
      "  commonplace open ~/Pictures --library ~/library\n"
      "The library is made where it is not there yet, below $XDG_DATA_HOME/commonplace/libraries\n"
      "unless --library names another. The page is there at once and fills: thumbnails, features\n"
      "by the best encoder that is installed, search, suggestions, concepts and relations, each\n"
      "when there is enough to learn from. Folders are watched. Your files are not changed.\n"
      "How far it is: commonplace status LIB",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("SOURCE", arguments->sources, "Folders or files, or one library")->required();
  command->add_option("--library", arguments->library, "The library to make or to use");
  command->add_flag("!--no-browser", arguments->browse, "Print the address and show nothing");
  add_serve_options(*command, *arguments);
}

}  // namespace commonplace::app
