#include "app/cli/run.h"

int main(int argc, char** argv) {
  commonplace::SelfComm comm;
  return commonplace::app::run(argc, argv, comm);
}
