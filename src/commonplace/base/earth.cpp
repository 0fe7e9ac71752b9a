#include "commonplace/base/earth.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

void check_place(double latitude, double longitude) {
  require(latitude >= -90 && latitude <= 90, "a latitude is ", latitude,
          "; expected degrees north, -90 .. 90");
  require(std::isfinite(longitude), "a longitude is ", longitude, "; expected degrees east");
}

double square(double value) { return value * value; }

}  // namespace

double metres_between(double latitude_a, double longitude_a, double latitude_b,
                      double longitude_b) {
  check_place(latitude_a, longitude_a);
  check_place(latitude_b, longitude_b);
  const double haversine = square(std::sin(kDegree * (latitude_b - latitude_a) / 2)) +
                           std::cos(kDegree * latitude_a) * std::cos(kDegree * latitude_b) *
                               square(std::sin(kDegree * (longitude_b - longitude_a) / 2));
  return 2 * kEarthRadius * std::asin(std::sqrt(std::min(1.0, haversine)));
}

std::array<float, 3> on_sphere(double latitude, double longitude) {
  check_place(latitude, longitude);
  const double height = std::sin(kDegree * latitude) / kDegree;
  const double across = std::cos(kDegree * latitude) / kDegree;
  return {static_cast<float>(across * std::cos(kDegree * longitude)),
          static_cast<float>(across * std::sin(kDegree * longitude)), static_cast<float>(height)};
}

}  // namespace commonplace
