#include "commonplace/encode/word_vectors.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"

namespace commonplace {
namespace {

constexpr const char* kWordVectorKind = "word_vectors";
constexpr double kSmooth = 1e-3;
constexpr std::int64_t kMostWords = 10'000'000;
constexpr std::size_t kMostDimensions = 4096;

/// Vectors with a byte a number: value = scale * (code - 128).
struct CodedVectors {
  std::size_t columns = 0;
  std::vector<std::string> names;
  std::vector<float> scales;
  std::vector<std::uint8_t> codes;

  void add(std::string name, std::span<const float> values) {
    float most = 0;
    for (const float value : values) most = std::max(most, std::abs(value));
    const float scale = most / 127;
    names.push_back(std::move(name));
    scales.push_back(scale);
    for (const float value : values)
      codes.push_back(
          static_cast<std::uint8_t>(128 + std::lround(scale > 0 ? value / scale : 0.0F)));
  }
};

/// Takes the vectors as they come, without keeping the rest of the file.
class VectorSax : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit VectorSax(CodedVectors& into) : into_(into) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && key_ == "dimensions")
      into_.columns = std::min<std::size_t>(value, kMostDimensions + 1);
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ == 2) in_vectors_ = key_ == "vectors";
    return depth_ <= 2;
  }
  bool end_object() override {
    if (depth_-- == 2) in_vectors_ = false;
    return true;
  }
  bool start_array(std::size_t) override {
    values_.clear();
    return true;
  }
  bool end_array() override {
    if (!in_vectors_) return true;
    require(
        into_.columns > 0 && into_.columns <= kMostDimensions && values_.size() >= into_.columns,
        "the word '", word_, "' has ", values_.size(), " numbers, not ", into_.columns);
    require(std::ssize(into_.names) < kMostWords, "there are more than ", kMostWords, " words");
    into_.add(word_, std::span<const float>(values_).first(into_.columns));
    return true;
  }
  bool key(string_t& name) override {
    (in_vectors_ ? word_ : key_) = name;
    return true;
  }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception&) override {
    fail("is broken at byte ", at);
  }

 private:
  bool number(double value) {
    if (in_vectors_) {
      require(std::isfinite(value) && values_.size() <= kMostDimensions + 8, "the vector of '",
              word_, "' is no vector");
      values_.push_back(static_cast<float>(value));
    }
    return true;
  }

  CodedVectors& into_;
  int depth_ = 0;
  bool in_vectors_ = false;
  std::string key_;
  std::string word_;
  std::vector<float> values_;
};

}  // namespace

WordVectors::WordVectors(const std::filesystem::path& file)
    : file_(file), tokens_(TokenOptions{.keep_numbers = true}) {
  require_kind(file_, kWordVectorKind, 1);
  names_ = file_.strings("words");
  scales_ = file_.floats("scales");
  codes_ = file_.small("codes");
  require(!names_.empty() && scales_.size() == names_.size() && !codes_.empty() &&
              codes_.size() % names_.size() == 0,
          file.string(), ": the columns differ in length; the file is damaged");
  columns_ = static_cast<std::int64_t>(codes_.size() / names_.size());
  numbers_.reserve(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i)
    numbers_.try_emplace(names_[i], static_cast<std::int64_t>(i));
}

std::vector<std::int64_t> WordVectors::words_in(std::string_view text) const {
  std::vector<std::int64_t> words;
  const std::lock_guard lock(mutex_);
  tokens_.visit(text, [&](std::string_view word) {
    const auto found = numbers_.find(word);
    if (found != numbers_.end()) words.push_back(found->second);
  });
  return words;
}

Eigen::RowVectorXf WordVectors::mean(std::span<const std::int64_t> words) const {
  Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero(columns_);
  const double harmonic = std::log(static_cast<double>(names_.size())) + 0.5772;
  for (const std::int64_t word : words) {
    const auto at = static_cast<std::size_t>(word);
    const double frequency = 1 / (static_cast<double>(word + 1) * harmonic);
    const auto weight = static_cast<float>(kSmooth / (kSmooth + frequency)) * scales_[at];
    const std::uint8_t* codes = codes_.data() + at * static_cast<std::size_t>(columns_);
    for (std::int64_t column = 0; column < columns_; ++column)
      sum[column] += weight * static_cast<float>(static_cast<int>(codes[column]) - 128);
  }
  const float length = sum.norm();
  if (length > 0) sum /= length;
  return sum;
}

bool is_word_vector_json(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string front(200, '\0');
  in.read(front.data(), static_cast<std::streamsize>(front.size()));
  return front.starts_with('{') && front.find("\"dimensions\"") != std::string::npos &&
         front.find("\"words\"") != std::string::npos;
}

void convert_word_vectors(const std::filesystem::path& json, const std::filesystem::path& file) {
  CodedVectors vectors;
  VectorSax sax(vectors);
  std::ifstream in(json, std::ios::binary);
  try {
    require(nlohmann::json::sax_parse(in, &sax), "is broken");
    require(!vectors.names.empty(), "has no vectors");
  } catch (const Error& error) {
    fail(json.string(), ": ", error.what());
  }
  TensorWriter writer;
  describe_model(writer, kWordVectorKind, 1, "{}");
  writer.add_strings("words", vectors.names);
  writer.add("scales", std::span<const float>(vectors.scales));
  writer.add("codes", std::span<const std::uint8_t>(vectors.codes));
  writer.write(file);
}

}  // namespace commonplace
