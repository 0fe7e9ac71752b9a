#include "commonplace/encode/worker.h"

/// The process in which ONNX models run for Python.
int main(int argc, char** argv) {
  return commonplace::is_worker(argc, argv) ? commonplace::serve_worker() : 2;
}
