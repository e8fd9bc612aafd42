// What the checkers accept and reject, compared with values derived by hand, and random trees in small
// formats.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "accepted.h"
#include "catch.h"
#include "elements.h"
#include "oracles/checker.h"
#include "oracles/sum_checkers.h"
#include "special_values.h"

namespace foldproof {
namespace {

TEST_CASE("integer-valued sums must be exact") {
  const CheckResult right = checked(all_in(Element::f32), {1, 2, 3}, 6);
  CHECK(right.ok);
  CHECK(right.evidence == CheckResult::Evidence::exact);
  CHECK_FALSE(right.bound);
  const CheckResult wrong = checked(all_in(Element::f32), {1, 2, 3}, 0x1.800002p2);
  CHECK_FALSE(wrong.ok);
  CHECK(wrong.ulps == 1.0);
  CHECK(wrong.sentence ==
        "the result is 6.00000048 but the sum is 6, and no rounding can occur for "
        "these "
        "inputs");
}

TEST_CASE("rounding is allowed only if the magnitudes exceed 2^p units") {
  // Units of 1: A = 2^24 is still exact in any order, but not 2^24 + 1.
  CHECK(checked(all_in(Element::f32), {0x1p24 - 1, 1}, 0x1p24).evidence == CheckResult::Evidence::exact);
  CHECK(checked(all_in(Element::f32), {0x1p24 - 1, 2}, 0x1p24).evidence == CheckResult::Evidence::bound);
}

TEST_CASE("the bound for any order applies if rounding is possible") {
  // n = 3 and A = 2 + 2^-30: the bound is 2 * 2^-24 * A, and values above 2 are 2^-22 apart.
  const std::vector<double> rounding{1, 0x1p-30, 1};
  const CheckResult close = checked(all_in(Element::f32), rounding, 2);
  CHECK(close.ok);
  CHECK(close.evidence == CheckResult::Evidence::bound);
  CHECK(*close.error == 0x1p-30);
  CHECK(*close.bound == Approx(2 * 0x1p-24 * 2).epsilon(1e-6));
  CHECK(*close.error_over_bound == Approx(0x1p-30 / 0x1p-22).epsilon(1e-6));
  CHECK(accepts(all_in(Element::f32), rounding, 2 + 0x1p-22));
  CHECK_FALSE(accepts(all_in(Element::f32), rounding, 2 + 0x1p-21));
}

TEST_CASE("a tally suffices to check a sum without its elements") {
  // 2^20 ones among 2^32 elements: no partial sum exceeds 2^24, so that nothing is rounded.
  Tally ones;
  ones.count = ones.finite = ones.nonzero = std::uint64_t{1} << 32;
  ones.positive = Dyadic(1 << 20, 0);  // the others may be zeros
  ones.widest = 1;
  const Arithmetic f32 = all_in(Element::f32);
  CHECK(make_sum_checker(f32, ones)->value(bits_of(Element::f32, 0x1p20)).ok);
  CHECK_FALSE(make_sum_checker(f32, ones)->value(bits_of(Element::f32, 0x1p20 - 1)).ok);

  // A = 2 + 2^-30 from three elements, as above.
  Tally rounding;
  rounding.count = rounding.finite = rounding.nonzero = 3;
  rounding.positive = Dyadic((1LL << 31) + 1, -30);
  rounding.lowest_place = -149;
  rounding.widest = 24;
  CHECK(make_sum_checker(f32, rounding)->value(bits_of(Element::f32, 2 + 0x1p-22)).ok);
  CHECK_FALSE(make_sum_checker(f32, rounding)->value(bits_of(Element::f32, 2 + 0x1p-21)).ok);
}

TEST_CASE("partial sums can be checked by their exact total") {
  Tally ones;
  ones.count = ones.finite = ones.nonzero = std::uint64_t{1} << 32;
  ones.positive = Dyadic(1 << 20, 0);
  ones.widest = 1;
  const auto checker = make_sum_checker(all_in(Element::f32), ones);
  CHECK(checker->sum_of_partials(Dyadic(1 << 20, 0), {}).ok);
  const CheckResult lost = checker->sum_of_partials(Dyadic((1 << 20) - 1, 0), {});
  CHECK_FALSE(lost.ok);
  CHECK(lost.sentence.find("1048575") != std::string::npos);
  CHECK(checker->sum_of_partials({}, {.positive_infinity = true}).sentence.starts_with("the result is inf"));
}

TEST_CASE("a known height sharpens the bound") {
  std::vector<double> input(1024, 0.1);
  Arithmetic arithmetic = all_in(Element::f32);
  const double wide = *checked(arithmetic, input, 102.4).bound;
  arithmetic.height = 10;
  CHECK(*checked(arithmetic, input, 102.4).bound == Approx(wide * 10 / 1023).epsilon(1e-5));
}

TEST_CASE("a sum's method sharpens the bound") {
  std::vector<double> input(1025, 0x1p-24);
  input[0] = 1;
  Arithmetic arithmetic = all_in(Element::f32);
  const double right = 1 + 0x1p-14;
  // Each of these additions rounds to 1: a plain sum may lose a thousand of them.
  CHECK(accepts(arithmetic, input, 1));
  for (const SumMethod method :
       {SumMethod::kahan, SumMethod::neumaier, SumMethod::double_float, SumMethod::exact}) {
    arithmetic.sum = method;
    CHECK(accepts(arithmetic, input, right));
    CHECK_FALSE(accepts(arithmetic, input, 1));
    CHECK_FALSE(accepts(arithmetic, input, right + 0x1p-20));
    CHECK(accepts(arithmetic, input, right + 0x1p-23) == (method == SumMethod::kahan));
  }
}

TEST_CASE("the number of threads limits what joining Kahan's loops may lose") {
  // u = 2^-24, n = 2^16, and A is the sum, 6553.6..., whose last place has the value 2^-11 = 1.25 u A.
  // Joining n loops may lose about 2 n^2 u^2 A = 512 u A; joining 16 loops of each of 32 threads, less than
  // 0.04 u A, in addition to about 3 u A.
  const double tenth = 0.1F, sum = 65536 * tenth, last_place = 0x1p-11;
  const std::vector<double> input(65536, tenth);
  Arithmetic arithmetic = all_in(Element::f32);
  arithmetic.sum = SumMethod::kahan;
  CHECK(accepts(arithmetic, input, sum + 200 * last_place));
  arithmetic.threads = 32;
  CHECK(accepts(arithmetic, input, sum + 2 * last_place));
  CHECK_FALSE(accepts(arithmetic, input, sum + 3 * last_place));
}

TEST_CASE("an exact sum is rounded once, to the output's format, and overflows only there") {
  Arithmetic arithmetic = all_in(Element::f32);
  arithmetic.sum = SumMethod::exact;
  const std::vector<double> above_tie{1, 0x1p-24, 0x1p-60};
  CHECK(checked(arithmetic, above_tie, 1 + 0x1p-23).evidence == CheckResult::Evidence::exact);
  CHECK_FALSE(accepts(arithmetic, above_tie, 1));
  CHECK(checked(arithmetic, {1, 2}, 4)
            .sentence.ends_with("the contract claims that the exact sum is rounded once"));
  const std::vector<double> on_tie{1, 0x1p-24};
  CHECK(accepts(arithmetic, on_tie, 1));
  CHECK_FALSE(accepts(arithmetic, on_tie, 1 + 0x1p-23));
  const double most = std::numeric_limits<float>::max();
  CHECK(accepts(arithmetic, {most, most, -most, -most, 1}, 1));
  CHECK_FALSE(accepts(arithmetic, {most, most, -most, -most, 1}, inf));
  CHECK(accepts(arithmetic, {most, most}, inf));
  CHECK_FALSE(accepts(arithmetic, {most, most}, most));
  CHECK(accepts(arithmetic, {most, most, -inf}, -inf));
  CHECK_FALSE(accepts(arithmetic, {most, most, -inf}, nan));
  arithmetic.output = Element::bf16;
  CHECK(accepts(arithmetic, {1, 0x1p-8, 0x1p-30}, 1 + 0x1p-7));
  CHECK_FALSE(accepts(arithmetic, {1, 0x1p-8, 0x1p-30}, 1));
}

TEST_CASE("a bound at least as large as the result is vacuous") {
  CHECK(checked(all_in(Element::f32), {1, -1, 0x1p-30}, 0).vacuous);
  CHECK_FALSE(checked(all_in(Element::f32), {1, 1, 0x1p-30}, 2).vacuous);
}

TEST_CASE("NaN and infinities follow IEEE 754") {
  const Arithmetic f32 = all_in(Element::f32);
  CHECK(accepts(f32, {1, nan}, nan));
  CHECK_FALSE(accepts(f32, {1, nan}, 1));
  CHECK(accepts(f32, {1, inf}, inf));
  CHECK_FALSE(accepts(f32, {1, inf}, nan));
  CHECK_FALSE(accepts(f32, {1, inf}, -inf));
  CHECK_FALSE(accepts(f32, {1, inf}, 1));
  CHECK(accepts(f32, {inf, -inf}, nan));
  CHECK_FALSE(accepts(f32, {inf, -inf}, inf));
  CHECK_FALSE(accepts(f32, {1, 2}, nan));
  CHECK_FALSE(accepts(f32, {1, 2}, inf));
  CHECK(accepts(f32, {}, 0));
  CHECK(accepts(f32, {}, -0.0));
  CHECK(accepts(f32, {-0.0, -0.0}, 0));
}

TEST_CASE("overflow of partial sums is allowed if some order has it, and only to that side") {
  const Arithmetic f16 = all_in(Element::f16);
  CHECK(accepts(f16, {60000, 60000, -60000, -60000}, 0));
  CHECK(accepts(f16, {60000, 60000, -60000, -60000}, inf));
  CHECK(accepts(f16, {60000, 60000, -60000, -60000}, nan));
  CHECK(accepts(f16, {60000, 60000, -60000}, inf));
  CHECK_FALSE(accepts(f16, {60000, 60000, -60000}, -inf));
  CHECK_FALSE(accepts(f16, {60000, 60000, -60000}, nan));
  CHECK(accepts(f16, {60000, 60000}, inf));
  CHECK_FALSE(accepts(f16, {60000, 60000}, 65504));
}

TEST_CASE("a narrower output adds its own rounding and its own overflow") {
  const Arithmetic mixed{Operator::sum,        Element::f16, Element::f32, Element::f16,
                         NanPolicy::propagate, false,        std::nullopt};
  CHECK(accepts(mixed, {2048, 1}, 2048));        // the tie of 2049 is rounded to even
  CHECK_FALSE(accepts(mixed, {2048, 1}, 2050));  // nothing else is rounded
  CHECK(accepts(mixed, {60000, 60000}, inf));
  CHECK_FALSE(accepts(mixed, {60000, 5000}, inf));
}

TEST_CASE("an 8-bit output may saturate") {
  const Arithmetic mixed{Operator::sum,        Element::e4m3, Element::f32, Element::e4m3,
                         NanPolicy::propagate, false,         std::nullopt};
  CHECK(accepts(mixed, {448, 448}, 448));
  CHECK(accepts(mixed, {448, 448}, nan));
  CHECK_FALSE(accepts(mixed, {448, 448}, -448));
  CHECK_FALSE(accepts(mixed, {200, 100}, 448));
}

TEST_CASE("inputs that the accumulator cannot represent are rounded on conversion") {
  const Arithmetic mixed{Operator::sum,        Element::f64, Element::f32, Element::f32,
                         NanPolicy::propagate, false,        std::nullopt};
  CHECK(accepts(mixed, {0.1}, static_cast<double>(0.1f)));
  CHECK_FALSE(accepts(mixed, {0.1}, static_cast<double>(0.1f) + 0x1p-25));
}

TEST_CASE("a wrong exact sum is compared with the rounded one") {
  Arithmetic exact = all_in(Element::f32);
  exact.sum = SumMethod::exact;
  CHECK(checked(exact, {1, 0x1p-30}, 2).sentence ==
        "the result is 2 but the rounded sum is 1, and the contract claims that the exact "
        "sum is rounded once");
}

TEST_CASE("partial results are combined exactly") {
  const auto checker = make_fold_checker(all_in(Element::f32), elements_of(Element::f32, {1, 2, 3, 4}));
  CHECK(checker->partials(elements_of(Element::f32, {3, 7})).ok);
  CHECK(checker->partials(elements_of(Element::f32, {10, 0, -0.0})).ok);
  CHECK_FALSE(checker->partials(elements_of(Element::f32, {3, 6})).ok);
  CHECK_FALSE(checker->partials(elements_of(Element::f32, {3, nan})).ok);
}

TEST_CASE("integer sums and products wrap modulo 2^w") {
  CHECK(accepts(all_in(Element::u8), {200, 100}, 44));
  CHECK_FALSE(accepts(all_in(Element::u8), {200, 100}, 45));
  CHECK(accepts(all_in(Element::i8, Operator::prod), {100, 3}, 44));
  const Arithmetic widened{Operator::sum,        Element::i8, Element::i32, Element::i32,
                           NanPolicy::propagate, false,       std::nullopt};
  CHECK(accepts(widened, {-128, -128}, -256));
  const Arithmetic wrapped{Operator::sum,        Element::u8, Element::u8, Element::u32,
                           NanPolicy::propagate, false,       std::nullopt};
  CHECK(accepts(wrapped, {200, 100}, 44));
  CHECK(make_fold_checker(all_in(Element::i32), elements_of(Element::i32, {5, -7}))
            ->partials(elements_of(Element::i32, {-7, 5}))
            .ok);
}

TEST_CASE("extremes are exact, regardless of the signs of zeros") {
  const Arithmetic max = all_in(Element::f32, Operator::max), min = all_in(Element::f32, Operator::min);
  CHECK(accepts(max, {-5, -3}, -3));
  CHECK_FALSE(accepts(max, {-5, -3}, 0));
  CHECK(accepts(max, {-0.0, 0.0}, -0.0));
  CHECK(accepts(min, {5, -inf}, -inf));
  CHECK(accepts(max, {}, -inf));
  CHECK_FALSE(accepts(max, {}, std::numeric_limits<float>::lowest()));
  CHECK(accepts(all_in(Element::i32, Operator::max), {}, std::numeric_limits<std::int32_t>::min()));
  CHECK(make_fold_checker(max, elements_of(Element::f32, {-5, -3}))
            ->partials(elements_of(Element::f32, {-inf, -3, -5}))
            .ok);
}

TEST_CASE("extremes treat NaN as the contract says") {
  const auto with = [](NanPolicy policy) { return all_in(Element::f32, Operator::max, policy); };
  CHECK(accepts(with(NanPolicy::propagate), {1, nan, 3}, nan));
  CHECK_FALSE(accepts(with(NanPolicy::propagate), {1, nan, 3}, 3));
  CHECK(accepts(with(NanPolicy::ignore), {1, nan, 3}, 3));
  CHECK_FALSE(accepts(with(NanPolicy::ignore), {1, nan, 3}, nan));
  CHECK(accepts(with(NanPolicy::ignore), {nan}, nan));
  CHECK(accepts(with(NanPolicy::ignore), {nan}, -inf));
  CHECK(accepts(with(NanPolicy::unspecified), {1, nan, 3}, 1));
  CHECK(accepts(with(NanPolicy::unspecified), {1, nan, 3}, nan));
  CHECK_FALSE(accepts(with(NanPolicy::unspecified), {1, nan, 3}, 2));
  CHECK(accepts(with(NanPolicy::unspecified), {nan}, -inf));  // as fmaxf reduces it from the identity
}

TEST_CASE("results beyond an 8-bit format may saturate or overflow, whatever the operator") {
  for (const Operator op : {Operator::sum, Operator::max, Operator::absmax, Operator::mean, Operator::norm}) {
    Arithmetic a = all_in(Element::f32, op);
    INFO(info(op).name);
    a.output = Element::e4m3;  // at most 448; the format has no infinity
    CHECK(accepts(a, {0, 32768}, 448));
    CHECK(accepts(a, {0, 32768}, nan));
    CHECK_FALSE(accepts(a, {0, 32768}, 416));
    CHECK_FALSE(accepts(a, {0, 32768}, -448));
    CHECK_FALSE(accepts(a, {0, 8}, 448));
    a.output = Element::e5m2;  // at most 57344
    CHECK(accepts(a, {0, 0x1p20}, 57344));
    CHECK(accepts(a, {0, 0x1p20}, inf));
    CHECK_FALSE(accepts(a, {0, 0x1p20}, 49152));
    CHECK(accepts(a, {0, inf}, inf));
    CHECK(accepts(a, {0, inf}, 57344));
    CHECK_FALSE(accepts(a, {0, inf}, -57344));
  }
  Arithmetic min = all_in(Element::f32, Operator::min);
  min.output = Element::e4m3;
  CHECK(accepts(min, {0, -32768}, -448));
  CHECK_FALSE(accepts(min, {0, -32768}, 448));
  Arithmetic any_nan = all_in(Element::f32, Operator::max, NanPolicy::unspecified);
  any_nan.output = Element::e4m3;
  CHECK(accepts(any_nan, {nan, 32768}, 448));
  CHECK_FALSE(accepts(any_nan, {nan, 32768}, 416));
  Arithmetic logarithm = all_in(Element::f32, Operator::log_sum_exp, NanPolicy::unspecified);
  logarithm.output = Element::e5m2;
  CHECK(accepts(logarithm, {-inf, -inf}, -57344));
  CHECK(accepts(logarithm, {0, inf}, 57344));
}

TEST_CASE("products are checked by their relative error") {
  const Arithmetic prod = all_in(Element::f32, Operator::prod);
  CHECK(checked(prod, {3, -5, 2}, -30).evidence == CheckResult::Evidence::exact);
  CHECK_FALSE(accepts(prod, {3, -5, 2}, 30));
  const double third = static_cast<double>(1 / 3.0f);
  const CheckResult close = checked(prod, {third, third}, third * third);
  CHECK(close.ok);
  CHECK(close.evidence == CheckResult::Evidence::bound);
  CHECK_FALSE(accepts(prod, {third, third}, third * third * 1.000001));
  CHECK(accepts(prod, {0, 5}, 0));
  CHECK_FALSE(accepts(prod, {0, 5}, 5));
  CHECK(accepts(prod, {0, inf}, nan));
  CHECK(accepts(prod, {-2, inf}, -inf));
  CHECK(checked(prod, {0x1p100, 0x1p100, 0x1p-100}, inf).evidence == CheckResult::Evidence::nothing);
  CHECK(accepts(prod, {}, 1));
}

TEST_CASE("combinations that cannot be checked are refused with a reason") {
  CHECK(why_no_checker({Operator::sum, Element::f32, Element::i32, Element::i32, {}, false, {}}));
  CHECK(why_no_checker({Operator::max, Element::i32, Element::i16, Element::i32, {}, false, {}}));
  CHECK_FALSE(why_no_checker(all_in(Element::f32)));
  // The extremum is an element, whatever the accumulator could hold besides.
  CHECK_FALSE(why_no_checker({Operator::max, Element::i16, Element::i32, Element::i16, {}, false, {}}));
  CHECK_FALSE(why_no_checker({Operator::absmax, Element::i8, Element::i32, Element::u8, {}, false, {}}));
  CHECK(why_no_checker({Operator::max, Element::i16, Element::i32, Element::u16, {}, false, {}}));
}

TEST_CASE("a format without NaN is checked as an input, and as an output if it can hold every result") {
  const auto sum_of = [](Element accumulator, Element output) {
    return Arithmetic{Operator::sum, Element::e2m1, accumulator, output, {}, false, {}};
  };
  CHECK_FALSE(why_no_checker(sum_of(Element::f32, Element::f32)));
  CHECK(accepts(sum_of(Element::f32, Element::f32), {0.5, 6, -1.5}, 5));
  CHECK_FALSE(accepts(sum_of(Element::f32, Element::f32), {0.5, 6, -1.5}, 5.5));
  CHECK(why_no_checker(sum_of(Element::f32, Element::e2m1)));
  CHECK(why_no_checker(sum_of(Element::e2m1, Element::f32)));
  CHECK_FALSE(why_no_checker(all_in(Element::e2m1, Operator::max)));
  CHECK(accepts(all_in(Element::e2m1, Operator::max), {-6, -0.5}, -0.5));
  CHECK(accepts(all_in(Element::e2m1, Operator::max), {}, -6));
  CHECK(why_no_checker({Operator::max, Element::f32, Element::f32, Element::e2m1, {}, false, {}}));
}

/// a + b in the format: the exact sum of two values fits a double in every format below, so that it is
/// rounded only once.
double added_terms(Element element, double a, double b) {
  return to_double(decode(element, bits_of(element, a + b)));
}

TEST_CASE("no tree in a small format violates its bound") {
  std::mt19937_64 random(7);
  for (const Element element : {Element::e5m2, Element::e4m3, Element::f16, Element::bf16}) {
    const FloatFormat& format = float_format(element);
    double worst = 0;
    for (int round = 0; round < 3000; ++round) {
      std::vector<double> values(1 + random() % 12);
      const int spread = 1 + static_cast<int>(random() % 8);
      for (double& x : values) {
        const auto significand = static_cast<double>(random() % (format.largest_significand + 1));
        x = std::ldexp(significand, -format.precision + static_cast<int>(random()) % spread) *
            (random() % 2 == 0 ? 1 : -1);
        x = to_double(decode(element, bits_of(element, x)));
      }
      const auto checker = make_checker(all_in(element), elements_of(element, values));
      std::vector<double> nodes = values;
      while (nodes.size() > 1) {
        const double taken = nodes.back();
        nodes.pop_back();
        double& other = nodes[random() % nodes.size()];
        other = added_terms(element, other, taken);
      }
      const CheckResult check_result = checker->value(bits_of(element, nodes.front()));
      INFO(name(element) << ": " << check_result.sentence);
      REQUIRE(check_result.ok);
      worst = std::max(worst, check_result.error_over_bound.value_or(0));
    }
    CHECK(worst > 0.2);  // some trees come near their bound
  }
}

}  // namespace
}  // namespace foldproof
