#include "commonplace/formats/item.h"

#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace item_test {

struct Written {
  std::string text;
  std::string time;  ///< empty: not understood
};

class ParseTime : public testing::TestWithParam<Written> {};

TEST_P(ParseTime, GivesTheCanonicalForm) {
  EXPECT_EQ(parse_time(GetParam().text).value_or(""), GetParam().time) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Dates, ParseTime,
    testing::Values(Written{"1904", "1904"}, Written{" 1904 ", "1904"},
                    Written{"1904-05", "1904-05"}, Written{"1904-05-03", "1904-05-03"},
                    Written{"1904/5/3", "1904-05-03"}, Written{"19040503", "1904-05-03"},
                    Written{"2000-02-29", "2000-02-29"}, Written{"1900-02-29", ""},
                    Written{"2023-02-29", ""}, Written{"2024-02-29", "2024-02-29"},
                    Written{"1904-13", ""}, Written{"1904-04-31", ""}, Written{"0000", ""},
                    Written{"0001", "0001"}, Written{"9999-12-31", "9999-12-31"},
                    Written{"1904-00-00", "1904"}, Written{"1904-05-00", "1904-05"},
                    Written{"1904-00-03", ""}, Written{"0000:00:00 00:00:00", ""},
                    Written{"date not known", ""}, Written{"c.1904", ""}, Written{"1904-", ""},
                    Written{"1904-05-03x", ""}, Written{"1904-05:03", ""}, Written{"", ""}));

INSTANTIATE_TEST_SUITE_P(
    Clocks, ParseTime,
    testing::Values(Written{"2010-05-07T12:13:14Z", "2010-05-07T12:13:14Z"},
                    Written{"2010:05:07 12:13:14", "2010-05-07T12:13:14Z"},
                    Written{"2010-05-07 12:13", "2010-05-07T12:13:00Z"},
                    Written{"2010-05-07T12:13:14.999Z", "2010-05-07T12:13:14Z"},
                    Written{"2010-05-07T12:13:14+02:00", "2010-05-07T10:13:14Z"},
                    Written{"2010-05-07T23:13:14 -0530", "2010-05-08T04:43:14Z"},
                    Written{"2010-01-01T00:30+01", "2009-12-31T23:30:00Z"},
                    Written{"2010-05-07 12:13:14 UTC", "2010-05-07T12:13:14Z"},
                    Written{"2010-12-31T24:00:00Z", "2011-01-01T00:00:00Z"},
                    Written{"2010-12-31T24:00:01Z", ""},
                    Written{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"},
                    Written{"2016-12-31T23:58:60Z", ""}, Written{"2010-05-07T25:00", ""},
                    Written{"2010-05-07T12:60", ""}, Written{"2010-05-07T12", ""},
                    Written{"2010-05-07T12:13:14+2", ""}, Written{"2010-05-07T12:13:14+25:00", ""},
                    Written{"2010-05T12:13", ""}, Written{"0001-01-01T00:00:00+01:00", ""},
                    Written{"9999-12-31T23:00:00-02:00", ""}));

INSTANTIATE_TEST_SUITE_P(SecondsSince1970, ParseTime,
                         testing::Values(Written{"1427216132", "2015-03-24T16:55:32Z"},
                                         Written{"1427216132123", "2015-03-24T16:55:32Z"},
                                         Written{"1427216132123456", "2015-03-24T16:55:32Z"},
                                         Written{"1427216132.75", "2015-03-24T16:55:32Z"},
                                         Written{"-86400", "1969-12-31T00:00:00Z"},
                                         Written{"0", ""}, Written{"12", ""},
                                         Written{"99999999999999999999", ""},
                                         Written{"1427216132.", "2015-03-24T16:55:32Z"},
                                         Written{"1427216132.x", ""}, Written{"-1", ""}));

TEST(EpochSeconds, IsTheBeginningOfTheTime) {
  EXPECT_EQ(epoch_seconds("1970"), 0);
  EXPECT_EQ(epoch_seconds("1970-02"), 31 * 86'400);
  EXPECT_EQ(epoch_seconds("1969-12-31"), -86'400);
  EXPECT_EQ(epoch_seconds("2015-03-24T16:55:32Z"), 1'427'216'132);
  EXPECT_THROW(epoch_seconds("yesterday"), Error);
}

TEST(EpochSeconds, IsUndoneByTimeOfEpoch) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const auto seconds = static_cast<std::int64_t>(rng.below(300'000'000'000)) - 60'000'000'000;
    const std::string time = time_of_epoch(seconds);
    EXPECT_EQ(epoch_seconds(time), seconds);
    EXPECT_EQ(parse_time(time), time);
  }
}

TEST(TimeOfEpoch, RefusesWhatHasNoFourDigitYear) {
  EXPECT_EQ(time_of_epoch(-62'135'596'800), "0001-01-01T00:00:00Z");
  EXPECT_EQ(time_of_epoch(253'402'300'799), "9999-12-31T23:59:59Z");
  EXPECT_THROW(time_of_epoch(-62'135'596'801), Error);
  EXPECT_THROW(time_of_epoch(253'402'300'800), Error);
  EXPECT_THROW(time_of_epoch(std::numeric_limits<std::int64_t>::min()), Error);
  EXPECT_THROW(time_of_epoch(std::numeric_limits<std::int64_t>::max()), Error);
}

}  // namespace item_test
}  // namespace commonplace
