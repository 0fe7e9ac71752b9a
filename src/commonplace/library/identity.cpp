#include "commonplace/library/identity.h"

#include <array>
#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"

namespace commonplace {

std::string current_person() {
  if (const char* given = std::getenv("COMMONPLACE_PERSON"); given != nullptr && *given != '\0') {
    const std::string person = tidy(given);
    require(!person.empty() && person.size() <= 100, "COMMONPLACE_PERSON is '", given,
            "'; expected a name of up to 100 bytes");
    return person;
  }
  std::array<char, 16384> buffer{};
  passwd account{};
  passwd* found = nullptr;
  const bool known =
      ::getpwuid_r(::geteuid(), &account, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr;
  return known ? account.pw_name : concat("user ", ::geteuid());
}

std::string identity_of(const Library& library) {
  Statement query = library.database().prepare("SELECT value FROM fact WHERE name = 'identity'");
  require(query.step(), library.path().string(), ": the library has lost its identity");
  return std::string(query.text(0));
}

}  // namespace commonplace
