#pragma once

/// What the library throws, all from std::runtime_error: Error for wrong input or a wrong
/// environment, with the value, what was expected, and where; StorageError, when the store itself
/// failed; and Cancelled, when Run::cancel or Run::progress stopped the work.
#include "commonplace/base/error.h"
