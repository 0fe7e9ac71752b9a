#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/formats/random_items.h"
#include "tests/formats/reading_support.h"

namespace commonplace::test {
namespace bookmarks_test {

Collected bookmarks(const std::string& html) {
  Collected collected;
  read_bookmarks(*bytes_of(html), "bookmarks.html", collected.sink());
  return collected;
}

constexpr const char* kFirefox = R"html(<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. <DT><A HREF="http://not/">no</A> -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>
<DL><p>
    <DT><A HREF="place:type=6&sort=14" ADD_DATE="1">Recent Tags</A>
    <DT><H3 ADD_DATE="1" LAST_MODIFIED="2" PERSONAL_TOOLBAR_FOLDER="true">Lesezeichen</H3>
    <DD>The description of a folder
    <DL><p>
        <DT><A HREF="http://a.org/?x=1&amp;y=2" ADD_DATE="1427216132" LAST_MODIFIED="9" ICON_URI="http://i" ICON="data:image/png;base64,AAAA" SHORTCUTURL="a" TAGS="c++,web &amp; design">A &lt;b&gt; &eacute;
           title</A>
        <DD>First line
second line
        <DT><H3>News &amp; Press</H3>
        <DL><p>
            <DT><H3>Daily</H3>
            <DL><p>
                <DT><A HREF="http://b.org/" ADD_DATE="1427216132123456">B</A>
            </DL><p>
            <HR>
            <DT><A HREF='http://c.org/' PRIVATE=1>C</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="javascript:alert('x')">Let</A>
    <DT><A HREF="data:text/html,x">Page</A>
    <DT><A HREF="http://b.org/" ADD_DATE="1000000000" TAGS="again">Other name</A>
    <DT><A NAME="nowhere">No address</A>
</DL>
)html";

TEST(Bookmarks, ReadsFirefoxsFile) {
  const Collected read = bookmarks(kFirefox);
  ASSERT_EQ(read.records.size(), 4U);
  const Item& a = read.item(0);
  EXPECT_EQ(a.id, "http://a.org/?x=1&y=2");
  EXPECT_EQ(a.title, "A <b> é title");
  EXPECT_EQ(a.text, "First line\nsecond line");
  EXPECT_EQ(a.time, "2015-03-24T16:55:32Z");
  EXPECT_EQ(tag_names(a), (std::vector<std::string>{"c++", "web & design"}));
  EXPECT_EQ(a.metadata, R"({"url":"http://a.org/?x=1&y=2","last_modified":"9","shortcuturl":"a"})");
  EXPECT_EQ(read.records[0].where.line, 11U);

  const Item& b = read.item(1);
  EXPECT_EQ(b.title, "B");
  EXPECT_EQ(b.time, "2001-09-09T01:46:40Z") << "the earlier of the two";
  EXPECT_EQ(tag_names(b), (std::vector<std::string>{"News & Press/Daily", "again"}));

  EXPECT_EQ(tag_names(read.item(2)), (std::vector<std::string>{"News & Press"}));
  EXPECT_EQ(read.item(2).metadata,
            R"({"url":"http://c.org/","private":"1","folder":"News & Press"})");
  EXPECT_EQ(read.item(3).id, "javascript:alert('x')");

  ASSERT_EQ(read.bad.size(), 1U);
  EXPECT_NE(read.bad[0].second.find("data:"), std::string::npos);
}

TEST(Bookmarks, LeavesOutTheBrowsersFoldersAtTheTopOnly) {
  const Collected read = bookmarks(
      "<DL><DT><H3>Bookmarks bar</H3><DL><DT><A HREF='http://a/'>a</A>"
      "<DT><H3>Favorites</H3><DL><DT><A HREF='http://b/'>b</A></DL></DL></DL>");
  EXPECT_TRUE(read.item(0).tags.empty());
  EXPECT_EQ(tag_names(read.item(1)), (std::vector<std::string>{"Favorites"}));
}

TEST(Bookmarks, ReadsOldEncodings) {
  EXPECT_EQ(
      bookmarks("<A HREF='http://a/'>caf\xE9 &#150; &#x1F989; &nosuch; &amp</A>").item().title,
      "café – \U0001F989 &nosuch; &amp");
}

TEST(Bookmarks, EndsOnWhateverItIsGiven) {
  for (const char* html : {"", "<", "<a", "<a href", "<a href=", "<a href=\"x", "</", "<!--", "<!",
                           "<a href='x:y'", "<dl", "</dl></dl>", "<h3>x", "<dd>x", "<a = b>"})
    EXPECT_LE(bookmarks(html).records.size(), 1U) << html;
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<H3>f</H3><DL>";
  const Collected read = bookmarks(deep + "<A HREF='http://a/'>a</A>");
  EXPECT_EQ(read.item().tags.at(0).name.size(), 2 * 100U - 1);
}

TEST(Bookmarks, ReadsBackWhatItWrites) {
  std::vector<Item> items = random_items(3, 300);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].id = concat("http://site/", i, "?a=1&b=\"'<>", i % 2 == 0 ? "" : "é");
    std::vector<ItemTag> tags;
    for (const ItemTag& tag : items[i].tags) {
      ItemTag plain;
      plain.name = tag.name;
      if (std::find(tags.begin(), tags.end(), plain) == tags.end()) tags.push_back(plain);
    }
    items[i].tags = tags;
  }
  const std::string html = written(
      [&](const Output& out) { EXPECT_EQ(write_bookmarks(each_of(items), "<me>", out), 0U); });
  const Collected read = bookmarks(html);
  ASSERT_TRUE(read.bad.empty());
  ASSERT_EQ(read.records.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(read.item(i).id, items[i].id);
    EXPECT_EQ(read.item(i).title, items[i].title);
    EXPECT_EQ(read.item(i).text, items[i].text);
    EXPECT_EQ(read.item(i).time, items[i].time);
    EXPECT_EQ(tag_names(read.item(i)), tag_names(items[i]));
  }
}

TEST(Bookmarks, LeaveOutWhatHasNoAddress) {
  std::vector<Item> items(3);
  items[0].id = "just a name";
  items[1].id = "another";
  items[1].metadata = R"({"url":"https://a/"})";
  items[2].id = "no: address";
  std::size_t left_out = 0;
  const std::string html =
      written([&](const Output& out) { left_out = write_bookmarks(each_of(items), "x", out); });
  EXPECT_EQ(left_out, 2U);
  EXPECT_EQ(bookmarks(html).item().id, "https://a/");
}

TEST(Bookmarks, KeepsLinksWithinDescriptions) {
  const Collected read = bookmarks(
      "<DL><p><DT><A HREF=\"http://a.org/\">A</A>\n"
      "<DD>See <a href=\"http://b.org/\">the other</a> too\n"
      "<DT><A HREF=\"http://c.org/\" DESCRIPTION=\"Scuttle &amp; co\">C</A></DL>");
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(read.item(0).text, "See the other (http://b.org/) too");
  EXPECT_EQ(read.item(1).text, "Scuttle & co");
}

TEST(Bookmarks, WritesFoldersAndAttributesBack) {
  const std::string html =
      "<DL><p><DT><H3>News</H3><DL><p><DT><H3>Daily</H3><DL><p>"
      "<DT><A HREF=\"http://a.org/\" PRIVATE=\"1\" TOREAD=\"1\" TAGS=\"x\">A</A></DL><p>"
      "<DT><A HREF=\"http://b.org/\">B</A></DL><p>"
      "<DT><A HREF=\"http://c.org/\">C</A></DL>";
  std::vector<Item> items;
  for (const Record& record : bookmarks(html).records) items.push_back(record.item);
  const std::string again =
      written([&](const Output& out) { write_bookmarks(each_of(items), "All", out); });
  EXPECT_NE(again.find("PRIVATE=\"1\" TOREAD=\"1\" TAGS=\"x\""), std::string::npos) << again;
  EXPECT_NE(again.find("<H3>Daily</H3>"), std::string::npos) << again;
  std::vector<Item> back;
  for (const Record& record : bookmarks(again).records) back.push_back(record.item);
  const auto by_id = [](const Item& a, const Item& b) { return a.id < b.id; };
  std::sort(items.begin(), items.end(), by_id);
  std::sort(back.begin(), back.end(), by_id);
  ASSERT_EQ(back.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::vector<std::string> was = tag_names(items[i]);
    std::vector<std::string> is = tag_names(back[i]);
    std::sort(was.begin(), was.end());
    std::sort(is.begin(), is.end());
    EXPECT_EQ(is, was) << items[i].id;
    EXPECT_EQ(nlohmann::json::parse(back[i].metadata), nlohmann::json::parse(items[i].metadata));
  }
}

}  // namespace bookmarks_test
}  // namespace commonplace::test
