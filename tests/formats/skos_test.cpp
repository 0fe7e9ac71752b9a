#include "commonplace/formats/skos.h"

#include <random>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace skos_test {

std::string message_of(const std::string& text) {
  try {
    read_skos(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Skos, WhatIsWrittenIsReadAgain) {
  const std::vector<SkosConcept> concepts = {
      {"urn:x:animals", "animals", {}, "", {}, "", false},
      {"urn:x:animals/owl",
       "Owl \"of\" night\\",
       {"owls", "Eule"},
       "flies\nby\tnight",
       {"urn:x:animals"},
       "#aa3311",
       true},
      {"urn:x:\xC3\xB6", "\xC3\x96lfass", {}, "", {}, "", false}};
  for (const SkosFormat format : {SkosFormat::turtle, SkosFormat::ntriples})
    EXPECT_EQ(read_skos(write_skos("a \"library\"", concepts, format)), concepts);
}

TEST(Skos, ReadsTurtleAsOthersWriteIt) {
  const std::string text = R"(# a thesaurus
@base <http://example.org/> .
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
@prefix : <http://example.org/t#>.
<scheme> a skos:ConceptScheme ; skos:hasTopConcept :animal .
:animal a skos:Concept;
  skos:prefLabel 'animal'@en , """Tier"""@de ;
  skos:narrower :owl , :cat.1 ; .   # all of them
:owl skos:prefLabel "owl"@en, "Eul\u0065"@de; skos:altLabel "night bird";
  skos:scopeNote "of the night" ; skos:broader :animal ;
  skos:notation 12.5 , true , "x"^^skos:code ; skos:related [ a skos:Concept ; skos:note ( 1 "b" ) ] .
:cat.1 skos:prefLabel "cat" .
[] skos:note "nothing" .
)";
  const std::vector<SkosConcept> read = read_skos(text, "de");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].label, "Tier");
  EXPECT_EQ(read[0].also, std::vector<std::string>{"animal"});
  EXPECT_EQ(read[1].uri, "http://example.org/t#owl");
  EXPECT_EQ(read[1].label, "Eule");
  EXPECT_EQ(read[1].definition, "of the night");
  EXPECT_EQ(read[1].broader, std::vector<std::string>{"http://example.org/t#animal"});
  EXPECT_EQ(read[2].label, "cat");
  EXPECT_EQ(read_skos(text)[0].label, "animal") << "English, where no language was asked for";
}

TEST(Skos, SaysWhereItIsNotTurtle) {
  EXPECT_NE(message_of("<a> <b> <c> .\n<a> <b>").find("line 2"), std::string::npos);
  EXPECT_NE(message_of("<a> skos:b <c> .").find("prefix"), std::string::npos);
  EXPECT_NE(message_of("<a> <b> \"\\x\" .").find("expected"), std::string::npos);
  EXPECT_NE(message_of("<a> <b> \"c").find("its end"), std::string::npos);
  EXPECT_NE(message_of("<a> <b> \"\\uD800\" .").find("Unicode"), std::string::npos);
  EXPECT_NE(message_of("\"a\" <b> <c> .").find("about"), std::string::npos);
  EXPECT_NE(message_of(std::string(10'000, '(')).find("brackets"), std::string::npos);
  EXPECT_NE(message_of("<a> <b> " + std::string(10'000, '[')).find("brackets"), std::string::npos);
  EXPECT_NE(message_of("<a> <b> \"\xff\" .").find("UTF-8"), std::string::npos);
  EXPECT_TRUE(read_skos("").empty());
  EXPECT_TRUE(read_skos("# nothing").empty());
}

TEST(Skos, NoBytesBringItDown) {
  const std::string whole =
      write_skos("t", {{"urn:x", "a", {"b"}, "c", {"urn:y"}, "#000000", true}}, SkosFormat::turtle);
  std::mt19937 random(1);
  const std::string bytes = "<>\"'.;,[]()@#:\\u\n a";
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole.substr(0, random() % (whole.size() + 1));
    for (int i = 0; i < 3 && !text.empty(); ++i)
      text[random() % text.size()] = bytes[random() % bytes.size()];
    message_of(text);
  }
}

}  // namespace skos_test
}  // namespace commonplace
