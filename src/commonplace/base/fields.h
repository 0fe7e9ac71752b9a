#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace commonplace {

/// An answer lists its fields once, in visit_fields(answer, visit) beside its struct:
///   visit("tag", suggestion.tag, "the tag that fits");
/// An empty std::optional is left out; visit.or_null writes null for it; visit.where(condition,
/// ...) leaves anything out. From the list come JSON (io/fields_json.h), the schemas of the HTTP
/// interface and the types of the page (app/server/interface/schemas.h).

/// Takes whatever visit_fields lists.
struct AnyVisit {
  template <class Value>
  void operator()(const char*, const Value&, const char*) const {}
  template <class Value>
  void where(bool, const char*, const Value&, const char*) const {}
  template <class Value>
  void or_null(const char*, const Value&, const char*) const {}
};
template <class Struct>
concept HasFields = std::is_class_v<Struct> && requires(const Struct& value, AnyVisit& visit) {
  visit_fields(value, visit);
};

/// JSON that is written as it is: any value, or an object.
struct JsonText {
  std::string_view text = "null";
};
struct JsonObjectText {
  std::string_view text = "{}";
};
/// The same of a struct that lists its fields.
template <class Struct>
struct JsonOf {
  std::string_view text;
};
template <class Value>
inline constexpr bool is_json =
    std::is_same_v<Value, JsonText> || std::is_same_v<Value, JsonObjectText>;
template <class Struct>
inline constexpr bool is_json<JsonOf<Struct>> = true;

/// An enumeration lists its words once, in words_of(Verdict): pairs of a value and its word.
template <class Enum>
concept HasWords = std::is_enum_v<Enum> && requires {
  words_of(Enum{});
};

template <HasWords Enum>
std::string word_of(Enum value) {
  for (const auto& [each, word] : words_of(value))
    if (each == value) return word;
  return {};
}
template <HasWords Enum>
std::optional<Enum> from_word(std::string_view word) {
  for (const auto& [each, its_word] : words_of(Enum{}))
    if (its_word == word) return each;
  return std::nullopt;
}
/// "accepted, rejected, withdrawn"
template <HasWords Enum>
std::string all_words() {
  std::string words;
  for (const auto& [each, word] : words_of(Enum{}))
    words += (words.empty() ? "" : ", ") + std::string(word);
  return words;
}

template <class Value>
inline constexpr bool is_optional = false;
template <class Value>
inline constexpr bool is_optional<std::optional<Value>> = true;
/// A list of names and values, which is written as an object.
template <class Value>
inline constexpr bool is_named = false;
template <class Value>
inline constexpr bool is_named<std::pair<std::string, Value>> = true;

}  // namespace commonplace
