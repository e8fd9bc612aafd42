// A small, fast generator for elements (SplitMix64), the same on every host.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace foldproof {

class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15); }
  /// Uniform in [0, bound), except for a bias below 2^-32 for bounds that fit in 32 bits; bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// Uniform in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in [-1, 1).
  double symmetric() { return 2 * unit() - 1; }
  bool flip() { return (next() >> 63) != 0; }

 private:
  std::uint64_t state_;
};

/// Brings the values into random order.
template <typename T>
void shuffle(std::vector<T>& values, SplitMix& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace foldproof
