#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/encode/onnx_runtime.h"
#include "commonplace/io/files.h"
#include "tests/support/encoder_folders.h"

/// ONNX's own test models, which Debian's libonnx-testdata brings, with what they must answer.
namespace commonplace {
namespace onnx_models_test {

namespace fs = std::filesystem;

/// The fields of a protobuf message: numbers, or bytes.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    field = static_cast<int>(key >> 3U);
    bytes = {};
    number = 0;
    switch (key & 7U) {
      case 0:
        number = varint();
        break;
      case 1:
        take(8);
        break;
      case 2:
        take(varint());
        break;
      case 5:
        take(4);
        break;
      default:
        fail("no field of a tensor");
    }
    return true;
  }
  static std::vector<std::uint64_t> packed(std::string_view bytes) {
    Fields fields(bytes);
    std::vector<std::uint64_t> numbers;
    while (!fields.rest_.empty()) numbers.push_back(fields.varint());
    return numbers;
  }

  int field = 0;
  std::uint64_t number = 0;
  std::string_view bytes;

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      require(!rest_.empty(), "the message is cut off");
      const auto byte = static_cast<unsigned char>(rest_[0]);
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail("the message is damaged");
  }
  void take(std::uint64_t count) {
    require(count <= rest_.size(), "the message is cut off");
    bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
  }
  std::string_view rest_;
};

/// A TensorProto; Error if its numbers are of a kind that is not known here.
Tensor read_tensor(const fs::path& path) {
  const std::string content = read_file(path, 1U << 28U);
  Tensor tensor;
  std::vector<std::uint64_t> wholes;
  std::string floats;
  Fields fields(content);
  while (fields.next()) {
    const auto add = [&](std::vector<std::uint64_t>& to) {
      if (fields.bytes.empty()) to.push_back(fields.number);
      for (const std::uint64_t each : Fields::packed(fields.bytes)) to.push_back(each);
    };
    std::vector<std::uint64_t> sides;
    if (fields.field == 1) add(sides);
    for (const std::uint64_t each : sides) tensor.shape.push_back(static_cast<std::int64_t>(each));
    if (fields.field == 2) tensor.type = static_cast<NumberType>(fields.number);
    if (fields.field == 4) floats += fields.bytes;
    if (fields.field == 5 || fields.field == 7) add(wholes);
    if (fields.field == 8) tensor.name = fields.bytes;
    if (fields.field == 9) tensor.bytes = fields.bytes;
  }
  require(size_of(tensor.type) > 0, "numbers of another kind");
  if (!floats.empty()) tensor.bytes = floats;
  for (const std::uint64_t each : wholes)
    tensor.bytes.append(reinterpret_cast<const char*>(&each), size_of(tensor.type));
  require(tensor.bytes.size() ==
              size_of(tensor.type) * static_cast<std::size_t>(numbers_in(tensor.shape)),
          "another number of numbers");
  return tensor;
}

std::vector<Tensor> read_tensors(const fs::path& folder, const std::string& kind) {
  std::vector<Tensor> tensors;
  for (int i = 0; fs::exists(folder / (kind + "_" + std::to_string(i) + ".pb")); ++i)
    tensors.push_back(read_tensor(folder / (kind + "_" + std::to_string(i) + ".pb")));
  return tensors;
}

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> result;
  for (std::size_t at = 0; at < tensor.bytes.size(); at += size_of(tensor.type)) {
    const char* from = tensor.bytes.data() + at;
    const auto read = [&](auto value) {
      std::memcpy(&value, from, sizeof value);
      result.push_back(static_cast<double>(value));
    };
    if (tensor.type == NumberType::float32) read(float{});
    if (tensor.type == NumberType::int32) read(std::int32_t{});
    if (tensor.type == NumberType::int64) read(std::int64_t{});
  }
  return result;
}

/// Whether they agree as ONNX's own runner wants it.
bool agree(const Tensor& given, const Tensor& wanted) {
  if (given.shape != wanted.shape) return false;
  const std::vector<double> a = numbers_of(given);
  const std::vector<double> b = numbers_of(wanted);
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-5 + 1e-3 * std::abs(b[i])) &&
        !(std::isnan(a[i]) && std::isnan(b[i])) && a[i] != b[i])
      return false;
  return true;
}

/// Training, chance, and where ONNX Runtime is known to go other ways: no encoder needs these.
bool is_left_out(const std::string& name) {
  for (const char* part :
       {"gradient", "training", "test_ada", "test_momentum", "test_nesterov", "test_bernoulli",
        "test_dft", "test_stft", "test_maxunpool_export_with_output",
        "test_resize_downsample_scales_cubic_align", "test_resize_downsample_scales_linear_align"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

TEST(OnnxModelsTest, AnswerAsTheyMust) {
  const fs::path runtime = test::runtime_for_tests();
  if (runtime.empty()) GTEST_SKIP() << "./dev models brings ONNX Runtime";
  const char* named = std::getenv("COMMONPLACE_ONNX_TESTDATA");
  const fs::path data = named != nullptr ? named : "/usr/share/libonnx-testdata/data";
  if (!fs::exists(data)) GTEST_SKIP() << "Debian's libonnx-testdata brings the models";
  std::vector<fs::path> folders;
  for (const char* kind : {"node", "simple", "pytorch-operator", "pytorch-converted"})
    for (const auto& each : fs::directory_iterator(data / kind))
      if (!is_left_out(each.path().filename().string())) folders.push_back(each.path());
  std::sort(folders.begin(), folders.end());
  int answered = 0;
  int other_kinds = 0;
  std::map<std::string, std::string> refused;
  for (const fs::path& folder : folders) {
    std::vector<Tensor> given;
    std::vector<Tensor> wanted;
    try {
      given = read_tensors(folder / "test_data_set_0", "input");
      wanted = read_tensors(folder / "test_data_set_0", "output");
    } catch (const Error&) {
      ++other_kinds;  // texts, bytes, sequences, doubles
      continue;
    }
    try {
      OnnxSession session(runtime, folder / "model.onnx", 1);
      if (given.size() != session.inputs().size() || wanted.size() != session.outputs().size()) {
        ++other_kinds;
        continue;
      }
      std::vector<std::string> names;
      for (std::size_t i = 0; i < given.size(); ++i) given[i].name = session.inputs()[i].name;
      for (const Port& each : session.outputs()) names.push_back(each.name);
      const std::vector<Tensor> answers = session.run(given, names);
      ++answered;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].type == NumberType::float16) continue;  // it comes as float32
        EXPECT_TRUE(agree(answers.at(i), wanted[i])) << folder << ", output " << i;
      }
    } catch (const Error& error) {
      refused[folder.filename().string()] = error.what();
    }
  }
  RecordProperty("answered", answered);
  RecordProperty("refused", static_cast<int>(refused.size()));
  std::string some;
  for (const auto& [name, why] : refused) some += name + ": " + why.substr(0, 120) + "\n";
  EXPECT_GT(answered, 300) << other_kinds << " of other kinds; refused:\n" << some;
  EXPECT_LT(std::ssize(refused) * 10, answered) << some;
}

}  // namespace onnx_models_test
}  // namespace commonplace
