#include "commonplace/detect/core/axis_quantiles.h"

#include <cmath>

namespace commonplace::detect {
namespace {

Zone zone_of(const std::int64_t* counts, std::int64_t first_place, std::int64_t last_place) {
  Zone zone;
  std::int64_t seen = counts[0];
  while (seen <= first_place) seen += counts[++zone.begin];
  zone.before = seen - counts[zone.begin];
  zone.end = zone.begin;
  while (seen <= last_place) seen += counts[++zone.end];
  return zone;
}

double between(const NumberTally& values, std::int64_t before, double where) {
  const auto first = static_cast<std::int64_t>(std::floor(where));
  const double share = where - static_cast<double>(first);
  const double value = values.at(first - before);
  return share == 0 ? value : value + share * (values.at(first + 1 - before) - value);
}

}  // namespace

void NumberTally::join() {
  std::sort(values_.begin(), values_.end(),
            [](const Entry& a, const Entry& b) { return a.value < b.value; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (kept > 0 && values_[kept - 1].value == values_[i].value)
      values_[kept - 1].times += values_[i].times;
    else
      values_[kept++] = values_[i];
  values_.resize(kept);
}

double NumberTally::at(std::int64_t place) const {
  double before = 0;
  for (const Entry& entry : values_) {
    before += entry.times;
    if (static_cast<double>(place) < before) return entry.value;
  }
  return values_.back().value;
}

Quantiles::Quantiles(const std::int64_t* counts, std::int64_t all, double clip) : items(all) {
  place = std::clamp(clip * static_cast<double>(all) - 1, 0.0, static_cast<double>(all - 1));
  const auto first = static_cast<std::int64_t>(std::floor(place));
  const auto second = static_cast<std::int64_t>(std::ceil(place));
  low = zone_of(counts, first, second);
  high = zone_of(counts, all - 1 - second, all - 1 - first);
  if (high.begin <= low.end) {
    apart = false;
    low.end = std::max(low.end, high.end);
    low.before = std::min(low.before, high.before);
    low.begin = std::min(low.begin, high.begin);
  }
}

double Quantiles::lower() const { return between(low_values, low.before, place); }

double Quantiles::upper() const {
  return between(apart ? high_values : low_values, apart ? high.before : low.before,
                 static_cast<double>(items - 1) - place);
}

void gather_quantiles(std::vector<Quantiles>& quantiles, Comm& comm) {
  std::vector<NumberTally*> tallies;
  for (Quantiles& axis : quantiles) {
    tallies.push_back(&axis.low_values);
    tallies.push_back(&axis.high_values);
  }
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto own = static_cast<std::size_t>(comm.rank());
  std::vector<std::int64_t> sizes(ranks);
  for (NumberTally* tally : tallies) {
    tally->join();
    sizes[own] += std::ssize(tally->entries());
  }
  if (ranks == 1) return;
  comm.sum(std::span<std::int64_t>(sizes));
  std::vector<std::size_t> first(ranks + 1);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    first[rank + 1] = first[rank] + 3 * static_cast<std::size_t>(sizes[rank]);
  std::vector<double> all(first[ranks]);
  std::size_t at = first[own];
  for (std::size_t which = 0; which < tallies.size(); ++which) {
    for (const NumberTally::Entry& entry : tallies[which]->entries()) {
      all[at++] = static_cast<double>(which);
      all[at++] = entry.value;
      all[at++] = entry.times;
    }
    tallies[which]->clear();
  }
  comm.sum(std::span<double>(all));
  for (std::size_t i = 0; i < all.size(); i += 3)
    tallies[static_cast<std::size_t>(all[i])]->add(all[i + 1], all[i + 2]);
  for (NumberTally* tally : tallies) tally->join();
}

}  // namespace commonplace::detect
