#include "commonplace/search/core/topic_blocks.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace topic_blocks_test {

using namespace search;

using Blocks = std::vector<TopicBlock>;

TEST(BlockText, IsReadAsItWasWritten) {
  EXPECT_EQ(to_text({{{0, 1}, 20}, {{0}, 40}, {{1}, 20}}), "0,1:20;0:40;1:20");
  for (const Blocks& blocks :
       {Blocks{}, Blocks{{{0}, 1}}, Blocks{{{0, 1}, 20}, {{0}, 40}, {{1}, 20}},
        Blocks{{{0, 1, 2, 13}, 4096}, {{2}, 0}}, shared_blocks(4, 30, 20, 7, 3)})
    EXPECT_EQ(blocks_from_text(to_text(blocks)), blocks) << to_text(blocks);
}

TEST(BlockText, AnythingElseIsRefused) {
  for (const char* text : {"5",
                           ":",
                           ":5",
                           "0:",
                           "0,:5",
                           ",0:5",
                           "0,,1:5",
                           ";",
                           "0:5;",
                           ";0:5",
                           "0:5;;1:5",
                           "0:5:6",
                           "0:-5",
                           "-1:5",
                           "-0:5",
                           "0:+5",
                           " 0:5",
                           "0:5 ",
                           "0: 5",
                           "0:5,6",
                           "0:five",
                           "0:0x5",
                           "0:5.0",
                           "0:99999999999",
                           "0:2000000000",
                           "2000000000:1",
                           "0;5",
                           "0:5\n",
                           "0,1"}) {
    const std::string message = test::message_of([&] { blocks_from_text(text); });
    EXPECT_NE(message.find("damaged"), std::string::npos) << "'" << text << "' " << message;
  }
  using namespace std::string_view_literals;
  EXPECT_THROW(blocks_from_text("0:5\0"sv), Error);
}

}  // namespace topic_blocks_test
}  // namespace commonplace
