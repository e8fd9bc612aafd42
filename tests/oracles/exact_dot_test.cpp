// Exact dot products and prefix sums, compared with arbitrary-precision integers and the processor's
// products.
#include "exact_dot.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "exact_prefix_sums.h"
#include "oracles/in_smallest.h"
#include "special_values.h"

using namespace foldproof;

namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr double infinity = std::numeric_limits<double>::infinity();

double dot(const std::vector<double>& x, const std::vector<double>& y, Element to = Element::f64) {
  ExactDot<double> sum;
  sum.add(x, y);
  return to_double(decode(to, sum.rounded(to)));
}

bool is_negative_zero(double x) { return x == 0 && std::signbit(x); }

}  // namespace

TEMPLATE_TEST_CASE("dot products of any finite numbers are exact", "", double, float) {
  using T = TestType;
  std::mt19937_64 random(1);
  constexpr T top = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  std::vector<T> x{top, top, tiny, tiny, -tiny, T{1}, -top}, y{top, -top, tiny, top, tiny, T{-1}, tiny};
  for (int i = 0; i < 3000; ++i) {
    x.push_back(any_finite<T>(random));
    y.push_back(any_finite<T>(random));
  }
  for (std::size_t i = 0; i < 500; ++i) {  // values that cancel, in any order
    x.push_back(y[i]);
    y.push_back(-x[i]);
  }
  Integer expected = 0, magnitude = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Integer term = in_smallest(x[i]) * in_smallest(y[i]);
    expected += term;
    magnitude += abs(term);
  }
  ExactDot<T> sum;
  sum.add(x, y);
  CHECK(sum.count() == x.size());
  CHECK(sum.finite() == Dyadic(expected, -2148));
  CHECK(sum.magnitude() == Dyadic(magnitude, -2148));
}

// The product of two narrow numbers is exact in f64.
TEMPLATE_TEST_CASE("products of narrow codes match the processor's products", "", Coded<Element::e2m1>,
                   Coded<Element::e4m3>, Coded<Element::e5m2>) {
  constexpr Element element = ElementOf<TestType>::value;
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; ++b) {
      ExactDot<TestType> one;
      one.add({static_cast<std::uint8_t>(a)}, {static_cast<std::uint8_t>(b)});
      const double expected = to_double(decode(element, a)) * to_double(decode(element, b));
      const double result = to_double(decode(Element::f64, one.rounded(Element::f64)));
      INFO(name(element) << " " << a << " " << b);
      if (std::isnan(expected))
        REQUIRE(std::isnan(result));
      else
        REQUIRE(std::bit_cast<std::uint64_t>(result) == std::bit_cast<std::uint64_t>(expected));
    }
}

TEMPLATE_TEST_CASE("dot products of integers exceed the range of the type", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  using T = TestType;
  std::mt19937_64 random(2);
  std::vector<T> x(1000, std::numeric_limits<T>::min()), y = x;
  x.insert(x.end(), 500, std::numeric_limits<T>::max());
  y.insert(y.end(), 500, std::numeric_limits<T>::max());
  for (int i = 0; i < 1000; ++i) {
    x.push_back(static_cast<T>(random()));
    y.push_back(static_cast<T>(random()));
  }
  Integer expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) expected += Integer(x[i]) * Integer(y[i]);
  ExactDot<T> sum;
  sum.add(x, y);
  CHECK(sum.finite() == Dyadic(expected, 0));
}

TEST_CASE("merged dot products of parts equal that of the whole") {
  std::mt19937_64 random(3);
  std::vector<double> x(2000), y(2000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = any_finite<double>(random), y[i] = any_finite<double>(random);
  const std::span<const double> xs(x), ys(y);
  ExactDot<double> whole, first, last;
  whole.add(x, y);
  first.add(xs.first(777), ys.first(777));
  last.add(xs.subspan(777), ys.subspan(777));
  last.merge(first);
  CHECK(last == whole);
  CHECK(last.magnitude() == whole.magnitude());
  CHECK(last.count() == 2000);
}

TEST_CASE("a dot product and its sum of squares are rounded once") {
  // (1 + 2^-27)^2 = 1 + 2^-26 + 2^-54: the last bit breaks the tie of f64 made by 2^-53.
  CHECK(dot({1 + 0x1p-27, 1, 1}, {1 + 0x1p-27, -0x1p-26, 0x1p-53}) == 1 + 0x1p-52);
  CHECK(dot({1, 1}, {1, 0x1p-53}) == 1);
  CHECK(dot({1e300, 1e300, 3}, {1e300, -1e300, 0.5}) == 1.5);  // no intermediate overflow
  CHECK(dot({1e300}, {1e300}) == infinity);
  CHECK(dot({0x1p-600, 0x1p-600}, {0x1p-600, 0x1p-474}) == 0x1p-1074);  // 2^-1200 is dropped, 2^-1074 is kept
  CHECK(dot({1, 0x1p-12, 0x1p-500}, {1, 0x1p-12, 0x1p-500}, Element::f32) == 1 + 0x1p-23);
  CHECK(dot({3, -4}, {3, -4}) == 25);
}

TEST_CASE("NaN, infinities and zeros multiply and add as in IEEE 754") {
  CHECK(std::isnan(dot({infinity, 1}, {0, 1})));
  CHECK(std::isnan(dot({NAN}, {0})));
  CHECK(dot({infinity, 1}, {-2, 1e300}) == -infinity);
  CHECK(std::isnan(dot({infinity, infinity}, {1, -1})));
  CHECK(std::bit_cast<std::uint64_t>(dot({}, {})) == 0);
  CHECK(is_negative_zero(dot({0, -0.0}, {-1, 5})));
  CHECK_FALSE(is_negative_zero(dot({0, 0}, {-1, 5})));
  CHECK_FALSE(is_negative_zero(dot({-1, 1}, {1, 1})));
}

TEST_CASE("a dot product refuses vectors of different lengths") {
  ExactDot<float> sum;
  const std::vector<float> two(2), three(3);
  CHECK_THROWS_AS(sum.add(two, three), std::invalid_argument);
}

TEST_CASE("every prefix sum is exact, inclusive and exclusive") {
  std::mt19937_64 random(4);
  std::vector<double> values{0x1p1023, 0x1p1023, -0x1p1023, -0x1p1023, 0x1p-1074};
  for (int i = 0; i < 400; ++i) values.push_back(any_finite<double>(random));
  const std::span<const double> all(values);
  const auto inclusive = exact_prefix_sums(all, Element::f64);
  const auto exclusive = exact_prefix_sums(all, Element::f64, ScanKind::exclusive);
  REQUIRE(inclusive.size() == values.size());
  REQUIRE(exclusive.size() == values.size());
  Integer sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(exclusive[i] == rounded(Element::f64, Dyadic(sum, -1074)));
    sum += in_smallest(values[i]);
    CHECK(inclusive[i] == rounded(Element::f64, Dyadic(sum, -1074)));
  }
  CHECK(inclusive[1] == std::bit_cast<std::uint64_t>(infinity));
  CHECK(inclusive[2] == std::bit_cast<std::uint64_t>(0x1p1023));  // the sum itself had not overflowed
}

TEST_CASE("a scan in parts equals the scan of the whole") {
  std::mt19937_64 random(5);
  std::vector<float> values(300);
  for (float& value : values) value = any_finite<float>(random);
  const std::span<const float> all(values);
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    auto parts = exact_prefix_sums(all.first(123), Element::f32, kind);
    ExactSum<float> before;
    before.add(all.first(123));
    const auto rest = exact_prefix_sums(all.subspan(123), Element::f32, kind, before);
    parts.insert(parts.end(), rest.begin(), rest.end());
    CHECK(parts == exact_prefix_sums(all, Element::f32, kind));
  }
}

TEST_CASE("prefixes from the first special value on are special, and an empty scan is empty") {
  const std::vector<double> values{-0.0, -0.0, 1, -infinity, 5, infinity, 1};
  const auto sums = exact_prefix_sums(std::span(values), Element::f64);
  const auto value = [&](std::size_t i) { return to_double(decode(Element::f64, sums[i])); };
  CHECK(is_negative_zero(value(1)));
  CHECK(value(2) == 1);
  CHECK(value(3) == -infinity);
  CHECK(value(4) == -infinity);
  CHECK(std::isnan(value(5)));
  CHECK(std::isnan(value(6)));
  CHECK(exact_prefix_sums(std::span(values), Element::f64, ScanKind::exclusive)[0] == 0);
  CHECK(exact_prefix_sums(std::span<const double>{}, Element::f64).empty());
}

TEST_CASE("integer scans saturate at the limits of their range") {
  const std::vector<std::uint8_t> values{200, 50, 10, 1};
  CHECK(exact_prefix_sums(std::span(values), Element::u8) == std::vector<std::uint64_t>{200, 250, 255, 255});
  CHECK(exact_prefix_sums(std::span(values), Element::u16) == std::vector<std::uint64_t>{200, 250, 260, 261});
}
