#include "commonplace/features/area_average.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

Share averaged(int i, int from, int to) {
  const double scale = static_cast<double>(from) / to;
  const double begin = i * scale;
  const double end = std::min<double>(from, (i + 1) * scale);
  Share share{static_cast<int>(begin), {}};
  for (int s = share.first; s < end; ++s) {
    const double covered = std::min(end, s + 1.0) - std::max<double>(begin, s);
    if (covered > 1e-9 || share.weights.empty())
      share.weights.push_back(static_cast<float>(covered / scale));
  }
  return share;
}

Share interpolated(int i, int from, int to) {
  const double at = std::clamp((i + 0.5) * static_cast<double>(from) / to - 0.5, 0.0,
                               static_cast<double>(from - 1));
  const int first = std::min(static_cast<int>(at), std::max(0, from - 2));
  const auto second = static_cast<float>(at - first);
  if (from == 1) return {0, {1.0F}};
  return {first, {1 - second, second}};
}

int reduced_side(int side, int longer, int most) {
  if (longer <= most) return side;
  return std::max(1, static_cast<int>(std::lround(static_cast<double>(side) * most / longer)));
}

Picture empty_picture(int width, int height) {
  Picture picture;
  picture.width = width;
  picture.height = height;
  for (auto& channel : picture.channels)
    channel.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0.0F);
  return picture;
}

}  // namespace

std::vector<Share> shares(int from, int to) {
  require(from >= 1 && to >= 1, "a line of ", from, " pixels cannot be resized to ", to);
  std::vector<Share> result;
  result.reserve(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i)
    result.push_back(to <= from ? averaged(i, from, to) : interpolated(i, from, to));
  return result;
}

AreaAverage::AreaAverage(int width, int height, int side) {
  const int longer = std::max(width, height);
  result_ = empty_picture(reduced_side(width, longer, side), reduced_side(height, longer, side));
  columns_ = shares(width, result_.width);
  rows_ = shares(height, result_.height);
  line_.resize(3 * static_cast<std::size_t>(result_.width));
}

void AreaAverage::add_row(const std::uint8_t* pixels) {
  const auto width = static_cast<std::size_t>(result_.width);
  for (std::size_t x = 0; x < width; ++x) {
    const std::uint8_t* pixel = pixels + 3 * static_cast<std::ptrdiff_t>(columns_[x].first);
    float red = 0;
    float green = 0;
    float blue = 0;
    for (const float weight : columns_[x].weights) {
      red += weight * static_cast<float>(pixel[0]);
      green += weight * static_cast<float>(pixel[1]);
      blue += weight * static_cast<float>(pixel[2]);
      pixel += 3;
    }
    line_[x] = red;
    line_[width + x] = green;
    line_[2 * width + x] = blue;
  }
  for (std::size_t target = target_; target < rows_.size() && rows_[target].first <= row_;
       ++target) {
    const auto& weights = rows_[target].weights;
    const auto at = static_cast<std::size_t>(row_ - rows_[target].first);
    if (at < weights.size())
      for (std::size_t channel = 0; channel < 3; ++channel) {
        float* into = result_.channels[channel].data() + target * width;
        const float* line = line_.data() + channel * width;
        const float weight = weights[at] / 255;
        for (std::size_t x = 0; x < width; ++x) into[x] += weight * line[x];
      }
    if (at + 1 >= weights.size() && target == target_) ++target_;
  }
  ++row_;
}

Picture resized(const Picture& picture, int width, int height) {
  const std::vector<Share> columns = shares(picture.width, width);
  const std::vector<Share> rows = shares(picture.height, height);
  Picture result = empty_picture(width, height);
  const auto from_width = static_cast<std::size_t>(picture.width);
  const auto to_width = static_cast<std::size_t>(width);
  std::vector<float> line(from_width);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t y = 0; y < rows.size(); ++y) {
      std::fill(line.begin(), line.end(), 0.0F);
      const float* from =
          picture.channels[channel].data() + static_cast<std::size_t>(rows[y].first) * from_width;
      for (const float weight : rows[y].weights) {
        for (std::size_t x = 0; x < from_width; ++x) line[x] += weight * from[x];
        from += from_width;
      }
      float* into = result.channels[channel].data() + y * to_width;
      for (std::size_t x = 0; x < to_width; ++x) {
        const float* source = line.data() + columns[x].first;
        for (const float weight : columns[x].weights) into[x] += weight * *source++;
      }
    }
  }
  return result;
}

}  // namespace commonplace
