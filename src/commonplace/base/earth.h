#pragma once

#include <array>

namespace commonplace {

/// The mean radius of the earth, in metres; it is taken for a sphere, which is wrong by up to half
/// a percent of a distance.
inline constexpr double kEarthRadius = 6'371'008.8;

/// The shorter way along the great circle through two places, in metres, by the haversine, which
/// keeps its precision for places a millimetre apart. Latitudes are degrees north in [-90, 90],
/// longitudes degrees east, any number of turns. Error for others.
double metres_between(double latitude_a, double longitude_a, double latitude_b, double longitude_b);

/// The place on a sphere of radius 180 / pi around the origin, so that a straight distance of 1
/// between near places is a degree of arc, 111,195 m: (0, 0) is at x, 90 degrees east at y, the
/// north pole at z. The distance of opposite places is 114.6. Rounded to float a place moves by
/// less than 0.4 m. Error as above.
std::array<float, 3> on_sphere(double latitude, double longitude);

}  // namespace commonplace
