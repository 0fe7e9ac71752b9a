#include "commonplace/base/earth.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace earth_test {

constexpr double kDegreeInMetres = kEarthRadius * std::numbers::pi / 180;

double straight(const std::array<float, 3>& a, const std::array<float, 3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

TEST(Earth, KnownDistances) {
  EXPECT_EQ(metres_between(48.2, 16.4, 48.2, 16.4), 0);
  EXPECT_NEAR(metres_between(0, 0, 0, 1), 111'195.08, 0.01);
  EXPECT_NEAR(metres_between(-30, 50, -31, 50), 111'195.08, 0.01);
  EXPECT_NEAR(metres_between(60, 10, 60, 10.001), 55.597, 0.001);
  EXPECT_NEAR(metres_between(90, 12, -90, 77), std::numbers::pi * kEarthRadius, 0.01);
  EXPECT_NEAR(metres_between(10, 20, -10, -160), std::numbers::pi * kEarthRadius, 0.2);
  // Paris to New York, by the formula of the cosine on the same sphere.
  EXPECT_NEAR(metres_between(48.8566, 2.3522, 40.7128, -74.0060), 5'837'249, 1);
}

TEST(Earth, GoesTheShorterWayOverTheDateLine) {
  EXPECT_NEAR(metres_between(5, 179.9, 5, -179.9), metres_between(5, 0.1, 5, -0.1), 1e-6);
  EXPECT_NEAR(metres_between(5, 359, 5, 1), metres_between(5, -1, 5, 1), 1e-6);
}

TEST(Earth, PlacesAMillimetreApartAreToldApart) {
  const double step = 0.001 / kDegreeInMetres;
  EXPECT_NEAR(metres_between(47, 8, 47 + step, 8), 0.001, 1e-6);
}

TEST(Earth, AgreesWithTheFormulaOfTheCosine) {
  constexpr double degree = std::numbers::pi / 180;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const double a = 180 * random_uniform(1, i, 0) - 90;
    const double b = 180 * random_uniform(1, i, 1) - 90;
    const double along = 360 * random_uniform(1, i, 2) - 180;
    const double cosine = std::sin(a * degree) * std::sin(b * degree) +
                          std::cos(a * degree) * std::cos(b * degree) * std::cos(along * degree);
    EXPECT_NEAR(metres_between(a, 33, b, 33 + along), kEarthRadius * std::acos(cosine), 1);
  }
}

TEST(Earth, OneBetweenPointsIsADegree) {
  const auto here = on_sphere(48, 16);
  EXPECT_NEAR(straight(here, on_sphere(49, 16)), 1, 2e-5);
  EXPECT_NEAR(straight(on_sphere(60, 16), on_sphere(60, 18)), 1, 1e-4);
  EXPECT_NEAR(straight(on_sphere(0, 179.5), on_sphere(0, -179.5)), 1, 2e-5);
  EXPECT_NEAR(straight(on_sphere(90, 0), on_sphere(-90, 0)), 360 / std::numbers::pi, 1e-4);
  EXPECT_NEAR(straight(on_sphere(90, 0), on_sphere(90, 123)), 0, 1e-5);
}

TEST(Earth, PointsAreWithinAMetreOfTheirPlaces) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const double latitude = 180 * random_uniform(2, i, 0) - 90;
    const double longitude = 360 * random_uniform(2, i, 1) - 180;
    const auto point = on_sphere(latitude, longitude);
    const double x = static_cast<double>(point[0]);
    const double y = static_cast<double>(point[1]);
    const double z = static_cast<double>(point[2]);
    const double back = std::atan2(z, std::hypot(x, y)) * 180 / std::numbers::pi;
    const double around = std::atan2(y, x) * 180 / std::numbers::pi;
    EXPECT_LT(metres_between(latitude, longitude, back, around), 0.4);
  }
}

TEST(Earth, RefusesWhatIsNoPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(metres_between(90.1, 0, 0, 0), Error);
  EXPECT_THROW(metres_between(0, 0, -91, 0), Error);
  EXPECT_THROW(metres_between(0, nan, 0, 0), Error);
  EXPECT_THROW(on_sphere(nan, 0), Error);
  EXPECT_THROW(on_sphere(0, std::numeric_limits<double>::infinity()), Error);
}

}  // namespace earth_test
}  // namespace commonplace
