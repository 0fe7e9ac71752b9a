#include "commonplace/encode/onnx_runtime.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

#include "commonplace/base/error.h"
#include "commonplace/base/matrix.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

// The C interface of ONNX Runtime is one table of functions that only grows at its end. This is
// as much of it as is in use: where each function stands, and what it takes.
constexpr std::uint32_t kApiVersion = 11;

struct OrtStatus;
struct OrtEnv;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtTypeInfo;
struct OrtTensorInfo;
struct OrtMemoryInfo;
struct OrtAllocator;

struct OrtApiBase {
  const void* const* (*get_api)(std::uint32_t version);
  const char* (*get_version_string)();
};

enum OrtSlot : std::size_t {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kDisableTelemetryEvents = 6,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetGraphOptimizationLevel = 23,
  kSetIntraOpNumThreads = 24,
  kSetInterOpNumThreads = 25,
  kSessionGetInputCount = 30,
  kSessionGetOutputCount = 31,
  kSessionGetInputTypeInfo = 33,
  kSessionGetOutputTypeInfo = 34,
  kSessionGetInputName = 36,
  kSessionGetOutputName = 37,
  kCreateTensorWithData = 49,
  kIsTensor = 50,
  kGetTensorMutableData = 51,
  kCastTypeInfoToTensorInfo = 55,
  kGetTensorElementType = 60,
  kGetDimensionsCount = 61,
  kGetDimensions = 62,
  kGetTensorTypeAndShape = 65,
  kCreateCpuMemoryInfo = 69,
  kAllocatorFree = 76,
  kGetAllocatorWithDefaultOptions = 78,
  kReleaseEnv = 92,
  kReleaseStatus = 93,
  kReleaseMemoryInfo = 94,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseTypeInfo = 98,
  kReleaseTensorInfo = 99,
  kReleaseSessionOptions = 100,
};

constexpr int kLogFatal = 4;
constexpr int kOptimizeAll = 99;
constexpr int kArenaAllocator = 1;
constexpr int kDefaultMemory = 0;

/// Calls functions by their place in the table, and makes an Error of a status.
class OrtTable {
 public:
  OrtTable() = default;
  explicit OrtTable(const void* const* slots) : slots_(slots) {}

  template <class... Arguments>
  void call(OrtSlot slot, Arguments... arguments) const {
    OrtStatus* status = function<OrtStatus*(Arguments...)>(slot)(arguments...);
    if (status == nullptr) return;
    const std::string message = function<const char*(const OrtStatus*)>(kGetErrorMessage)(status);
    release(kReleaseStatus, status);
    throw Error(message);
  }
  template <class T>
  void release(OrtSlot slot, T* object) const {
    function<void(T*)>(slot)(object);
  }

 private:
  template <class Signature>
  Signature* function(OrtSlot slot) const {
    return reinterpret_cast<Signature*>(const_cast<void*>(slots_[slot]));
  }
  const void* const* slots_ = nullptr;
};

/// An object of the runtime, released with its owner.
template <class T, OrtSlot slot>
class OrtOwned {
 public:
  explicit OrtOwned(const OrtTable& table) : table_(table) {}
  ~OrtOwned() {
    if (object_ != nullptr) table_.release(slot, object_);
  }
  OrtOwned(const OrtOwned&) = delete;
  OrtOwned& operator=(const OrtOwned&) = delete;
  OrtOwned(OrtOwned&& other) noexcept : table_(other.table_), object_(other.object_) {
    other.object_ = nullptr;
  }
  T** out() { return &object_; }
  T* get() const { return object_; }

 private:
  const OrtTable& table_;
  T* object_ = nullptr;
};

using OwnedValue = OrtOwned<OrtValue, kReleaseValue>;

NumberType number_type(int type, const std::string& where) {
  const auto known = static_cast<NumberType>(type);
  require(size_of(known) != 0, where, ": holds numbers of ONNX's kind ", type,
          "; float32, float16, int32 and int64 are understood");
  return known;
}

/// Its element type and sides; `where` is for messages.
Port port_of(const OrtTable& ort, const OrtTensorInfo* info, const std::string& name) {
  Port port{name, {}, {}};
  int type = 0;
  std::size_t sides = 0;
  ort.call(kGetTensorElementType, info, &type);
  ort.call(kGetDimensionsCount, info, &sides);
  port.type = number_type(type, name);
  port.shape.resize(sides);
  if (sides > 0) ort.call(kGetDimensions, info, port.shape.data(), sides);
  return port;
}

/// float32 of half precision.
std::string widened(const char* halves, std::size_t count) {
  std::string bytes(count * sizeof(float), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    Eigen::half half;
    std::memcpy(&half, halves + i * sizeof half, sizeof half);
    const auto wide = static_cast<float>(half);
    std::memcpy(bytes.data() + i * sizeof wide, &wide, sizeof wide);
  }
  return bytes;
}

/// The newest file called libonnxruntime.so... in a folder, if there is one.
fs::path runtime_in(const fs::path& folder) {
  fs::path best;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool wanted =
        name == "libonnxruntime.so" || (name.starts_with("libonnxruntime.so.") && name.size() > 18);
    if (wanted && fs::is_regular_file(entry->path(), error) && entry->path() > best)
      best = entry->path();
  }
  return best;
}

}  // namespace

fs::path find_onnx_runtime(const fs::path& named, const fs::path& models) {
  const char* variable = std::getenv("COMMONPLACE_ONNXRUNTIME");
  const fs::path given = !named.empty() ? named : fs::path(variable == nullptr ? "" : variable);
  if (!given.empty()) {
    std::error_code error;
    const fs::path found = fs::is_directory(given, error) ? runtime_in(given) : given;
    require(fs::is_regular_file(found, error), given.string(), ": there is no libonnxruntime.so; ",
            named.empty() ? "COMMONPLACE_ONNXRUNTIME" : "--runtime",
            " names that file or its folder");
    return found;
  }
  for (const fs::path& folder :
       {models / "runtime", fs::path("/usr/local/lib"), fs::path("/usr/lib/x86_64-linux-gnu"),
        fs::path("/usr/lib/aarch64-linux-gnu"), fs::path("/usr/lib64"), fs::path("/usr/lib")}) {
    const fs::path found = runtime_in(folder);
    if (!found.empty()) return found;
  }
  fail(
      "there is no ONNX Runtime on this machine, which computes what encoders see: get one with "
      "'npm pack sherpa-onnx-linux-x64' and 'commonplace models add FILE.tgz', or name a "
      "libonnxruntime.so (1.11 or newer) with --runtime or COMMONPLACE_ONNXRUNTIME");
}

struct OnnxSession::Parts {
  OrtTable ort;
  std::string version;
  OrtOwned<OrtEnv, kReleaseEnv> env{ort};
  OrtOwned<OrtMemoryInfo, kReleaseMemoryInfo> memory{ort};
  OrtOwned<OrtSession, kReleaseSession> session{ort};
  std::vector<Port> inputs;
  std::vector<Port> outputs;

  void load(const fs::path& runtime) {
    // It stays until the process ends: its threads may outlive the session.
    void* library = dlopen(runtime.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail("ONNX Runtime cannot be loaded: ", dlerror());
    using GetBase = const OrtApiBase*();
    auto* get_base = reinterpret_cast<GetBase*>(dlsym(library, "OrtGetApiBase"));
    require(get_base != nullptr, runtime.string(), ": is no ONNX Runtime");
    const OrtApiBase* base = get_base();
    version = base->get_version_string();
    const void* const* slots = base->get_api(kApiVersion);
    require(slots != nullptr, runtime.string(), ": is ONNX Runtime ", version,
            "; 1.11 or newer is needed");
    ort = OrtTable(slots);
  }

  void open(const fs::path& model, int threads) {
    ort.call(kCreateEnv, kLogFatal, "commonplace", env.out());
    ort.call(kDisableTelemetryEvents, static_cast<const OrtEnv*>(env.get()));
    ort.call(kCreateCpuMemoryInfo, kArenaAllocator, kDefaultMemory, memory.out());
    OrtOwned<OrtSessionOptions, kReleaseSessionOptions> options(ort);
    ort.call(kCreateSessionOptions, options.out());
    ort.call(kSetGraphOptimizationLevel, options.get(), kOptimizeAll);
    ort.call(kSetIntraOpNumThreads, options.get(), threads);
    ort.call(kSetInterOpNumThreads, options.get(), 1);
    ort.call(kCreateSession, static_cast<const OrtEnv*>(env.get()), model.c_str(),
             static_cast<const OrtSessionOptions*>(options.get()), session.out());
    inputs = ports(kSessionGetInputCount, kSessionGetInputName, kSessionGetInputTypeInfo);
    outputs = ports(kSessionGetOutputCount, kSessionGetOutputName, kSessionGetOutputTypeInfo);
  }

  std::vector<Port> ports(OrtSlot count_of, OrtSlot name_of, OrtSlot type_of) const {
    const OrtSession* self = session.get();
    OrtAllocator* allocator = nullptr;
    ort.call(kGetAllocatorWithDefaultOptions, &allocator);
    std::size_t count = 0;
    ort.call(count_of, self, &count);
    std::vector<Port> result;
    for (std::size_t i = 0; i < count; ++i) {
      char* text = nullptr;
      ort.call(name_of, self, i, allocator, &text);
      const std::string name = text;
      ort.call(kAllocatorFree, allocator, static_cast<void*>(text));
      OrtOwned<OrtTypeInfo, kReleaseTypeInfo> type(ort);
      ort.call(type_of, self, i, type.out());
      const OrtTensorInfo* info = nullptr;
      ort.call(kCastTypeInfoToTensorInfo, static_cast<const OrtTypeInfo*>(type.get()), &info);
      if (info != nullptr) result.push_back(port_of(ort, info, name));
    }
    return result;
  }

  OwnedValue value_of(Tensor& tensor) const {
    require(static_cast<std::size_t>(numbers_in(tensor.shape)) * size_of(tensor.type) ==
                tensor.bytes.size(),
            "the tensor '", tensor.name, "' has other bytes than its shape needs");
    OwnedValue value(ort);
    ort.call(kCreateTensorWithData, static_cast<const OrtMemoryInfo*>(memory.get()),
             static_cast<void*>(tensor.bytes.data()), tensor.bytes.size(),
             static_cast<const std::int64_t*>(tensor.shape.data()), tensor.shape.size(),
             static_cast<int>(tensor.type), value.out());
    return value;
  }

  Tensor tensor_of(OrtValue* value, const std::string& name) const {
    int is_tensor = 0;
    ort.call(kIsTensor, static_cast<const OrtValue*>(value), &is_tensor);
    require(is_tensor != 0, "the output '", name, "' is no tensor");
    OrtOwned<OrtTensorInfo, kReleaseTensorInfo> info(ort);
    ort.call(kGetTensorTypeAndShape, static_cast<const OrtValue*>(value), info.out());
    const Port port = port_of(ort, info.get(), name);
    void* data = nullptr;
    ort.call(kGetTensorMutableData, value, &data);
    const auto count = static_cast<std::size_t>(numbers_in(port.shape));
    const auto* bytes = static_cast<const char*>(data);
    if (port.type == NumberType::float16)
      return {name, NumberType::float32, port.shape, widened(bytes, count)};
    return {name, port.type, port.shape, std::string(bytes, count * size_of(port.type))};
  }
};

OnnxSession::OnnxSession(const fs::path& runtime, const fs::path& model, int threads)
    : parts_(std::make_unique<Parts>()) {
  parts_->load(runtime);
  try {
    parts_->open(model, threads);
  } catch (const Error& error) {
    fail(model.string(), ": is no model that ONNX Runtime ", parts_->version,
         " can use: ", error.what());
  }
}

OnnxSession::~OnnxSession() = default;

const std::string& OnnxSession::version() const { return parts_->version; }
const std::vector<Port>& OnnxSession::inputs() const { return parts_->inputs; }
const std::vector<Port>& OnnxSession::outputs() const { return parts_->outputs; }

std::vector<Tensor> OnnxSession::run(std::vector<Tensor>& given,
                                     const std::vector<std::string>& wanted) {
  const OrtTable& ort = parts_->ort;
  std::vector<OwnedValue> values;
  std::vector<const char*> names;
  std::vector<const OrtValue*> inputs;
  for (Tensor& tensor : given) {
    values.push_back(parts_->value_of(tensor));
    names.push_back(tensor.name.c_str());
    inputs.push_back(values.back().get());
  }
  std::vector<const char*> output_names;
  for (const std::string& name : wanted) output_names.push_back(name.c_str());
  std::vector<OrtValue*> outputs(wanted.size(), nullptr);
  ort.call(kRun, parts_->session.get(), static_cast<const OrtRunOptions*>(nullptr),
           static_cast<const char* const*>(names.data()),
           static_cast<const OrtValue* const*>(inputs.data()), inputs.size(),
           static_cast<const char* const*>(output_names.data()), output_names.size(),
           outputs.data());
  std::vector<OwnedValue> owned;
  for (OrtValue* output : outputs) {
    owned.emplace_back(ort);
    *owned.back().out() = output;
  }
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    results.push_back(parts_->tensor_of(outputs[i], wanted[i]));
  return results;
}

}  // namespace commonplace
