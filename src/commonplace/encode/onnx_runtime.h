#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commonplace/encode/tensor.h"

namespace commonplace {

/// Finds the shared library of ONNX Runtime (1.11 or newer): `named` (a file, or a folder with it)
/// if that is not empty, else what COMMONPLACE_ONNXRUNTIME names, else the one in `models`, else
/// the system's. Error, saying how to get one, if there is none.
std::filesystem::path find_onnx_runtime(const std::filesystem::path& named,
                                        const std::filesystem::path& models);

/// An ONNX model open in this process. What it computes with is code of others, fed with a file
/// of others: Worker keeps it in a process of its own.
class OnnxSession {
 public:
  /// Error if the runtime or the model cannot be read.
  OnnxSession(const std::filesystem::path& runtime, const std::filesystem::path& model,
              int threads);
  ~OnnxSession();
  OnnxSession(const OnnxSession&) = delete;
  OnnxSession& operator=(const OnnxSession&) = delete;

  const std::string& version() const;  ///< of the runtime
  const std::vector<Port>& inputs() const;
  const std::vector<Port>& outputs() const;
  /// Computes the named outputs; numbers of half precision come as float32.
  std::vector<Tensor> run(std::vector<Tensor>& given, const std::vector<std::string>& wanted);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace commonplace
