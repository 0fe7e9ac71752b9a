// The program of these tests is the worker of its own encoders.
#include <gtest/gtest.h>

#include "commonplace/encode/worker.h"

int main(int argc, char** argv) {
  if (commonplace::is_worker(argc, argv)) return commonplace::serve_worker();
  commonplace::set_worker_program("/proc/self/exe");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
