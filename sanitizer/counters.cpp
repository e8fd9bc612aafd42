#include "sanitizer/counters.h"

namespace foldproof {

double ratio(std::uint64_t numerator, std::uint64_t denominator) {
  return denominator == 0 ? 0 : static_cast<double>(numerator) / static_cast<double>(denominator);
}

double Counters::warp_efficiency() const { return live_lanes == 0 ? 1 : ratio(active_lanes, live_lanes); }

}  // namespace foldproof
