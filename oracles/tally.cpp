#include "oracles/tally.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace foldproof {
namespace {

__extension__ typedef unsigned __int128 Bucket;  // NOLINT(modernize-use-using): -Wpedantic wants it so

/// Magnitudes of one sign, added up by exponent. A significand has at most 64 bits, so a bucket holds 2^64.
class Buckets {
 public:
  Buckets(int lowest, int highest)
      : lowest_(lowest), buckets_(static_cast<std::size_t>(highest - lowest + 1)) {}

  void add(const Number& number) {
    buckets_[static_cast<std::size_t>(number.exponent - lowest_)] += number.significand;
  }

  Dyadic total() const {
    Dyadic::Integer sum = 0;
    for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
      sum <<= 1;
      if (*bucket == 0) continue;
      Dyadic::Integer wide = static_cast<std::uint64_t>(*bucket >> 64);
      wide = (wide << 64) | static_cast<std::uint64_t>(*bucket);
      sum += wide;
    }
    return {std::move(sum), lowest_};
  }

 private:
  int lowest_;
  std::vector<Bucket> buckets_;
};

Buckets buckets_for(Element element) {
  if (!is_float(element)) return {0, 0};
  return {float_format(element).lowest_exponent, float_format(element).highest_exponent};
}

}  // namespace

Tally tally(Element element, std::span<const std::byte> elements) {
  Tally result;
  Buckets positive = buckets_for(element), negative = buckets_for(element);
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  const std::size_t count = elements.size() / size_of(element);
  for (std::size_t i = 0; i < count; ++i) {
    const Number number = decode(element, load(element, elements, i));
    if (number.is_nan()) {
      ++result.nans;
    } else if (number.is_infinite()) {
      ++(number.negative ? result.negative_infinities : result.positive_infinities);
    } else if (number.significand != 0) {
      ++result.nonzero;
      (number.negative ? negative : positive).add(number);
      const int trailing = std::countr_zero(number.significand);
      const int width = static_cast<int>(std::bit_width(number.significand));
      lowest = std::min<std::int64_t>(lowest, number.exponent + trailing);
      highest = std::max<std::int64_t>(highest, number.exponent + width - 1);
      result.widest = std::max(result.widest, width - trailing);
    }
  }
  result.positive = positive.total();
  result.negative = negative.total();
  if (result.nonzero != 0) {
    result.lowest_place = lowest;
    result.highest_place = highest;
  }
  return result;
}

}  // namespace foldproof
