#pragma once

#include "commonplace/comm/comm.h"

namespace commonplace::test {

/// The communicator of a test whose work is done by one rank.
inline SelfComm alone;

}  // namespace commonplace::test
