#include <gtest/gtest.h>

#include "tests/formats/reading_support.h"
#include "tests/support/temporary_directory.h"

namespace commonplace::test {
namespace source_test {

Collected read(const std::filesystem::path& source, const std::string& format) {
  Collected collected;
  read_source(source, format, {}, collected.sink());
  return collected;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct Recognised {
  std::string name;
  std::string content;
  std::string format;
};
class Recognise : public testing::TestWithParam<Recognised> {};

TEST_P(Recognise, GoesByNameAndFirstBytes) {
  const TemporaryDirectory directory;
  const auto file = directory.write(GetParam().name, GetParam().content);
  EXPECT_EQ(recognise_format(file), GetParam().format);
}

INSTANTIATE_TEST_SUITE_P(
    All, Recognise,
    testing::Values(Recognised{"a.jsonl", "", "jsonl"}, Recognised{"a.NDJSON", "{}", "jsonl"},
                    Recognised{"a.json", "{\"id\":1}\n{\"id\":2}\n", "jsonl"},
                    Recognised{"a.json", "[ {\"href\": \"http://a/\"} ]", "pinboard"},
                    Recognised{"a.jsonl", "[{\"href\":\"http://a/\"}]", "pinboard"},
                    Recognised{"a.csv", "x;y\n", "csv"}, Recognised{"a.tsv", "", "tsv"},
                    Recognised{"a.data", "id,title\n1,2\n", "csv"},
                    Recognised{"a", "\"Title\";\"x\"\n", "csv"}, Recognised{"a.bib", "", "bibtex"},
                    Recognised{"a.txt", "% refs\n\n @book {k,}\n", "bibtex"},
                    Recognised{"a.html", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n", "bookmarks"},
                    Recognised{"a.htm", "\xEF\xBB\xBF<html><DL><DT>", "bookmarks"},
                    Recognised{"a.txt", "2 3 4\n0,1 1:1\n", "xc"},
                    Recognised{"a.txt", "0 3 4\n", "xc"},
                    Recognised{"a.txt", "2 3 4\n\n 1:1\n", "xc"},
                    Recognised{"a.txt", "# c\n-1 1:0.5 qid:3 2:1\n", "svmlight"},
                    Recognised{"a.libsvm", "", "svmlight"}));

class NotRecognised : public testing::TestWithParam<Recognised> {};

TEST_P(NotRecognised, SaysWhatToDo) {
  const TemporaryDirectory directory;
  const auto file = directory.write(GetParam().name, GetParam().content);
  const std::string message = error_of([&] { recognise_format(file); });
  EXPECT_NE(message.find(GetParam().format), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().name), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, NotRecognised,
    testing::Values(Recognised{"a.txt", "", "jsonl, csv"},
                    Recognised{"a.txt", "Some words.\n", "--format"},
                    Recognised{"a.json", "{\n \"a\": 1\n}\n", "jq -c"},
                    Recognised{"a.json", "[1,2]", "jq -c"},
                    Recognised{"a.html", "<html>", "--format"},
                    Recognised{"a.npy", "\x93NUMPY", "commonplace features"},
                    Recognised{"a.txt", "\xFF\xFEi", "UTF-16"}, Recognised{"a.jpg", "x", "folder"},
                    Recognised{"a.bin", std::string("id,title\0", 9), "--format"}));

TEST(ReadSource, ReadsAFolderOfOneFormatByName) {
  const TemporaryDirectory directory;
  directory.write("b.jsonl", "{\"title\":\"b1\"}\n");
  directory.write("a.jsonl", "{\"title\":\"a1\"}\n{\"id\":\"own\"}\n");
  directory.write("README.md", "# About\n");
  directory.write(".hidden.csv", "id\n1\n");
  EXPECT_EQ(recognise_format(directory.path()), "jsonl");
  const Collected all = read(directory.path(), "jsonl");
  ASSERT_EQ(all.records.size(), 3U);
  EXPECT_EQ(all.item(0).id, "a/1");
  EXPECT_EQ(all.item(1).id, "own");
  EXPECT_EQ(all.item(2).id, "b/1");
}

TEST(ReadSource, RefusesAMixedFolderUnlessToldWhich) {
  const TemporaryDirectory directory;
  directory.write("a.jsonl", "{\"id\":\"j\"}\n");
  directory.write("b.csv", "id\nc\n");
  directory.write("c.csv", "id\nd\n");
  const std::string message = error_of([&] { recognise_format(directory.path()); });
  EXPECT_NE(message.find("2 csv, 1 jsonl"), std::string::npos) << message;
  EXPECT_EQ(read(directory.path(), "csv").records.size(), 2U);
  EXPECT_NE(error_of([&] { read(directory.path(), "bibtex"); }).find("no bibtex file"),
            std::string::npos);
}

TEST(ReadSource, ReadsAnXcFolderWithItsNames) {
  const TemporaryDirectory directory;
  directory.write("test.txt", "1 2 2\n1 0:1\n");
  directory.write("train.txt", "1 2 2\n0 1:1\n");
  directory.write("features.txt", "word\nother\n");
  directory.write("labels.txt", "cat\r\ndog\r\n");
  EXPECT_EQ(recognise_format(directory.path()), "xc");
  const Collected all = read(directory.path(), "xc");
  ASSERT_EQ(all.records.size(), 2U);
  EXPECT_EQ(all.item(0).id, "train/0");
  EXPECT_EQ(tag_names(all.item(1)), (std::vector<std::string>{"dog"}));
  EXPECT_EQ(all.feature_names, (std::vector<std::string>{"word", "other"}));

  const Collected one = read(directory / "test.txt", "xc");
  EXPECT_EQ(one.item().id, "0");
  EXPECT_EQ(tag_names(one.item()), (std::vector<std::string>{"dog"}));
}

TEST(ReadSource, RefusesXcFilesThatDoNotBelongTogether) {
  const TemporaryDirectory directory;
  directory.write("test.txt", "1 3 1\n0 2:1\n");
  directory.write("train.txt", "1 2 1\n0 1:1\n");
  EXPECT_THROW(read(directory.path(), "xc"), Error);
}

TEST(ReadSource, TellsSvmlightFilesApart) {
  const TemporaryDirectory directory;
  directory.write("a.svm", "1 1:1\n");
  directory.write("b.svm", "1 1:1\n");
  const Collected all = read(directory.path(), "svmlight");
  EXPECT_EQ(all.item(0).id, "a/1");
  EXPECT_EQ(all.item(1).id, "b/1");
}

TEST(ReadSource, RecognisesAFolderOfPhotos) {
  const TemporaryDirectory directory;
  directory.write("2010/owl/1.JPG", "x");
  EXPECT_EQ(recognise_format(directory.path()), "photos");
}

TEST(ReadSource, SidecarsOfAnyEncodingDoNotHideThePicturesBesideThem) {
  const TemporaryDirectory directory;
  directory.write("a.jpg", "x");
  directory.write("a.jpg.xmp", std::string("\xFF\xFE<\0x\0", 6));
  EXPECT_EQ(recognise_format(directory.path()), "photos");
}

TEST(ReadSource, NamesWhatIsWrong) {
  const TemporaryDirectory directory;
  EXPECT_NE(error_of([&] { recognise_format(directory / "no"); }).find("no such file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { recognise_format(directory.path()); }).find("nothing that can be read"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read(directory.path(), "xml"); }).find("'xml' is not a format"),
            std::string::npos);
  const auto file = directory.write("a.jpg", "x");
  EXPECT_THROW(read(file, "photos"), Error);
}

TEST(ReadSource, ReadsTheRealXcSets) {
  if (data_directory().empty())
    GTEST_SKIP() << "the real data sets are not here (COMMONPLACE_DATA)";
  const std::vector<std::pair<std::string, std::size_t>> sets{
      {"bibtex", 7'395}, {"delicious", 16'105}, {"rcv1sub1", 6'000}, {"stackex_cs", 9'270}};
  for (const auto& [name, items] : sets) {
    ASSERT_EQ(recognise_format(data_directory() / name), "xc");
    const Collected all = read(data_directory() / name, "xc");
    EXPECT_TRUE(all.bad.empty()) << name << ": " << all.bad[0].second;
    EXPECT_EQ(all.records.size(), items) << name;
  }
}

}  // namespace source_test
}  // namespace commonplace::test
