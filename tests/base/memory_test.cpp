#include "commonplace/base/memory.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace commonplace {
namespace memory_test {

constexpr std::int64_t kMany = std::int64_t{64} << 20;

/// Takes so much memory, touches all of it and gives it back.
std::int64_t use_memory() {
  std::vector<char> bytes(static_cast<std::size_t>(kMany), 1);
  // So that the compiler cannot leave it out.
  volatile char* const at = bytes.data();
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < kMany; i += 1024) sum += at[i];
  return sum;
}

class Memory : public testing::Test {
 protected:
  void SetUp() override {
    if (current_memory() == 0) GTEST_SKIP() << "this system does not tell";
  }
};

TEST_F(Memory, OfAProcessIsSomewhereBetween) {
  EXPECT_GT(current_memory(), 1 << 18);
  EXPECT_LT(current_memory(), std::int64_t{1} << 46);
  EXPECT_GE(peak_memory() + (1 << 20), current_memory());
}

TEST_F(Memory, GrowsWithWhatIsUsed) {
  const std::int64_t before = current_memory();
  const std::vector<char> bytes(static_cast<std::size_t>(kMany), 1);
  EXPECT_GT(current_memory(), before + kMany / 2);
  EXPECT_GT(peak_memory(), before + kMany / 2) << static_cast<int>(bytes[7]);
}

TEST_F(Memory, PeakIsKeptUntilForgotten) {
  const std::int64_t before = current_memory();
  EXPECT_GT(use_memory(), 0);
  const std::int64_t peak = peak_memory();
  EXPECT_GT(peak, before + kMany / 2);
  const std::int64_t now = current_memory();
  forget_peak_memory();
  if (peak_memory() >= peak) GTEST_SKIP() << "this system does not let the peak be forgotten";
  EXPECT_LT(peak_memory(), now + kMany / 2);
}

}  // namespace memory_test
}  // namespace commonplace
