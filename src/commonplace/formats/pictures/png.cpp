#include <charconv>
#include <limits>

#include <zlib.h>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/pictures/embedded.h"

namespace commonplace {
namespace {

/// What zlib's `packed` unpacks to; empty if it is damaged or longer than `metadata_limit`.
std::string unpack(std::string_view packed) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  std::string source(packed);
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  std::string result;
  int status = Z_OK;
  while (status == Z_OK && result.size() <= metadata_limit) {
    Bytef block[16384];
    stream.next_out = block;
    stream.avail_out = sizeof block;
    status = inflate(&stream, Z_NO_FLUSH);
    result.append(reinterpret_cast<const char*>(block), sizeof block - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && result.size() <= metadata_limit ? result : std::string();
}

/// The part before the next NUL, which is taken away from `text` with it.
std::string take_word(std::string_view& text) {
  const std::size_t end = text.find('\0');
  const std::string word(text.substr(0, end));
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

/// The bytes of a "Raw profile type" text: a name, a length, and that many bytes in hexadecimal.
std::string profile_bytes(std::string_view text) {
  std::string_view rest = text.substr(std::min(text.size(), text.find_first_not_of('\n')));
  rest.remove_prefix(std::min(rest.size(), rest.find('\n')));
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \n")));
  rest.remove_prefix(std::min(rest.size(), rest.find('\n')));
  std::string bytes;
  std::string digits;
  for (const char digit : rest) {
    if (digit == '\n' || digit == '\r' || digit == ' ') continue;
    digits += digit;
    if (digits.size() < 2) continue;
    unsigned value = 0;
    if (std::from_chars(digits.data(), digits.data() + 2, value, 16).ptr != digits.data() + 2)
      return {};
    bytes += static_cast<char>(value);
    digits.clear();
  }
  return bytes;
}

void take_profile(const std::string& kind, const std::string& text, Embedded& embedded) {
  const std::string bytes = profile_bytes(text);
  if (kind == "exif" || kind == "APP1") {
    constexpr std::string_view xmp_mark("http://ns.adobe.com/xap/1.0/\0", 29);
    if (bytes.starts_with(xmp_mark)) {
      add_xmp(embedded, bytes.substr(xmp_mark.size()));
    } else {
      read_exif(bytes, embedded);
    }
  } else if (kind == "xmp") {
    add_xmp(embedded, bytes);
  } else if (kind == "iptc" || kind == "8bim") {
    embedded.iptc = bytes.starts_with("8BIM") ? iptc_of_photoshop(bytes) : bytes;
  }
}

/// Where the text under one of PNG's own keys belongs, if anywhere.
std::string* field_of(const std::string& key, PhotoFacts& facts) {
  if (key == "Title") return &facts.title;
  if (key == "Author") return &facts.creator;
  if (key == "Description") return &facts.description;
  if (key == "Comment") return &facts.comment;
  if (key == "Copyright") return &facts.rights;
  if (key == "Creation Time") return &facts.created;
  return nullptr;
}

void take_text(const std::string& key, const std::string& value, Embedded& embedded) {
  constexpr std::string_view raw_profile = "Raw profile type ";
  if (key.starts_with(raw_profile)) {
    take_profile(key.substr(raw_profile.size()), value, embedded);
  } else if (key == "XML:com.adobe.xmp") {
    add_xmp(embedded, value);
  } else if (key == "Keywords") {
    add_keywords(embedded.facts, assume_utf8(value), ",;");
  } else if (std::string* field = field_of(key, embedded.facts)) {
    *field = assume_utf8(value);
  }
}

void take_chunk(const std::string& kind, std::string_view body, Embedded& embedded) {
  if (kind == "eXIf") {
    read_exif(body, embedded);
    return;
  }
  const std::string key = take_word(body);
  if (kind == "tEXt") {
    take_text(key, std::string(body), embedded);
  } else if (kind == "zTXt" && !body.empty()) {
    take_text(key, unpack(body.substr(1)), embedded);
  } else if (kind == "iTXt" && body.size() >= 2) {
    const bool packed = body[0] != 0;
    body.remove_prefix(2);
    take_word(body);  // the language
    take_word(body);  // the key in that language
    take_text(key, packed ? unpack(body) : std::string(body), embedded);
  }
}

bool holds_metadata(const std::string& kind) {
  return kind == "tEXt" || kind == "zTXt" || kind == "iTXt" || kind == "eXIf";
}

}  // namespace

Embedded read_png(PictureBytes& bytes) {
  constexpr std::uint64_t frame = 12;  // length, kind and checksum
  constexpr std::uint64_t largest_side = std::numeric_limits<std::int32_t>::max();
  constexpr int most_texts = 100;  // a bound on what compressed texts can blow up to
  Embedded embedded;
  int texts = 0;
  for (std::uint64_t at = 8;;) {
    const std::string_view head = bytes.read(at, 8);
    const std::uint64_t length = big_endian(head.substr(0, 4));
    const std::string kind(head.substr(4, 4));
    require(bytes.holds(at, frame + length), bytes.name(), ": is cut short: the chunk at byte ", at,
            " has ", length, " bytes but the file ends at ", bytes.size());
    if (at == 8) {
      require(kind == "IHDR" && length == 13, bytes.name(),
              ": is not a sound PNG: it does not begin with its size");
      const std::string_view size = bytes.read(at + 8, 8);
      const std::uint64_t width = big_endian(size.substr(0, 4));
      const std::uint64_t height = big_endian(size.substr(4, 4));
      require(width <= largest_side && height <= largest_side, bytes.name(),
              ": is not a sound PNG: it claims ", width, " x ", height, " pixels");
      embedded.facts.width = static_cast<int>(width);
      embedded.facts.height = static_cast<int>(height);
    }
    if (kind == "IEND") return embedded;
    if (holds_metadata(kind) && ++texts <= most_texts)
      take_chunk(kind, bytes.read(at + 8, length), embedded);
    at += frame + length;
  }
}

}  // namespace commonplace
