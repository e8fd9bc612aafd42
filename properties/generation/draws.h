// How cases are drawn: RapidCheck's generators with our own seed, and the most informative values.
#pragma once

#include <rapidcheck/Gen.h>
#include <rapidcheck/Random.h>
#include <rapidcheck/gen/Numeric.h>
#include <rapidcheck/gen/Select.h>

#include <cstdint>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/generation/domain.h"

namespace foldproof {

/// Every draw has its own random stream.
class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : random_(seed) {}

  template <typename T>
  T draw(const rc::Gen<T>& gen) {
    return gen(random_.split()).value();
  }
  /// `low` if the range is empty.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low >= high ? low : draw(rc::gen::inRange<std::int64_t>(low, high + 1));
  }
  template <typename T>
  T one_of(const std::vector<T>& values) {
    return draw(rc::gen::elementOf(values));
  }
  /// 32 random bits.
  std::uint64_t bits() { return draw(rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 32)); }

 private:
  rc::Random random_;
};

/// Threads per block: mostly near a multiple of the warp size, a power of two or an end of the range.
std::int64_t block_in(Chooser& choose, Bounds range);

/// Elements per row: mostly near a multiple of the warp size or of the block, or a power of two.
std::int64_t row_in(Chooser& choose, Bounds range, std::int64_t block);

/// The low end, the high end, next to the low end, near it, or anywhere.
std::int64_t variable_in(Chooser& choose, Bounds range);

/// The transform with an argument, if it takes one.
InputStep with_argument(Chooser& choose, const std::string& transform, const Reduction& reduction);

}  // namespace foldproof
