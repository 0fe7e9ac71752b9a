#include <gtest/gtest.h>

#include "commonplace/formats/latex.h"
#include "tests/formats/reading_support.h"

namespace commonplace::test {
namespace bibtex_test {

Collected bibtex(const std::string& text) {
  Collected collected;
  LineReader lines(bytes_of(text), "refs.bib");
  read_bibtex(lines, collected.sink());
  return collected;
}

TEST(Bibtex, ReadsAnEntry) {
  const Collected read = bibtex(R"(% a comment with an @ in it
@string{jml = "J. of " # {Machine} # " Learning"}
@comment{jabref-meta: @article{no, title={No}} }
@preamble{ "\newcommand{\x}{y}" }
@Article{goedel:31,
  title    = {{\"U}ber formal {unentscheidbare} S\"atze},
  author   = "Kurt G{\"o}del and Erd\H{o}s, P.",
  journal  = jml # { 2},
  year     = 1931, month = sep, day = {7},
  pages    = {173--198},
  keywords = {logic; {proofs, formal}; G{\"o}del},
  abstract = {One line
     and another.},
  url      = {http://a.org/x\_y~z},
  type     = "thesis",
}
)");
  ASSERT_TRUE(read.bad.empty()) << read.bad[0].second;
  ASSERT_EQ(read.records.size(), 1U);
  const Item& item = read.item();
  EXPECT_EQ(item.id, "goedel:31");
  EXPECT_EQ(item.title, "Über formal unentscheidbare Sätze");
  EXPECT_EQ(item.text, "One line and another.");
  EXPECT_EQ(item.time, "1931-09-07");
  EXPECT_EQ(tag_names(item), (std::vector<std::string>{"logic", "proofs, formal", "Gödel"}));
  EXPECT_EQ(item.metadata,
            R"({"type":"article","author":"Kurt Gödel and Erdős, P.",)"
            R"("journal":"J. of Machine Learning 2","pages":"173–198","url":"http://a.org/x_y~z",)"
            R"("subtype":"thesis"})");
  EXPECT_EQ(read.records[0].where.line, 5U);
}

TEST(Bibtex, UnderstandsDates) {
  const auto time = [](const std::string& fields) {
    return bibtex("@misc{k, " + fields + "}").item().time;
  };
  EXPECT_EQ(time("date = {2010-05-07}"), "2010-05-07");
  EXPECT_EQ(time("date = {2010-05/2010-06}"), "2010-05");
  EXPECT_EQ(time("year = 2010"), "2010");
  EXPECT_EQ(time("year = {2010}, month = {March}"), "2010-03");
  EXPECT_EQ(time("year = {2010}, month = 11"), "2010-11");
  EXPECT_EQ(time("year = {in press}"), "");
  EXPECT_EQ(bibtex("@misc{k, year={in press}}").item().metadata,
            R"({"type":"misc","year":"in press"})");
}

TEST(Bibtex, GoesOnAfterBrokenEntries) {
  const Collected read = bibtex(
      "@article{one, title = {unclosed\n}\n@article{two, title = {Good}}\n@article{three title}\n"
      "@book{four, title \"x\"}\n@book{five, title = , year = 1}\n@book(six, title = \"Six\")\n"
      "text between @misc{seven, title = {On the line}} @misc{eight}\n@misc{nine, a = {b}} c}\n");
  std::vector<std::size_t> lines;
  for (const auto& [where, message] : read.bad) lines.push_back(where.line);
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 4, 5, 6}));
  std::vector<std::string> ids;
  for (const Record& record : read.records) ids.push_back(record.item.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"two", "six", "seven", "eight", "nine"}));
}

TEST(Bibtex, ReadsOldEncodingsAndMissingKeys) {
  const Collected read = bibtex("@misc{, title = {caf\xE9}}");
  EXPECT_EQ(read.item().id, "1");
  EXPECT_EQ(read.item().title, "café");
}

TEST(Bibtex, BoundsWhatMacrosCanGrowTo) {
  std::string text = "@string{a0 = {xxxxxxxxxxxxxxxx}}\n";
  for (int i = 0; i < 60; ++i) text += concat("@string{a", i + 1, " = a", i, " # a", i, "}\n");
  EXPECT_FALSE(bibtex(text).bad.empty());
}

TEST(PlainText, TurnsLatexIntoUnicode) {
  EXPECT_EQ(plain_text(R"(\'e \`{a} \^\i {\"u} \~n \c{c} \v{s} \r a \k{a} \.z \=o)"),
            "é à î ü ñ ç š å ą ż ō");
  EXPECT_EQ(plain_text(R"(Stra{\ss}e, \O{}re, {\L}\'od\'z, \ae{}on, \aa)"),
            "Straße, Øre, Łódź, æon, å");
  EXPECT_EQ(plain_text(R"(R\&D 5\% \$1 a\_b \#1 \{x\})"), "R&D 5% $1 a_b #1 {x}");
  EXPECT_EQ(plain_text("``a'' -- b---c~d"), "“a” – b—c d");
  EXPECT_EQ(plain_text(R"(\emph{very} \textbf{bold} \LaTeX{} text\ldots)"),
            "very bold LaTeX text…");
  EXPECT_EQ(plain_text(R"(an $O(n^2)$ bound)"), "an $O(n^2)$ bound");
  EXPECT_EQ(plain_text("  {two   {words}}\n"), "two words");
}

TEST(PlainText, EndsOnWhateverItIsGiven) {
  for (const char* text :
       {"\\", "\\'", "\\'{", "{{{", "}", "$", "\\c", "\\'\\", "\\'}", "~", "\\v{\\"})
    EXPECT_LE(plain_text(text).size(), 4U) << text;
}

TEST(Bibtex, PassesOverCommentsWithinEntries) {
  const Collected read = bibtex(
      "@article{a, % the first\n"
      "  title = {100\\% owls},\n"
      "  % year = 1999,\n"
      "  year = 2001 % or so\n"
      "}\n"
      "@book{b, title = {Next}}\n");
  ASSERT_EQ(read.bad.size(), 0U) << read.bad[0].second;
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(read.item(0).title, "100% owls");
  EXPECT_EQ(read.item(0).time, "2001");
}

}  // namespace bibtex_test
}  // namespace commonplace::test
