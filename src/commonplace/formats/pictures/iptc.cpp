#include "commonplace/base/unicode.h"
#include "commonplace/formats/pictures/embedded.h"

namespace commonplace {
namespace {

/// Sets `value` unless an earlier dataset did.
void first(std::string& value, std::string text) {
  if (value.empty()) value = std::move(text);
}

void take_dataset(std::uint64_t number, std::string text, PhotoFacts& facts) {
  switch (number) {
    case 5:
      return first(facts.title, std::move(text));
    case 25:
      facts.keywords.push_back(std::move(text));
      return;
    case 55:
      return first(facts.created, std::move(text));
    case 80:
      return first(facts.creator, std::move(text));
    case 105:
      return first(facts.headline, std::move(text));
    case 116:
      return first(facts.rights, std::move(text));
    case 120:
      return first(facts.description, std::move(text));
    default:
      return;
  }
}

/// "20040503" and "101112+0200" as "2004-05-03T10:11:12+02:00".
std::string date_of(const std::string& date, const std::string& time) {
  if (date.size() != 8 || date.find_first_not_of("0123456789") != std::string::npos) return date;
  std::string result = date.substr(0, 4);
  if (date.substr(4, 2) != "00") result += "-" + date.substr(4, 2);
  if (date.substr(4, 2) != "00" && date.substr(6, 2) != "00") result += "-" + date.substr(6, 2);
  if (result.size() != 10 || time.size() < 6) return result;
  result += "T" + time.substr(0, 2) + ":" + time.substr(2, 2) + ":" + time.substr(4, 2);
  if (time.size() == 11) result += time.substr(6, 3) + ":" + time.substr(9, 2);
  return result;
}

}  // namespace

std::string iptc_of_photoshop(std::string_view resources) {
  constexpr std::uint64_t iptc_resource = 0x0404;
  std::string datasets;
  while (resources.size() >= 12 && resources.starts_with("8BIM")) {
    const std::uint64_t kind = big_endian(resources.substr(4, 2));
    const std::size_t name_size = static_cast<unsigned char>(resources[6]) + 1U;
    const std::size_t header = 6 + name_size + name_size % 2;
    if (resources.size() < header + 4) break;
    const std::uint64_t length = big_endian(resources.substr(header, 4));
    resources.remove_prefix(header + 4);
    if (length > resources.size()) break;
    const auto size = static_cast<std::size_t>(length);
    if (kind == iptc_resource) datasets += resources.substr(0, size);
    resources.remove_prefix(std::min(resources.size(), size + size % 2));
  }
  return datasets;
}

PhotoFacts facts_of_iptc(std::string_view datasets) {
  PhotoFacts facts;
  std::string time;
  // A dataset is 0x1c, its record, its number, its length in two bytes and its value.
  while (datasets.size() >= 5 && datasets[0] == '\x1c') {
    const char record = datasets[1];
    const std::uint64_t number = big_endian(datasets.substr(2, 1));
    std::uint64_t length = big_endian(datasets.substr(3, 2));
    datasets.remove_prefix(5);
    if (length & 0x8000) {  // a longer value: the length's own length comes first
      const std::uint64_t digits = length & 0x7fff;
      if (digits > 4 || digits > datasets.size()) break;
      length = big_endian(datasets.substr(0, static_cast<std::size_t>(digits)));
      datasets.remove_prefix(static_cast<std::size_t>(digits));
    }
    if (length > datasets.size()) break;
    const std::string_view value = datasets.substr(0, static_cast<std::size_t>(length));
    datasets.remove_prefix(value.size());
    if (record != 2) continue;
    // The charset that record 1 names is seldom true; bytes that are UTF-8 are UTF-8.
    std::string text = assume_utf8(value.substr(0, value.find('\0')));
    if (number == 60) time = text;
    take_dataset(number, std::move(text), facts);
  }
  facts.created = date_of(facts.created, time);
  return facts;
}

}  // namespace commonplace
