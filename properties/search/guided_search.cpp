#include "properties/search/guided_search.h"

#include <algorithm>

#include "properties/random.h"
#include "properties/search/neighbour.h"

namespace foldproof {
namespace {

constexpr std::size_t most_peaks = 4;
/// Steps without success after which the search continues from another start.
constexpr std::uint64_t patience = 12;

}  // namespace

void GuidedSearch::start_from(const Case& c, std::optional<double> ratio) {
  if (!ratio || !(*ratio > 0)) return;
  beyond_bound_ |= *ratio > 1;
  const auto place = std::ranges::upper_bound(peaks_, *ratio, std::greater<>{}, &Peak::ratio);
  peaks_.insert(place, {c, *ratio});
  if (peaks_.size() > most_peaks) peaks_.pop_back();
}

std::optional<Case> GuidedSearch::next(std::uint64_t index) const {
  if (peaks_.empty() || beyond_bound_) return std::nullopt;
  return neighbour_of(peaks_[at_].c, instance_, domain_, generator_, mixed(seed_ ^ mixed(~index)));
}

void GuidedSearch::take(const Case& c, std::optional<double> ratio) {
  beyond_bound_ |= ratio && *ratio > 1;
  Peak& peak = peaks_[at_];
  if (ratio && *ratio >= peak.ratio) {
    if (*ratio > peak.ratio) in_vain_ = 0;
    peak = {c, *ratio};
    return;
  }
  if (++in_vain_ < patience) return;
  in_vain_ = 0;
  at_ = (at_ + 1) % peaks_.size();
}

}  // namespace foldproof
