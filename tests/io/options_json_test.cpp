#include "commonplace/io/options_json.h"

#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace options_json_test {

struct Sample {
  std::string word = "a \"b\" \n";
  bool flag = true;
  int small = std::numeric_limits<int>::min();
  std::int64_t large = std::numeric_limits<std::int64_t>::max();
  std::uint64_t seed = std::numeric_limits<std::uint64_t>::max();
  double share = 0.1;
  bool operator==(const Sample&) const = default;
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, Sample>
void visit_options(Options& options, Visit&& visit) {
  visit("word", options.word, "");
  visit("flag", options.flag, "");
  visit("small", options.small, "");
  visit("large", options.large, "");
  visit("seed", options.seed, "");
  visit("share", options.share, "");
}

TEST(OptionsJson, ComeBackAsTheyWere) {
  const Sample sample;
  EXPECT_EQ(options_from_json<Sample>(options_to_json(sample)), sample);
}

struct Renamed {
  double noise = 0.1;
  std::string kernel = "rbf";
  bool operator==(const Renamed&) const = default;
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, Renamed>
void visit_options(Options& options, Visit&& visit) {
  visit("noise|ridge", options.noise, "");
  visit("kernel", options.kernel, "");
}

TEST(OptionsJson, ReadsFormerSpellingsAndWritesTheCurrentOne) {
  EXPECT_EQ(options_from_json<Renamed>(R"({"ridge":0.5,"kernel":"gaussian"})"),
            (Renamed{0.5, "rbf"}));
  EXPECT_EQ(options_to_json(Renamed{0.5, "nn"}), R"({"noise":0.5,"kernel":"nn"})");
}

TEST(OptionsJson, RefusesWhatIsMissingOrOfAnotherType) {
  const std::string good = options_to_json(Sample{});
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    EXPECT_THROW(options_from_json<Sample>(text), Error) << text;
  };
  refused("\"word\"", "\"other\"");
  refused("\"flag\":true", "\"flag\":1");
  refused("\"small\":-2147483648", "\"small\":-2147483649");
  refused("\"small\":-2147483648", "\"small\":2147483648");
  refused("\"small\":-2147483648", "\"small\":1.5");
  refused("\"large\":9223372036854775807", "\"large\":9223372036854775808");
  refused("\"seed\":18446744073709551615", "\"seed\":-1");
  refused("\"share\":0.1", "\"share\":\"0.1\"");
  refused("{", "[");
  EXPECT_THROW(options_from_json<Sample>(""), Error);
  EXPECT_THROW(options_from_json<Sample>("[]"), Error);
}

}  // namespace options_json_test
}  // namespace commonplace
