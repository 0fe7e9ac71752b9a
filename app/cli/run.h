#pragma once

#include <string>

#include "commonplace/comm/comm.h"

namespace commonplace::app {

/// The whole program but for what carries the messages of its ranks: reads the arguments, which
/// should be the same on all ranks, runs the command and returns the exit code. One rank catches
/// and reports whatever is thrown. Of several only rank 0 writes to standard output and error, and
/// what a command throws is left to the caller, who can end the others.
int run(int argc, char** argv, Comm& comm);

/// Says on standard error why `rank`, running here, or every rank (-1) failed.
void report_failure(int rank, int size, const std::string& message);

}  // namespace commonplace::app
