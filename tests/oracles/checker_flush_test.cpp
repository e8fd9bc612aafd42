// What the checkers accept and reject if a kernel flushes subnormal numbers to zero.
#include <optional>
#include <vector>

#include "accepted.h"
#include "catch.h"
#include "elements.h"
#include "oracles/checker.h"

namespace foldproof {
namespace {

TEST_CASE("flushing subnormals is allowed only if it is declared") {
  Arithmetic arithmetic = all_in(Element::f32);
  CHECK_FALSE(accepts(arithmetic, {0x1p-140, 0x1p-140}, 0));
  arithmetic.flush_to_zero = true;
  CHECK(accepts(arithmetic, {0x1p-140, 0x1p-140}, 0));
  CHECK_FALSE(accepts(arithmetic, {0x1p-140, 1}, 0));
  CHECK(checked(arithmetic, {1, 2}, 3).evidence == CheckResult::Evidence::exact);
}

/// A comparison with .ftz takes zeros and subnormal numbers for equal.
struct FlushedComparison {
  Arithmetic arithmetic;

  FlushedComparison(Operator op, Element output) {
    arithmetic = {op, Element::f32, Element::f32, output, NanPolicy::ignore, true, std::nullopt};
    arithmetic.ties = Ties::first;
  }
  bool accepts(const std::vector<double>& input, double result) const {
    return foldproof::accepts(arithmetic, input, result);
  }
};

TEST_CASE("with flushing, an extremum near zero is any zero or subnormal element") {
  const FlushedComparison max(Operator::max, Element::f32);
  CHECK(max.accepts({-0x1p-130, 0}, -0x1p-130));
  CHECK(max.accepts({0x1p-140, 0x1p-130}, 0x1p-140));
  CHECK(max.accepts({-0x1p-130, -1}, 0));
  CHECK_FALSE(max.accepts({-0x1p-130, 0}, -0x1p-131));
  CHECK_FALSE(max.accepts({-0x1p-130, 1}, 0));
  CHECK_FALSE(max.accepts({-0x1p-130, -1}, -1));
  Arithmetic unflushed = all_in(Element::f32, Operator::max);
  CHECK_FALSE(accepts(unflushed, {-0x1p-130, 0}, -0x1p-130));
}

TEST_CASE("with flushing, the index of an extremum near zero is that of any zero or subnormal element") {
  const FlushedComparison argmin(Operator::argmin, Element::u32);
  CHECK(argmin.accepts({0, 0, -0x1p-130}, 0));
  CHECK(argmin.accepts({0, 0, -0x1p-130}, 2));
  CHECK_FALSE(argmin.accepts({1, 0, -0x1p-130}, 0));
  CHECK_FALSE(argmin.accepts({0, -1, -0x1p-130}, 2));
  CHECK_FALSE(argmin.accepts({0, 0}, 1));  // no subnormal element: the first one
}

TEST_CASE("with flushing, subnormal elements may count as zeros") {
  const FlushedComparison count(Operator::count, Element::u32);
  CHECK(count.accepts({1, 0, 0x1p-144}, 1));
  CHECK(count.accepts({1, 0, 0x1p-144}, 2));
  CHECK_FALSE(count.accepts({1, 0, 0x1p-144}, 0));
  CHECK_FALSE(count.accepts({1, 0, 0x1p-144}, 3));
  const FlushedComparison any(Operator::any, Element::u32), all(Operator::all, Element::u32);
  CHECK(any.accepts({0, 0x1p-144}, 0));
  CHECK_FALSE(any.accepts({1, 0x1p-144}, 0));
  CHECK(all.accepts({1, 0x1p-144}, 0));
  CHECK_FALSE(all.accepts({1, 0}, 1));
}

TEST_CASE("with flushing, the order of zero and subnormal elements is open") {
  const auto input = elements_of(Element::f32, {0, 0x1p-130, 5, -1});
  const auto top_k = make_checker(FlushedComparison(Operator::top_k, Element::u32).arithmetic, input);
  CHECK(top_k->element(0, 2).ok);
  CHECK(top_k->element(1, 0).ok);
  CHECK(top_k->element(1, 1).ok);
  CHECK_FALSE(top_k->element(1, 3).ok);
  CHECK_FALSE(top_k->element(0, 1).ok);
  const auto values = make_checker(FlushedComparison(Operator::largest, Element::f32).arithmetic, input);
  CHECK(values->element(1, bits_of(Element::f32, 0)).ok);
  CHECK(values->element(1, bits_of(Element::f32, 0x1p-130)).ok);
  CHECK_FALSE(values->element(1, bits_of(Element::f32, 0x1p-131)).ok);  // no element
}

TEST_CASE("with flushing, an exact sum may lose subnormal terms and nothing else") {
  Arithmetic exact = all_in(Element::f32);
  exact.sum = SumMethod::exact;
  CHECK_FALSE(accepts(exact, {0x1p-129}, 0));
  exact.flush_to_zero = true;
  CHECK(accepts(exact, {0x1p-129}, 0));
  CHECK(accepts(exact, {1, 0x1p-129}, 1));
  CHECK_FALSE(accepts(exact, {1, 0x1p-129}, 0));
  CHECK_FALSE(accepts(exact, {1, 0x1p23}, 0x1p23));
}

/// An f32 element is flushed by the conversion cvt.ftz.f64.f32, and an f32 result by cvt.rn.ftz.f32.f64.
Arithmetic converted_with_flushing(Operator op, Element output) {
  return {op, Element::f32, Element::f64, output, NanPolicy::propagate, true, std::nullopt};
}

TEST_CASE("with flushing, a subnormal element may be lost by its conversion to a wider accumulator") {
  for (const Operator op : {Operator::sum, Operator::asum, Operator::mean, Operator::norm})
    for (const Element output : {Element::f64, Element::f32}) {
      CAPTURE(info(op).name, name(output));
      Arithmetic arithmetic = converted_with_flushing(op, output);
      CHECK(accepts(arithmetic, {0x1p-129}, 0));
      CHECK(accepts(arithmetic, {0x1p-129}, 0x1p-129));
      CHECK_FALSE(accepts(arithmetic, {0x1p-125}, 0));
      CHECK_FALSE(accepts(arithmetic, {1}, 0));
      arithmetic.flush_to_zero = false;
      CHECK_FALSE(accepts(arithmetic, {0x1p-129}, 0));
    }
  CHECK(accepts(converted_with_flushing(Operator::prod, Element::f64), {0x1p-129, 3}, 0));
  CHECK_FALSE(accepts(converted_with_flushing(Operator::prod, Element::f64), {0x1p-125, 3}, 0));
  CHECK(accepts(converted_with_flushing(Operator::max, Element::f64), {-0x1p-129, -1}, 0));
  CHECK_FALSE(accepts(converted_with_flushing(Operator::max, Element::f64), {-0x1p-125, -1}, 0));
}

TEST_CASE("with flushing, a subnormal result may be lost by its conversion from a wider accumulator") {
  // The exact sum 2^-127 is subnormal in f32, and no element is.
  const std::vector<double> input{0x1.8p-126, -0x1p-126};
  CHECK(accepts(converted_with_flushing(Operator::sum, Element::f32), input, 0));
  CHECK_FALSE(accepts(converted_with_flushing(Operator::sum, Element::f32), {0x1p-124, -0x1p-126}, 0));
}

}  // namespace
}  // namespace foldproof
