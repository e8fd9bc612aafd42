// Error bounds, compared with values derived by hand.
#include "oracles/bounds.h"

#include "catch.h"
#include "oracles/bounds/compensated.h"

namespace foldproof {
namespace {

const FloatFormat& binary32 = float_format(Element::f32);

Dyadic power(const Dyadic& base, std::uint64_t steps) {
  return steps == 0 ? Dyadic(1, 0) : base * power(base, steps - 1);
}

/// (1 + v)^steps - 1 with v = 1 / d as a fraction: ((d + 1)^steps - d^steps) / d^steps.
void check_growth(const Bound& bound, std::uint64_t steps, const Dyadic& d) {
  const Dyadic denominator = power(d, steps), numerator = power(d + Dyadic(1, 0), steps) - denominator;
  CHECK(*bound * denominator >= numerator);
  CHECK(*bound * denominator <= numerator * (Dyadic(1, 0) + Dyadic::power_of_two(-150)));
}

TEST_CASE("the growth of rounding errors is never rounded down and at most slightly up") {
  for (const int precision : {3, 8, 11, 24, 53})
    for (const std::uint64_t steps : {1, 2, 15, 64}) {
      check_growth(growth(steps, precision), steps, Dyadic(1, precision) + Dyadic(1, 0));
      check_growth(growth(steps, precision, Rounding::faithful), steps, Dyadic(1, precision - 1));
    }
  CHECK(growth(0, 24)->is_zero());
}

TEST_CASE("a path through several formats grows by the product of its parts") {
  const Roundings path[] = {{1, 2}, {1, 3}};  // 1 + 1/5 and 1 + 1/9: together 1 + 1/3
  const Dyadic grown = *growth(path);
  CHECK(grown * Dyadic(3, 0) >= Dyadic(1, 0));
  CHECK(grown * Dyadic(3, 0) <= Dyadic(1, 0) + Dyadic::power_of_two(-200));
}

TEST_CASE("a bound that does not apply names the failed condition") {
  const Bound none = growth(std::uint64_t{1} << 40, 11);
  CHECK_FALSE(none);
  CHECK(none.why_not() ==
        "1099511627776 successive operations with 11 bits of precision may lose every digit");
  CHECK(sum_bound_any_order(3, 24, Dyadic(1, 0), Rounding::faithful).why_not() ==
        "the bound for any order requires additions that round to nearest; specify the height of the tree");
  CHECK_FALSE(kahan_bound(std::uint64_t{1} << 24, 24, {}, Dyadic(1, 0)));
  CHECK_FALSE(product_bound_any_order(2, {128, 0}, binary32, Dyadic(1, 0)));
  CHECK_FALSE(product_bound_any_order(2, {0, -127}, binary32, Dyadic(1, 0)));
  CHECK(product_bound_any_order(2, {127, -126}, binary32, Dyadic(1, 0)));
  CHECK(*sharper(none, Dyadic(3, 0)) == Dyadic(3, 0));
  CHECK(*sharper(Dyadic(2, 0), Dyadic(3, 0)) == Dyadic(2, 0));
}

TEST_CASE("the bound for any order is (n - 1) u A") {
  CHECK(*sum_bound_any_order(5, 24, Dyadic(3, 0)) == Dyadic(12, -24));
  CHECK(sum_bound_any_order(1, 24, Dyadic(3, 0))->is_zero());
  CHECK(sum_bound_any_order(0, 24, {})->is_zero());
}

TEST_CASE("flushing loses less than the smallest normal for every second term") {
  const Dyadic loss = flush_to_zero_loss(5, binary32, Dyadic(3, -149));
  CHECK(loss == Dyadic(2, 0) * (Dyadic(1, -126) - Dyadic(1, -149)) + Dyadic(3, -149));
}

TEST_CASE("a dot product's bound is n u A plus half a subnormal per underflow") {
  CHECK(*dot_bound_any_order(4, 0, binary32, Dyadic(3, 0)) == Dyadic(12, -24));
  CHECK(*dot_bound_any_order(4, 2, binary32, {}) == Dyadic(2, -150) * (Dyadic(1, 0) + Dyadic(4, -24)));
}

TEST_CASE("a norm's bound follows from the root of the interval") {
  // 4 known to within 2.25 is between 1.75 and 6.25, whose roots are 1.3228... and 2.5; an exact root is off
  // by at most 0.6771..., and the smallest subnormal is negligible.
  const Dyadic bound = *norm_bound(Dyadic(4, 0), Dyadic(9, -2), binary32, {});
  CHECK(nearest_double(bound) == Approx(2 - 1.3228756555322954));
  CHECK(*norm_bound(Dyadic(4, 0), Dyadic(5, 0), binary32, {}) >= Dyadic(2, 0));
  // Exact squares: only the root is rounded.
  CHECK(nearest_double(*norm_bound(Dyadic(4, 0), {}, binary32)) == Approx(2 * 0x1p-24));
}

TEST_CASE("a scaled norm's bound is seven roundings per term and two more") {
  // u' is about 2^-24; what underflow loses is negligible.
  CHECK(nearest_double(*scaled_norm_bound(4, Dyadic(4, 0), binary32)) == Approx(2 * 30 * 0x1p-24));
  // Of subnormal numbers, it is four times the smallest for each term.
  CHECK(*scaled_norm_bound(4, {}, binary32) == Dyadic(16, -149));
}

TEST_CASE("a compensated sum is bounded by the result's rounding plus u^2 times the magnitudes") {
  CHECK(*compensated_bound(2, 24, Dyadic(-3, 0), Dyadic(3, 0)) == Dyadic(3, -24));
  CHECK(*compensated_bound(4, 24, {}, Dyadic(1, 0)) == Dyadic(6, -48) + Dyadic(6, -72));
  const double kahan = nearest_double(*kahan_bound(1000, 24, {}, Dyadic(1, 0)));
  CHECK(kahan > 2 * 0x1p-24);
  CHECK(kahan < 2.001 * 0x1p-24);
}

TEST_CASE("an output is rounded once more") {
  const FloatFormat& f16 = float_format(Element::f16);
  CHECK(*output_bound(Dyadic(1, 0), {}, f16) == Dyadic(1, -11));
  CHECK(*output_bound(Dyadic(2047, -11), Dyadic(1, -11), f16) == Dyadic(1, -11) + Dyadic(1, -11));
}

TEST_CASE("overflow begins halfway between the largest value and the next one") {
  CHECK(overflow_threshold(Element::f16) == Dyadic(65520, 0));
  CHECK(overflow_threshold(Element::e4m3) == Dyadic(464, 0));
}

}  // namespace
}  // namespace foldproof
