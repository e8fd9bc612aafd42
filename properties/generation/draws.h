// What cases are drawn with: RapidCheck's generators on a seed of our own, and the values that tell most.
#pragma once

#include <rapidcheck/Gen.h>
#include <rapidcheck/Random.h>
#include <rapidcheck/gen/Numeric.h>
#include <rapidcheck/gen/Select.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "properties/generation/domain.h"

namespace foldproof {

/// Orders that lane after lane runs cost up to 32 times as much; larger cases keep to the fast one.
inline constexpr std::int64_t most_elements_of_slow_schedules = 4096;

/// Every draw has a stream of its own.
class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : random_(seed) {}

  template <typename T>
  T draw(const rc::Gen<T>& gen) {
    return gen(random_.split()).value();
  }
  /// `low` where the range is empty.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low >= high ? low : draw(rc::gen::inRange<std::int64_t>(low, high + 1));
  }
  template <typename T>
  T one_of(const std::vector<T>& values) {
    return draw(rc::gen::elementOf(values));
  }
  /// 32 of them.
  std::uint64_t bits() { return draw(rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 32)); }

 private:
  rc::Random random_;
};

/// Threads of a block: mostly at an edge of warps, powers of two or the range.
std::int64_t block_in(Chooser& choose, Bounds range);

/// Elements of a row: mostly at an edge of warps, of powers of two or of the block.
std::int64_t row_in(Chooser& choose, Bounds range, std::int64_t block);

/// One end, the other, next to it, few, or anywhere.
std::int64_t variable_in(Chooser& choose, Bounds range);

/// Distributions whose point a transform would spoil: exact sums, and values that few others have.
bool stays_as_made(std::string_view distribution);

/// The transform with an argument, where it takes one.
std::string with_argument(Chooser& choose, const std::string& transform, const Reduction& reduction);

}  // namespace foldproof
