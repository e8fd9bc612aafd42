// Exact sums, compared with arbitrary-precision integers on data that breaks simple sums.
#include "oracles/exact_sum.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "oracles/in_smallest.h"
#include "special_values.h"

using namespace foldproof;

namespace {

using Integer = boost::multiprecision::cpp_int;

template <class T>
void check_against_integers(const std::vector<T>& values) {
  ExactSum<T> sum;
  sum.add(values);
  Integer expected = 0, magnitude = 0;
  for (const T value : values) {
    expected += in_smallest(value);
    magnitude += abs(in_smallest(value));
  }
  CHECK(sum.count() == values.size());
  CHECK(sum.finite() == Dyadic(expected, -1074));
  CHECK(sum.magnitude() == Dyadic(magnitude, -1074));
}

template <class T, class F>
std::vector<T> made(std::size_t count, F f) {
  std::vector<T> values(count);
  for (T& value : values) value = f();
  return values;
}

}  // namespace

TEMPLATE_TEST_CASE("sums of any finite numbers are exact", "", double, float) {
  using T = TestType;
  std::mt19937_64 random(1);
  const T top = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  check_against_integers<T>({});
  check_against_integers<T>({T{1}});
  for (const std::size_t count : {1, 3, 5, 1000, 20001})
    check_against_integers(made<T>(count, [&] { return any_finite<T>(random); }));
  check_against_integers(made<T>(5001, [&] { return random() % 2 ? top : -top; }));
  check_against_integers(made<T>(5001, [&] { return random() % 2 ? tiny : top; }));
  check_against_integers(made<T>(5001, [&] { return static_cast<T>(random() % 8) * tiny; }));
  check_against_integers(made<T>(5001, [&] { return std::nextafter(T{1}, T{0}); }));
  check_against_integers(made<T>(5001, [&] { return -std::nextafter(T{1}, T{0}); }));
}

// The significand of 1 is 2^52, so that 2^12 of them add up to 2^64, which overflows 64 bits. Numbers are
// distributed over four slots, all of which become full at the same time.
TEMPLATE_TEST_CASE_SIG("ones add up to their number where 64 bits of significands are full, and beside that",
                       "", ((int sign), sign), 1, -1) {
  for (const int places : {1, 4})
    for (const int difference : {-1, 0, 1}) {
      const int count = places * (1 << 12) + difference;
      ExactSum<double> sum;
      sum.add(std::vector<double>(static_cast<std::size_t>(count), sign));
      CHECK(sum.finite() == Dyadic(sign * count, 0));
      CHECK(sum.magnitude() == Dyadic(count, 0));
    }
}

// 2^20 significands near 2^53 fill a slot 2^9 times; 2^20 of the smallest never do.
TEST_CASE("any number of doubles with one exponent is summed exactly") {
  constexpr double least = std::numeric_limits<double>::denorm_min(),
                   normal = std::numeric_limits<double>::min();
  constexpr double most = std::numeric_limits<double>::max();
  for (const double x : {least, normal - least, normal, 1.0, std::nextafter(2.0, 0.0), 0x1p1023, most})
    for (const double signed_x : {x, -x}) {
      const std::size_t count = (std::size_t{1} << 20) + 3;
      ExactSum<double> sum;
      sum.add(std::vector<double>(count, signed_x));
      CHECK(sum.finite() == Dyadic(number_of(signed_x)) * Dyadic(Integer(count), 0));
      CHECK(sum.magnitude() == Dyadic(number_of(x)) * Dyadic(Integer(count), 0));
    }
}

TEST_CASE("every number counts once, regardless of their count and positions") {
  for (std::size_t count = 1; count <= 40; ++count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::ldexp(i % 3 == 0 ? -1 : 1, static_cast<int>(i));
    check_against_integers(values);
    std::ranges::fill(values, -0x1.8p-1000);
    check_against_integers(values);
  }
}

// Subnormals have no implicit leading one, but the same exponent as the smallest normal numbers.
TEST_CASE("subnormals, zeros and the smallest normal numbers are summed exactly together") {
  constexpr double least = std::numeric_limits<double>::denorm_min(),
                   normal = std::numeric_limits<double>::min();
  std::mt19937_64 random(5);
  const double ends[] = {0.0, least, normal - least, normal, normal + least, 2 * normal - least, 2 * normal};
  check_against_integers(made<double>(40'001, [&] {
    const double x = ends[random() % std::size(ends)];
    return random() % 2 ? x : -x;
  }));
}

TEST_CASE("a full chunk of floats with every bit set is exact") {
  const float x = std::bit_cast<float>(0x3fffffffu);
  const std::size_t count = (std::size_t{1} << 21) + 1;
  ExactSum<float> sum;
  sum.add(std::vector<float>(count, x));
  CHECK(sum.finite() == Dyadic(number_of(x)) * Dyadic(Integer(count), 0));
}

TEMPLATE_TEST_CASE("a sum of a thousand million numbers is exact", "", double, float) {
  using T = TestType;
  std::mt19937_64 random(2);
  const std::vector<T> values = made<T>(1'000'000, [&] { return any_finite<T>(random); });
  ExactSum<T> once, sum;
  once.add(values);
  for (int k = 0; k < 1000; ++k) sum.add(values);
  CHECK(sum.count() == 1'000'000'000);
  CHECK(sum.finite() == once.finite() * Dyadic(1000, 0));
  CHECK(sum.magnitude() == once.magnitude() * Dyadic(1000, 0));
}

TEST_CASE("parts merged in any order give the sum of all") {
  std::mt19937_64 random(3);
  const std::vector<double> values = made<double>(10'000, [&] { return any_finite<double>(random); });
  ExactSum<double> whole;
  whole.add(values);
  std::vector<ExactSum<double>> parts;
  for (std::size_t at = 0; at < values.size();) {
    const std::size_t size = std::min<std::size_t>(values.size() - at, random() % 1500);
    parts.emplace_back().add(std::span(values).subspan(at, size));
    at += size;
  }
  std::ranges::shuffle(parts, random);
  ExactSum<double> merged;
  for (const auto& part : parts) merged.merge(part);
  CHECK(merged == whole);
  CHECK(merged.magnitude() == whole.magnitude());
  CHECK(merged.count() == values.size());
}

TEMPLATE_TEST_CASE("every code of a narrow format counts with its decoded value", "", Coded<Element::f16>,
                   Coded<Element::bf16>, Coded<Element::e4m3>, Coded<Element::e5m2>, Coded<Element::e2m1>) {
  constexpr Element element = ElementOf<TestType>::value;
  std::vector<TestType> all;
  Dyadic expected, magnitude;
  Specials specials;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 8 * size_of(element); ++bits) {
    all.push_back({static_cast<decltype(TestType::bits)>(bits)});
    const Number number = decode(element, bits);
    if (number.is_finite()) {
      expected = expected + Dyadic(number);
      magnitude = magnitude + abs(Dyadic(number));
    }
    specials.add(number.category, number.negative);
    ExactSum<TestType> one;
    one.add(all.back());
    if (number.is_finite()) CHECK(one.finite() == Dyadic(number));
    CHECK(decode(element, one.rounded(element)).category == number.category);
  }
  ExactSum<TestType> sum;
  sum.add(all);
  CHECK(sum.finite() == expected);
  CHECK(sum.magnitude() == magnitude);
  CHECK(sum.specials().nan == specials.nan);
  CHECK(sum.specials().give_nan() == specials.give_nan());
}

TEMPLATE_TEST_CASE("integers of every width are summed beyond their range", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  using T = TestType;
  std::mt19937_64 random(4);
  std::vector<T> values = made<T>(5000, [&] { return static_cast<T>(random()); });
  values.insert(values.end(), 3000, std::numeric_limits<T>::max());
  values.insert(values.end(), 2000, std::numeric_limits<T>::min());
  Integer expected = 0, magnitude = 0;
  for (const T value : values) {
    expected += value;
    magnitude += abs(Integer(value));
  }
  ExactSum<T> sum;
  sum.add(values);
  CHECK(sum.finite() == Dyadic(expected, 0));
  CHECK(sum.magnitude() == Dyadic(magnitude, 0));
}

TEMPLATE_TEST_CASE("NaN, infinities and zeros add up as in IEEE 754", "", double, float) {
  using T = TestType;
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const auto sum = [](const std::vector<T>& values) {
    ExactSum<T> exact;
    exact.add(values);
    const std::uint64_t bits = exact.rounded(ExactSum<T>::element);
    return to_text(ExactSum<T>::element, bits) +
           (to_double(decode(ExactSum<T>::element, bits)) == 0 && bits != 0 ? " negative" : "");
  };
  const std::string zero = "0", minus_zero = "-0 negative";
  CHECK(sum({}) == zero);
  CHECK(sum({T{0}}) == zero);
  CHECK(sum({-T{0}}) == minus_zero);
  CHECK(sum({-T{0}, -T{0}, -T{0}, -T{0}, -T{0}}) == minus_zero);
  CHECK(sum({-T{0}, -T{0}, T{0}, -T{0}, -T{0}}) == zero);
  CHECK(sum({T{1}, -T{1}}) == zero);
  CHECK(sum({-T{1}, -T{0}, T{1}}) == zero);
  CHECK(sum({-std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::denorm_min()}) == zero);
  CHECK(sum({infinity, T{1}}) == "inf");
  CHECK(sum({infinity, infinity}) == "inf");
  CHECK(sum({-infinity, std::numeric_limits<T>::max()}) == "-inf");
  CHECK(sum({infinity, -infinity}) == "nan");
  CHECK(sum({nan, T{1}}) == "nan");
  CHECK(sum({-nan, infinity}) == "nan");
}

TEMPLATE_TEST_CASE("every NaN and every infinity counts as one, among numbers of any size", "", double,
                   float) {
  using T = TestType;
  using Code = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr auto infinite = std::bit_cast<Code>(std::numeric_limits<T>::infinity());
  constexpr T top = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  constexpr Code all_ones = std::numeric_limits<Code>::max() >> 1;
  // An infinity; NaNs with only the lowest, only the highest, one in the middle and all bits of the fraction.
  for (const Code code : {infinite, infinite | 1, infinite | infinite >> 1, infinite | 1 << 20, all_ones})
    for (const T sign : {T{1}, T{-1}}) {
      const std::vector<T> others{sign * top, sign * top, -sign * tiny, -sign, T{0}};
      std::vector<T> values = others;
      values.insert(values.end(), 3, std::copysign(std::bit_cast<T>(code), sign));
      ExactSum<T> finite, sum;
      finite.add(others);
      sum.add(values);
      INFO(std::hex << code);
      CHECK(sum.specials().nan == (code != infinite));
      CHECK(sum.specials().positive_infinity == (code == infinite && sign > 0));
      CHECK(sum.specials().negative_infinity == (code == infinite && sign < 0));
      CHECK(sum.finite() == finite.finite());
      CHECK(sum.magnitude() == finite.magnitude());
    }
}

// The fraction of an infinity is 0 and that of a quiet NaN a half: two such NaNs add up to the same as three
// infinities. 2^14 infinities, or 2^15 such NaNs, leave 64 bits of significands at zero; of 8189 NaNs with
// all fraction bits set, one slot in four overflows 64 bits.
TEST_CASE("infinities and NaNs are distinguished from each other and from finite numbers") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double quiet = std::numeric_limits<double>::quiet_NaN();
  const double all_ones = std::bit_cast<double>(~std::uint64_t{0} >> 1);
  const auto specials = [](std::size_t infinities, std::size_t nans, double nan, double sign) {
    std::vector<double> values(infinities, sign * infinity);
    values.insert(values.end(), nans, std::copysign(nan, sign));
    values.insert(values.end(), 2, -sign);
    ExactSum<double> sum;
    sum.add(values);
    CHECK(sum.finite() == Dyadic(-2 * static_cast<int>(sign), 0));
    CHECK(sum.magnitude() == Dyadic(2, 0));
    return sum.specials();
  };
  for (const double sign : {1.0, -1.0})
    for (const std::size_t infinities : {0, 1, 3, 8, 1 << 12, 1 << 14, 1 << 16}) {
      CHECK_FALSE(specials(infinities, 0, quiet, sign).nan);
      CHECK(specials(infinities, 0, quiet, sign).positive_infinity == (infinities != 0 && sign > 0));
      CHECK(specials(infinities, 0, quiet, sign).negative_infinity == (infinities != 0 && sign < 0));
      for (const std::size_t nans : {1, 2, 8, 8189, 1 << 14, 1 << 15})
        for (const double nan : {quiet, all_ones}) CHECK(specials(infinities, nans, nan, sign).nan);
    }
}

TEMPLATE_TEST_CASE("a sum of zeros is negative only if all of them are", "", double, float) {
  using T = TestType;
  const auto bits_of_sum = [](const std::vector<T>& values) {
    ExactSum<T> sum;
    sum.add(values);
    CHECK(sum.magnitude() == Dyadic(0, 0));
    return sum.rounded(ExactSum<T>::element);
  };
  constexpr std::uint64_t minus_zero = std::uint64_t{1} << (8 * sizeof(T) - 1);
  for (const std::size_t count : {1, 2, 7, 8, 9, 20, 20'001}) {
    std::vector<T> values(count, -T{0});
    CHECK(bits_of_sum(values) == minus_zero);
    for (std::size_t i = 0; i < count; i += 1 + i / 10) {
      values[i] = 0;
      CHECK(bits_of_sum(values) == 0);
      values[i] = -T{0};
    }
  }
}

TEST_CASE("a sum is rounded once, to even, to any format") {
  const auto rounded = [](const std::vector<double>& values, Element to) {
    ExactSum<double> sum;
    sum.add(values);
    return to_double(decode(to, sum.rounded(to)));
  };
  // A tie of f32 that would appear after rounding to f64 first, and a last bit that breaks it.
  CHECK(rounded({1, 0x1p-24}, Element::f32) == 1);
  CHECK(rounded({1, 0x1p-23, 0x1p-24}, Element::f32) == 1 + 0x1p-22);
  CHECK(rounded({1, 0x1p-24, 0x1p-200}, Element::f32) == 1 + 0x1p-23);
  CHECK(rounded({1, 0x1p-53, 0x1p-1074}, Element::f64) == 1 + 0x1p-52);
  CHECK(rounded({65504, 15.99}, Element::f16) == 65504);
  CHECK(rounded({65504, 16}, Element::f16) == std::numeric_limits<double>::infinity());
  CHECK(rounded({0x1p1023, 0x1p1023, -0x1p1023}, Element::f64) == 0x1p1023);
  CHECK(rounded({1e300, 1, -1e300}, Element::bf16) == 1);
}

TEST_CASE("sums compare exactly, beyond any format") {
  const auto sum = [](const std::vector<double>& values) {
    ExactSum<double> exact;
    exact.add(values);
    return exact;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(sum({1, 0x1p-1074}) > sum({1}));
  CHECK(sum({0x1p1023, 0x1p1023, 1}) > sum({0x1p1023, 0x1p1023}));
  CHECK(sum({infinity}) > sum({0x1p1023, 0x1p1023}));
  CHECK(sum({-infinity}) < sum({-0x1p1023}));
  CHECK(sum({infinity}) == sum({infinity, 1}));
  CHECK(sum({0.0}) == sum({-0.0}));
  CHECK((sum({NAN}) <=> sum({NAN})) == std::partial_ordering::unordered);
}
