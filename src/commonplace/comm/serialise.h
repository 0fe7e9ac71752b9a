#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "commonplace/comm/collectives.h"

namespace commonplace {

/// Small values as bytes, for other ranks, which get the same bits. A struct needs
/// NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE in its namespace.

std::string bytes_of_json(const nlohmann::json& json);
nlohmann::json json_of_bytes(std::string_view bytes);

template <class T>
std::string serialise(const T& value) {
  return bytes_of_json(nlohmann::json(value));
}

template <class T>
T deserialise(std::string_view bytes) {
  return json_of_bytes(bytes).template get<T>();
}

/// The value of rank 0, on every rank. Collective.
template <class T>
T broadcast_value(Comm& comm, T value) {
  if (comm.size() == 1) return value;
  return deserialise<T>(broadcast_text(comm, serialise(value)));
}

/// The numbers of every rank, in rank order, on every rank. Collective.
template <class T>
requires std::is_arithmetic_v<T> std::vector<T> all_gather_numbers(Comm& comm,
                                                                   std::span<const T> own) {
  const std::string_view bytes(reinterpret_cast<const char*>(own.data()), own.size_bytes());
  std::vector<T> all;
  for (const std::string& text : comm.gather_texts(bytes)) {
    const std::size_t before = all.size();
    all.resize(before + text.size() / sizeof(T));
    if (!text.empty()) std::memcpy(all.data() + before, text.data(), text.size());
  }
  return all;
}

}  // namespace commonplace
