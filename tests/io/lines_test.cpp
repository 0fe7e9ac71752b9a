#include "commonplace/io/lines.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/gzip.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace lines_test {

using test::gzip;
using test::TemporaryDirectory;

std::vector<std::string> lines_of(std::unique_ptr<ByteSource> source) {
  LineReader reader(std::move(source), "test");
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.where().line, lines.size());
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, KnowsEveryLineEnd) {
  EXPECT_EQ(lines_of(bytes_of("")), Lines());
  EXPECT_EQ(lines_of(bytes_of("\n")), Lines({""}));
  EXPECT_EQ(lines_of(bytes_of("a\nb")), Lines({"a", "b"}));
  EXPECT_EQ(lines_of(bytes_of("a\r\n\r\nb\n")), Lines({"a", "", "b"}));
  EXPECT_EQ(lines_of(bytes_of("\xEF\xBB\xBF"
                              "a\n\xEF\xBB\xBF"
                              "b")),
            Lines({"a",
                   "\xEF\xBB\xBF"
                   "b"}));
}

TEST(LineReader, LinesAcrossChunksStayWhole) {
  Lines expected;
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    expected.push_back(std::string(static_cast<std::size_t>(i * 7 % 1500), 'x') +
                       std::to_string(i));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(bytes_of(text)), expected);
  EXPECT_EQ(lines_of(bytes_of(gzip(text))), expected);
  const TemporaryDirectory folder;
  EXPECT_EQ(lines_of(open_bytes(folder.write("plain", text))), expected);
  EXPECT_EQ(lines_of(open_bytes(folder.write("packed", gzip(text)))), expected);
}

TEST(LineReader, GzipMembersInARowAreOneFile) {
  EXPECT_EQ(lines_of(bytes_of(gzip("a\nb") + gzip("c\nd\n"))), Lines({"a", "bc", "d"}));
}

TEST(LineReader, CutOrDamagedGzipIsAnError) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string packed = gzip(text);
  EXPECT_THROW(lines_of(bytes_of(packed.substr(0, packed.size() / 2))), Error);
  EXPECT_THROW(lines_of(bytes_of(packed.substr(0, packed.size() - 1))), Error);
  EXPECT_THROW(lines_of(bytes_of(packed.substr(0, 5))), Error);
  std::string flipped = packed;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x40);
  EXPECT_THROW(lines_of(bytes_of(flipped)), Error);
}

TEST(LineReader, AnEndlessLineIsRefusedBeforeItFillsTheMemory) {
  EXPECT_THROW(lines_of(bytes_of(gzip(std::string(std::size_t{70} << 20, 'a')))), Error);
}

TEST(ReadAll, HasALimit) {
  EXPECT_EQ(read_all(*bytes_of("12345"), 5, "test"), "12345");
  EXPECT_THROW(read_all(*bytes_of("12345"), 4, "test"), Error);
}

}  // namespace lines_test
}  // namespace commonplace
