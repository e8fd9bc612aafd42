#include "benchmarks/bench_data.h"

#include <cmath>

#include "oracles/number.h"

namespace foldproof {
namespace {

using Random = std::mt19937_64;

bool any(Element) { return true; }
bool is_f64(Element element) { return element == Element::f64; }
bool has_infinity(Element element) { return is_float(element) && float_format(element).has_infinity; }
bool has_nan(Element element) { return is_float(element) && float_format(element).has_nan; }

/// Uniform in [-1, 1); integers over their whole range.
std::uint64_t uniform(Element element, Random& random) {
  const std::uint64_t bits = random();
  if (!is_float(element)) return bits;
  return encode(element, number_of(std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), -63)));
}

/// Exponents uniform over the normal range.
std::uint64_t exponents(Element element, Random& random) {
  const FloatFormat& format = float_format(element);
  const auto lines = static_cast<std::uint64_t>(format.highest_exponent - format.lowest_exponent);
  const std::uint64_t leading = std::uint64_t{1} << (format.precision - 1);
  const std::uint64_t significand = leading | (random() & (leading - 1));
  const int exponent = format.lowest_exponent + static_cast<int>(random() % lines);
  return encode(element, {Number::Category::finite, random() % 2 != 0, significand, exponent});
}

std::uint64_t constant(Element element, Random&) {
  return encode(element, number_of(is_float(element) ? 0.7 : 7.0));
}

std::uint64_t subnormal(Element element, Random& random) {
  const FloatFormat& format = float_format(element);
  const std::uint64_t significand = random() & ((std::uint64_t{1} << (format.precision - 1)) - 1);
  return encode(element, {Number::Category::finite, random() % 2 != 0, significand, format.lowest_exponent});
}

std::uint64_t finite_bits(Element element, Random& random) {
  for (;;)
    if (const std::uint64_t bits = random(); decode(element, bits).is_finite()) return bits;
}

std::uint64_t with_nan(Element element, Random& random) {
  if (random() % 100 == 0) return encode(element, {Number::Category::nan, false, 0, 0});
  return uniform(element, random);
}

std::uint64_t infinite(Element element, Random& random) {
  return encode(element, {Number::Category::infinity, random() % 2 != 0, 0, 0});
}

std::uint64_t negative_zeros(Element element, Random&) {
  return encode(element, {Number::Category::finite, true, 0, 0});
}

std::uint64_t outliers(Element element, Random& random) {
  return random() % 100 == 0 ? exponents(element, random) : constant(element, random);
}

/// Four exponents of each sign, 512 apart: their bins may be 4 KiB apart in memory, which caches map to the
/// same set.
std::uint64_t far_apart(Element element, Random& random) {
  constexpr int places = 4, step = 512, first = -1000;
  const std::uint64_t bits = encode(element, number_of(1.0)) | random() >> 12;
  const double number =
      std::ldexp(to_double(decode(element, bits)), first + step * static_cast<int>(random() % places));
  return encode(element, number_of(random() % 2 != 0 ? number : -number));
}

constexpr BenchData all[] = {
    {"uniform", any, uniform},
    {"exponents", is_float, exponents},
    {"constant", any, constant},
    {"subnormal", is_float, subnormal},
    {"any-finite", is_float, finite_bits},
    {"nan", has_nan, with_nan},
    {"infinite", has_infinity, infinite},
    {"zeros", is_float, negative_zeros},
    {"outliers", is_float, outliers},
    {"far-apart", is_f64, far_apart},
};

}  // namespace

std::span<const BenchData> bench_data() { return all; }

}  // namespace foldproof
