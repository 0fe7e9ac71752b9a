#pragma once

#include <string>

#include "commonplace/library/library.h"

namespace commonplace {

/// Who uses this program, as it is noted beside what they decide: $COMMONPLACE_PERSON, or the name
/// of the account.
std::string current_person();
/// What tells this library from all others, made with it: 32 hexadecimal digits.
std::string identity_of(const Library& library);

}  // namespace commonplace
