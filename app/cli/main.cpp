#include "app/cli/run.h"
#include "commonplace/encode/worker.h"

int main(int argc, char** argv) {
  if (commonplace::is_worker(argc, argv)) return commonplace::serve_worker();
  commonplace::SelfComm comm;
  return commonplace::app::run(argc, argv, comm);
}
