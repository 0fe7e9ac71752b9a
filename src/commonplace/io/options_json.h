#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace commonplace {

/// Collects what visit_options lists into a JSON object.
class OptionsWriter {
 public:
  OptionsWriter();
  ~OptionsWriter();
  void operator()(const char* name, const std::string& value, const char* help);
  void operator()(const char* name, bool value, const char* help);
  void operator()(const char* name, int value, const char* help);
  void operator()(const char* name, std::int64_t value, const char* help);
  void operator()(const char* name, std::uint64_t value, const char* help);
  void operator()(const char* name, double value, const char* help);
  std::string text() const;

 private:
  struct Object;
  std::unique_ptr<Object> object_;
};

/// Sets what visit_options lists from a JSON object. Error, naming the option, if one is missing,
/// of another type or out of its type's range.
class OptionsReader {
 public:
  explicit OptionsReader(const std::string& text);
  ~OptionsReader();
  void operator()(const char* name, std::string& value, const char* help) const;
  void operator()(const char* name, bool& value, const char* help) const;
  void operator()(const char* name, int& value, const char* help) const;
  void operator()(const char* name, std::int64_t& value, const char* help) const;
  void operator()(const char* name, std::uint64_t& value, const char* help) const;
  void operator()(const char* name, double& value, const char* help) const;

 private:
  struct Object;
  std::unique_ptr<Object> object_;
};

template <class Options>
std::string options_to_json(const Options& options) {
  OptionsWriter writer;
  visit_options(options, writer);
  return writer.text();
}

template <class Options>
Options options_from_json(const std::string& text) {
  Options options;
  const OptionsReader reader(text);
  visit_options(options, reader);
  return options;
}

}  // namespace commonplace
