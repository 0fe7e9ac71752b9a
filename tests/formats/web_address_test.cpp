#include "commonplace/formats/web_address.h"

#include <gtest/gtest.h>

namespace commonplace {
namespace web_address_test {

TEST(WebAddress, HasOnePlainFormForItsSpellings) {
  const std::string plain = plain_address("https://example.org/a/b?x=1&y=2");
  EXPECT_EQ(plain, "example.org/a/b?x=1&y=2");
  for (const char* other :
       {"http://www.Example.ORG:80/a/b/?y=2&x=1",
        "HTTPS://user:secret@example.org./a/b?x=1&y=2#part",
        "https://example.org/a/b/index.html?utm_source=mail&x=1&UTM_Medium=b&fbclid=q&y=2",
        "http://example.org/%61/b?x=%31&y=2&", "https://example.org:443/a/b///?&x=1&y=2"})
    EXPECT_EQ(plain_address(other), plain) << other;
}

TEST(WebAddress, KeepsWhatTellsPagesApart) {
  const std::string plain = plain_address("https://example.org/a/b?x=1&y=2");
  for (const char* other :
       {"https://example.org/A/b?x=1&y=2", "https://example.org/a/b?x=1",
        "https://sub.example.org/a/b?x=1&y=2", "https://example.org:8080/a/b?x=1&y=2",
        "https://example.org/a/b#!/x=1", "https://example.org/a%2Fb?x=1&y=2",
        "https://example.org/a/b?x=1&y=%26"})
    EXPECT_NE(plain_address(other), plain) << other;
  EXPECT_EQ(plain_address("https://e.org/%e4%Zz%"), "e.org/%E4%Zz%");
  EXPECT_EQ(plain_address("https://e.org/#/mail"), "e.org#/mail");
}

TEST(WebAddress, IsEmptyForWhatIsNone) {
  for (const char* other :
       {"", "owl", "ftp://example.org/a", "https://", "http:///a", "mailto:a@b.org", "://a"})
    EXPECT_EQ(plain_address(other), "") << other;
}

TEST(WebAddress, OfAnItemIsInItsMetadataOrItsId) {
  Item item;
  item.id = "https://a.org";
  EXPECT_EQ(web_address(item), "https://a.org");
  item.metadata = R"({"url":"http://b.org"})";
  EXPECT_EQ(web_address(item), "http://b.org");
  item.metadata = R"({"url":7,"x":"\"url\""})";
  EXPECT_EQ(web_address(item), "https://a.org");
  item.id = "owl";
  EXPECT_EQ(web_address(item), "");
}

}  // namespace web_address_test
}  // namespace commonplace
