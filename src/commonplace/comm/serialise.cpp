#include "commonplace/comm/serialise.h"

namespace commonplace {

// Numbers that are not finite and text that is not UTF-8 pass through CBOR; not through JSON.
std::string bytes_of_json(const nlohmann::json& json) {
  std::string bytes;
  nlohmann::json::to_cbor(json, bytes);
  return bytes;
}

nlohmann::json json_of_bytes(std::string_view bytes) { return nlohmann::json::from_cbor(bytes); }

}  // namespace commonplace
