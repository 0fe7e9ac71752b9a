#include "commonplace/suggest/core/prototypes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/suggest/core/prototype_descent.h"
#include "commonplace/suggest/core/prototype_gain.h"

namespace commonplace::suggest {
namespace {

void check(const FeatureRows& items, std::span<const std::int32_t> labels, std::int64_t classes,
           const PrototypeOptions& options) {
  const std::string& way = options.selection;
  require(way == "descent" || way == "random" || way == "gain", "selection is '", way,
          "'; expected descent, random or gain");
  require(items.rows() == std::ssize(labels), items.rows(), " items do not fit ", labels.size(),
          " labels");
  require(options.count >= 1 && options.count <= items.rows(), "prototypes is ", options.count,
          "; expected 1 .. ", items.rows(), ", the number of items");
  for (std::size_t i = 0; i < labels.size(); ++i)
    require(labels[i] >= 0 && labels[i] < classes, "item ", i + 1, " has the class ", labels[i],
            "; expected 0 .. ", classes - 1);
  require(options.settle >= 0, "settle is ", options.settle, "; expected 0 or more");
  require(options.epochs >= 0, "epochs is ", options.epochs, "; expected 0 or more");
  require(options.rate >= 0 && options.rate <= 2, "rate is ", options.rate, "; expected 0 .. 2");
  require(options.window >= 0 && options.window < 0.25, "window is ", options.window,
          "; expected 0 or more and below 0.25");
  require(options.softness > 0 && std::isfinite(options.softness), "softness is ", options.softness,
          "; expected more than 0");
}

/// How many prototypes each class gets: its share, at least one if it has items, no more than its
/// items.
std::vector<std::int64_t> shares(std::span<const std::int32_t> labels, std::int64_t classes,
                                 std::int64_t count) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(classes));
  for (const std::int32_t label : labels) ++sizes[static_cast<std::size_t>(label)];
  const auto present =
      std::count_if(sizes.begin(), sizes.end(), [](std::int64_t size) { return size > 0; });
  require(count >= present, "prototypes is ", count, ", too few for ", present,
          " classes; give at least one a class");
  std::vector<std::int64_t> result(sizes.size());
  for (std::size_t c = 0; c < sizes.size(); ++c) result[c] = sizes[c] > 0 ? 1 : 0;
  // One by one to the class that is furthest below its share.
  const auto total = static_cast<double>(labels.size());
  for (std::int64_t left = count - present; left > 0; --left) {
    std::size_t best = sizes.size();
    double most = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      if (result[c] >= sizes[c]) continue;
      const double lack = static_cast<double>(sizes[c]) / total * static_cast<double>(count) -
                          static_cast<double>(result[c]);
      if (best == sizes.size() || lack > most) {
        best = c;
        most = lack;
      }
    }
    ++result[best];
  }
  return result;
}

std::vector<std::int64_t> random_items(std::span<const std::int32_t> labels, std::int64_t classes,
                                       const PrototypeOptions& options) {
  std::vector<std::int64_t> left = shares(labels, classes, options.count);
  std::vector<std::int64_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0);
  auto bits = [&](std::int64_t item) {
    return random_bits(options.seed, static_cast<std::uint64_t>(item), 0x70726f746fULL);
  };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::pair{bits(a), a} < std::pair{bits(b), b};
  });
  std::vector<std::int64_t> result;
  for (const std::int64_t item : order) {
    auto& of_class = left[static_cast<std::size_t>(labels[static_cast<std::size_t>(item)])];
    if (of_class == 0) continue;
    --of_class;
    result.push_back(item);
  }
  return result;
}

}  // namespace

Prototypes select_prototypes(const FeatureRows& items, std::span<const std::int32_t> labels,
                             std::int64_t classes, const Kernel& kernel,
                             const PrototypeOptions& options, const Run& run) {
  check(items, labels, classes, options);
  const std::vector<std::int64_t> chosen =
      options.selection == "gain"
          ? choose_informative(items, labels, classes, kernel, options.count, options.seed, run)
                .items
          : random_items(labels, classes, options);
  Prototypes result{take_rows(items, chosen), {}};
  for (const std::int64_t item : chosen)
    result.labels.push_back(labels[static_cast<std::size_t>(item)]);
  if (options.selection == "descent") descend(items, labels, options, result, run);
  return result;
}

}  // namespace commonplace::suggest
