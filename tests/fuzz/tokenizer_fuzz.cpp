#include "commonplace/encode/tokenizer.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

/// The first line is a tokenizer.json, the rest a text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    const std::string input = fuzz::text_of(data, size);
    const std::size_t line = std::min(input.find('\n'), input.size());
    const SubwordTokenizer tokenizer = parse_tokenizer(input.substr(0, line), "input");
    const Tokens tokens = tokenize(tokenizer, input.substr(line), 200);
    fuzz::check(tokens.ids.size() <= 200, "there are more tokens than wanted");
    fuzz::check(tokens.types.size() == tokens.ids.size(), "a token has no type");
    fuzz::check(padding_of(tokenizer) >= 0, "the padding is no token");
    for (const std::int64_t id : tokens.ids) fuzz::check(id >= 0, "a token is negative");
  });
}
