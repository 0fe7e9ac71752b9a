#pragma once

#include <string>

#include "app/cli/command.h"
#include "commonplace/library/library.h"

namespace commonplace::app {

/// The library of a command that changes it: of several ranks the first writes, the others read.
inline Library open_to_write(const Common& common, const std::string& path) {
  return Library(path, common.comm->rank() == 0 ? Library::Access::write : Library::Access::read);
}

}  // namespace commonplace::app
