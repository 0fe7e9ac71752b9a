// Writes the types of the page, app/web/src/api/types.ts; with --check only says whether they are
// as the structs have them.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "app/server/interface/openapi.h"
#include "app/server/interface/types.h"

int main(int count, char** arguments) {
  const bool check = count == 3 && std::string(arguments[1]) == "--check";
  if (count != 2 && !check) return std::fprintf(stderr, "write_types [--check] FILE\n"), 2;
  const std::string path = arguments[count - 1];
  const std::string text = commonplace::server::typescript(commonplace::server::openapi_document());
  if (check) {
    std::ifstream file(path);
    const std::string old{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (old == text) return 0;
    return std::fprintf(stderr, "%s is not current: ./dev types writes it anew\n", path.c_str()), 1;
  }
  std::ofstream(path) << text;
  return 0;
}
