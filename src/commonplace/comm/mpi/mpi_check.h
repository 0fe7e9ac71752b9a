#pragma once

namespace commonplace {

/// Throws Error, with MPI's words, unless `code` is success. `call` is what returned it.
void check(int code, const char* call);

}  // namespace commonplace
