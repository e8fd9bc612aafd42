// Results with additional operands, or that are not sums: dot products, ratios, losses, normalized rows,
// ranks, counts and segments.
#include "oracles/operands.h"

#include <cmath>
#include <limits>
#include <memory>

#include "catch.h"
#include "elements.h"
#include "oracles/result_checker.h"
#include "special_values.h"

namespace foldproof {
namespace {

Arithmetic of(Operator op, Element input = Element::f32, Element output = Element::f32) {
  Arithmetic arithmetic;
  arithmetic.op = op;
  arithmetic.input = input;
  arithmetic.accumulator = output;
  arithmetic.output = output;
  arithmetic.nan = NanPolicy::propagate;
  return arithmetic;
}

/// Elements and operands, each with its type.
struct Inputs {
  std::vector<double> elements;
  struct Given {
    Role role;
    Element type;
    std::vector<double> values;
    std::uint64_t group = 1;
  };
  std::vector<Given> operands = {};
};

bool accepts_with(const Arithmetic& a, const Inputs& inputs, const std::vector<double>& outputs,
                  ResultLayout layout = {}) {
  const std::vector<std::byte> elements = elements_of(a.input, inputs.elements);
  std::vector<std::vector<std::byte>> bytes;
  Operands operands;
  for (const Inputs::Given& given : inputs.operands) bytes.push_back(elements_of(given.type, given.values));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    operands.set(inputs.operands[i].role, {inputs.operands[i].type, bytes[i], inputs.operands[i].group});
  layout.offsets = operands[Role::offsets];
  return ResultChecker(a, layout, elements, operands).check(elements_of(a.output, outputs)).ok;
}

ResultLayout rows_of(std::size_t columns, std::size_t k = 1) {
  return {ResultShape::rows, columns, {}, k, {}};
}

TEST_CASE("a dot product multiplies each element with its partner") {
  const Inputs inputs{{1, 2, 3}, {{Role::second, Element::f32, {4, 5, 6}}}};
  CHECK(accepts_with(of(Operator::dot), inputs, {32}));
  CHECK_FALSE(accepts_with(of(Operator::dot), inputs, {31}));
  CHECK_FALSE(accepts_with(of(Operator::dot), {{1, inf}, {{Role::second, Element::f32, {1, 0}}}}, {1}));
  CHECK(accepts_with(of(Operator::dot), {{1, inf}, {{Role::second, Element::f32, {1, 0}}}}, {nan}));
  CHECK(accepts_with(of(Operator::dot), {{1, inf}, {{Role::second, Element::f32, {1, -2}}}}, {-inf}));
}

TEST_CASE("a matrix-vector product multiplies each row with the same vector") {
  const Inputs inputs{{1, 2, 3, 4, 5, 6}, {{Role::second, Element::f32, {10, 1, 100}}}};
  CHECK(accepts_with(of(Operator::dot), inputs, {312, 645}, rows_of(3)));
  CHECK_FALSE(accepts_with(of(Operator::dot), inputs, {312, 312}, rows_of(3)));
}

TEST_CASE("a dot product of integers wraps") {
  const Arithmetic dot = of(Operator::dot, Element::i32, Element::i32);
  const Inputs inputs{{65536, 3}, {{Role::second, Element::i32, {65536, -2}}}};
  CHECK(accepts_with(dot, inputs, {-6}));
  CHECK_FALSE(accepts_with(dot, inputs, {6}));
}

TEST_CASE("each row has its own part of a second operand") {
  const Inputs inputs{{1, 2, 3, 4}, {{Role::second, Element::f32, {1, 0, 0, 1}}}};
  CHECK(accepts_with(of(Operator::dot), inputs, {1, 4}, rows_of(2)));
  CHECK_FALSE(accepts_with(of(Operator::dot), inputs, {1, 3}, rows_of(2)));
}

TEST_CASE("the largest ratio is rounded once") {
  const Inputs inputs{{1, 1, -9}, {{Role::second, Element::f32, {4, 3, 1}}}};
  CHECK(accepts_with(of(Operator::max_ratio), inputs, {static_cast<double>(1.0F / 3.0F)}));
  CHECK_FALSE(accepts_with(of(Operator::max_ratio), inputs,
                           {static_cast<double>(std::nextafter(1.0F / 3.0F, 1.0F))}));
  CHECK(accepts_with(of(Operator::max_ratio), {{1, 2}, {{Role::second, Element::f32, {0, 1}}}}, {inf}));
  CHECK(accepts_with(of(Operator::max_ratio), {{0, 2}, {{Role::second, Element::f32, {0, 1}}}}, {nan}));
  CHECK_FALSE(accepts_with(of(Operator::max_ratio), {{0, 2}, {{Role::second, Element::f32, {0, 1}}}}, {2}));
  Arithmetic flushed = of(Operator::max_ratio);
  CHECK_FALSE(accepts_with(flushed, {{0, 2}, {{Role::second, Element::f32, {0x1p-140, 1}}}}, {nan}));
  flushed.flush_to_zero = true;
  CHECK(accepts_with(flushed, {{0, 2}, {{Role::second, Element::f32, {0x1p-140, 1}}}}, {nan}));
  CHECK_FALSE(accepts_with(flushed, {{0, 2}, {{Role::second, Element::f32, {1, 1}}}}, {3}));
  // A subnormal dividend gives its quotient or zero: 2^-130 / 2^-100 = 2^-30.
  const Inputs small{{0x1p-130, -5}, {{Role::second, Element::f32, {0x1p-100, 1}}}};
  CHECK(accepts_with(flushed, small, {0x1p-30}));
  CHECK(accepts_with(flushed, small, {0}));
  CHECK_FALSE(accepts_with(flushed, small, {-5}));
  CHECK_FALSE(accepts_with(flushed, small, {nan}));
}

TEST_CASE("a cross-entropy is the logarithm of the sum minus the class's score") {
  Arithmetic loss = of(Operator::cross_entropy);
  loss.functions = MathFunctions::library;
  const Inputs inputs{{0, 0, 1, 2}, {{Role::targets, Element::u32, {1, 0}}}};
  const double first = std::log(2.0), second = std::log(std::exp(1.0) + std::exp(2.0)) - 1;
  CHECK(accepts_with(loss, inputs, {first, second}, rows_of(2)));
  CHECK_FALSE(accepts_with(loss, inputs, {first, second - 1}, rows_of(2)));
  CHECK(accepts_with(loss, {{0, -inf}, {{Role::targets, Element::u32, {1}}}}, {inf}, rows_of(2)));
}

TEST_CASE("a cross-entropy without rows or columns has nothing to check") {
  Arithmetic loss = of(Operator::cross_entropy);
  loss.functions = MathFunctions::library;
  CHECK(accepts_with(loss, {{}, {{Role::targets, Element::u32, {}}}}, {}, rows_of(0)));
  CHECK(accepts_with(loss, {{}, {{Role::targets, Element::u32, {0, 0}}}}, {1, 2}, rows_of(0)));
}

TEST_CASE("LayerNorm subtracts the mean, divides by the deviation, and applies weight and bias") {
  Arithmetic norm = of(Operator::layer_norm);
  norm.epsilon = 0.25;
  // mean 2, variance 2: a deviation of 1.5 with epsilon
  const Inputs inputs{{2 - std::sqrt(2.0F), 2 + std::sqrt(2.0F)},
                      {{Role::weights, Element::f32, {1, 3}}, {Role::biases, Element::f32, {0, 10}}}};
  const double y = std::sqrt(2.0) / 1.5;
  CHECK(accepts_with(norm, inputs, {-y, 3 * y + 10}, rows_of(2)));
  CHECK_FALSE(accepts_with(norm, inputs, {-y, 3 * y + 9.99}, rows_of(2)));
  CHECK_FALSE(accepts_with(norm, inputs, {-y * 1.001, 3 * y + 10}, rows_of(2)));
}

TEST_CASE("without epsilon, rounding errors decide the LayerNorm of equal elements") {
  const Arithmetic norm = of(Operator::layer_norm);
  CHECK(accepts_with(norm, {{0.1F, 0.1F, 0.1F}}, {0.5, -1, 0}, rows_of(3)));
  Arithmetic with_epsilon = norm;
  with_epsilon.epsilon = 0x1p-17;
  CHECK(accepts_with(with_epsilon, {{0.1F, 0.1F, 0.1F}}, {0, 0, 0}, rows_of(3)));
  CHECK_FALSE(accepts_with(with_epsilon, {{0.1F, 0.1F, 0.1F}}, {0.5, -1, 0}, rows_of(3)));
}

TEST_CASE("RMSNorm divides by the root of the mean of squares") {
  Arithmetic norm = of(Operator::rms_norm);
  const Inputs inputs{{3, 4}};
  const double root = std::sqrt(12.5);
  CHECK(accepts_with(norm, inputs, {3 / root, 4 / root}, rows_of(2)));
  CHECK_FALSE(accepts_with(norm, inputs, {3 / root, 4.0001 / root}, rows_of(2)));
}

TEST_CASE("L2 normalization divides by the norm, or by epsilon if that is larger") {
  Arithmetic norm = of(Operator::l2_normalize);
  CHECK(accepts_with(norm, {{3, 4, 0, 0}}, {0.6, 0.8, nan, nan}, rows_of(2)));
  CHECK_FALSE(accepts_with(norm, {{3, 4}}, {0.6, 0.8001}, rows_of(2)));
  CHECK_FALSE(accepts_with(norm, {{3, 4}}, {3 / 12.5, 4 / 12.5}, rows_of(2)));
  norm.epsilon = 10;
  CHECK(accepts_with(norm, {{3, 4, 0, 0}}, {0.3, 0.4, 0, 0}, rows_of(2)));
  CHECK_FALSE(accepts_with(norm, {{3, 4}}, {0.6, 0.8}, rows_of(2)));
  CHECK(accepts_with(norm, {{3, inf}}, {0, nan}, rows_of(2)));
}

TEST_CASE("a log-softmax is the score minus the logarithm of the sum") {
  Arithmetic logarithm = of(Operator::log_softmax);
  logarithm.functions = MathFunctions::library;
  const double sum = std::log(std::exp(1.0) + std::exp(2.0));
  CHECK(accepts_with(logarithm, {{1, 2}}, {1 - sum, 2 - sum}, rows_of(2)));
  CHECK_FALSE(accepts_with(logarithm, {{1, 2}}, {1 - sum, 2 - sum + 1e-4}, rows_of(2)));
  CHECK_FALSE(accepts_with(logarithm, {{1, 2}}, {sum - 1, sum - 2}, rows_of(2)));
  // The logarithm of an exponential that underflows is not -inf.
  CHECK(accepts_with(logarithm, {{0, 200}}, {-200, 0}, rows_of(2)));
  CHECK_FALSE(accepts_with(logarithm, {{0, 200}}, {-inf, 0}, rows_of(2)));
  CHECK(accepts_with(logarithm, {{0, -inf}}, {0, -inf}, rows_of(2)));
  CHECK(accepts_with(logarithm, {{-inf, -inf}}, {nan, -inf}, rows_of(2)));
  CHECK(accepts_with(logarithm, {{1, inf}}, {-inf, nan}, rows_of(2)));
  CHECK_FALSE(accepts_with(logarithm, {{1, inf}}, {1, nan}, rows_of(2)));
}

TEST_CASE("a log-softmax may overflow in a narrow output even without a bound") {
  Arithmetic logarithm = of(Operator::log_softmax, Element::f32, Element::f16);
  logarithm.functions = MathFunctions::fast;  // without a bound for such distances
  // -70000 is not a number of f16.
  CHECK(accepts_with(logarithm, {{-70000, 0}}, {-inf, 0}, rows_of(2)));
  CHECK_FALSE(accepts_with(logarithm, {{-60000, 0}}, {nan, 0}, rows_of(2)));
}

TEST_CASE("sums and maxima of magnitudes ignore the sign") {
  CHECK(accepts_with(of(Operator::asum), {{-1, 2, -3}}, {6}));
  CHECK_FALSE(accepts_with(of(Operator::asum), {{-1, 2, -3}}, {-2}));
  CHECK(accepts_with(of(Operator::absmax), {{-5, 2}}, {5}));
  CHECK_FALSE(accepts_with(of(Operator::absmax), {{-5, 2}}, {2}));
  CHECK(accepts_with(of(Operator::absmax), {{}}, {0}));
  CHECK(accepts_with(of(Operator::absmax, Element::i32, Element::u32), {{-2147483648.0, 7}}, {2147483648.0}));
}

TEST_CASE("a sum of squares ignores the sign, and squares and adds in the accumulator") {
  CHECK(accepts_with(of(Operator::sum_of_squares), {{-1, 2, -3}}, {14}));
  CHECK_FALSE(accepts_with(of(Operator::sum_of_squares), {{-1, 2, -3}}, {-4}));
  CHECK(accepts_with(of(Operator::sum_of_squares), {{}}, {0}));
  // 46341^2 exceeds 2^31.
  CHECK(accepts_with(of(Operator::sum_of_squares, Element::i32, Element::i32), {{46341}},
                     {46341.0 * 46341 - 0x1p32}));
  // The exact sum is 2 + 2^-22 + 2^-46. The bound for two terms is little more than 2^-22.
  const Inputs inputs{{1 + 0x1p-23, 1}};
  CHECK(accepts_with(of(Operator::sum_of_squares), inputs, {2}));
  CHECK(accepts_with(of(Operator::sum_of_squares), inputs, {2 + 0x1p-21}));
  CHECK_FALSE(accepts_with(of(Operator::sum_of_squares), inputs, {2 + 0x1p-20}));
  const auto rounded_before = why_no_checker(of(Operator::sum_of_squares, Element::i32, Element::f32));
  REQUIRE(rounded_before);
  CHECK(rounded_before->find("before it is squared") != std::string::npos);
}

TEST_CASE("partial results of squares and products add up to the whole") {
  const ResultLayout partials{.shape = ResultShape::partials};
  CHECK(accepts_with(of(Operator::sum_of_squares), {{1, 2, 3}}, {5, 9, 0}, partials));
  CHECK_FALSE(accepts_with(of(Operator::sum_of_squares), {{1, 2, 3}}, {5, 8}, partials));
  const Inputs pairs{{1, 2, 3}, {{Role::second, Element::f32, {4, -5, 6}}}};
  CHECK(accepts_with(of(Operator::dot), pairs, {-6, 18}, partials));
  CHECK_FALSE(accepts_with(of(Operator::dot), pairs, {-6, 17}, partials));
  const Inputs integers{{1, 2, 3}, {{Role::second, Element::i32, {4, -5, 6}}}};
  CHECK(accepts_with(of(Operator::dot, Element::i32, Element::i32), integers, {-6, 18}, partials));
  CHECK_FALSE(accepts_with(of(Operator::dot, Element::i32, Element::i32), integers, {-6, 17}, partials));
  // 1 + 2^-11 is not an f16, and neither part of the sum may be further away than half a unit in its last
  // place.
  Arithmetic narrow = of(Operator::dot);
  narrow.output = Element::f16;
  const Inputs fractions{{1, 0x1p-11, 1}, {{Role::second, Element::f32, {1, 1, 1}}}};
  CHECK(accepts_with(narrow, fractions, {1, 1}, partials));
  CHECK_FALSE(accepts_with(narrow, fractions, {1, 1 + 0x1p-8}, partials));
}

TEST_CASE("the magnitude of the lowest integer needs the unsigned type") {
  const auto why = why_no_checker(of(Operator::absmax, Element::i32, Element::i32));
  REQUIRE(why);
  CHECK(why->find("may not fit") != std::string::npos);
}

TEST_CASE("bit operations combine each bit separately") {
  const auto bits = [](Operator op) { return of(op, Element::u32, Element::u32); };
  CHECK(accepts_with(bits(Operator::bit_and), {{14, 7}}, {6}));
  CHECK(accepts_with(bits(Operator::bit_or), {{8, 1}}, {9}));
  CHECK(accepts_with(bits(Operator::bit_xor), {{14, 7}}, {9}));
  CHECK(accepts_with(bits(Operator::bit_and), {{}}, {4294967295.0}));
  CHECK_FALSE(accepts_with(bits(Operator::bit_xor), {{14, 7}}, {15}));
}

TEST_CASE("a flushed dot product may lose only products with subnormal factors") {
  Arithmetic flushed = of(Operator::dot);
  flushed.flush_to_zero = true;
  const auto is_right = [&](std::vector<double> x, std::vector<double> y, double result) {
    return accepts_with(flushed, {std::move(x), {{Role::second, Element::f32, std::move(y)}}}, {result});
  };
  const double third = 1.0f / 3.0f, off = third * third * (1 + std::ldexp(1.0, -15));
  CHECK_FALSE(is_right({third}, {third}, static_cast<float>(off)));
  CHECK(is_right({third}, {third}, 1.0f / 3.0f * (1.0f / 3.0f)));
  // 2^-140 is subnormal, and the product is 2^-40: it may count or not.
  CHECK(is_right({std::ldexp(1.0, -140), 1}, {std::ldexp(1.0, 100), 1}, 1));
  CHECK_FALSE(is_right({std::ldexp(1.0, -140), 1}, {std::ldexp(1.0, 100), 1}, 1.001f));
  CHECK(is_right({std::ldexp(1.0, -140)}, {std::ldexp(1.0, 100)}, 0));
  // 0 times infinity is NaN.
  CHECK(is_right({std::ldexp(1.0, -140)}, {inf}, nan));
  CHECK(is_right({std::ldexp(1.0, -140)}, {inf}, inf));
  CHECK_FALSE(is_right({1}, {inf}, nan));
}

TEST_CASE("a custom operator combines the elements in order, modulo 2^w") {
  const auto compound = [](Element element) {
    Arithmetic arithmetic = of(Operator::custom, element, element);
    arithmetic.custom = std::make_shared<CustomOperator>(
        CustomOperator{"a + b + a * b", [](std::uint64_t a, std::uint64_t b) { return a + b + a * b; }, 0});
    return arithmetic;
  };
  CHECK(accepts_with(compound(Element::i32), {{1, 2, 3}}, {23}));  // (1 + 1)(1 + 2)(1 + 3) - 1
  CHECK_FALSE(accepts_with(compound(Element::i32), {{1, 2, 3}}, {6}));
  CHECK(accepts_with(compound(Element::i32), {{}}, {0}));
  CHECK(accepts_with(compound(Element::u8), {{15, 15}}, {255}));  // 16 * 16 - 1
  CHECK(accepts_with(compound(Element::u8), {{15, 16}}, {15}));   // 16 * 17 - 1 = 256 + 15
  CHECK(accepts_with(compound(Element::i32), {{1, 2, 3}}, {5, 3}, {.shape = ResultShape::partials}));
  CHECK_FALSE(accepts_with(compound(Element::i32), {{1, 2, 3}}, {3, 3}, {.shape = ResultShape::partials}));
}

TEST_CASE("an operator that is not associative is refused with values that show it") {
  using Combine = std::uint64_t (*)(std::uint64_t, std::uint64_t);
  const auto why = [](Combine combine, std::uint64_t identity, Element element = Element::i32) {
    return why_it_does_not_fold({"it", combine, identity}, element);
  };
  CHECK_FALSE(why([](std::uint64_t a, std::uint64_t b) { return a + b; }, 0));
  CHECK_FALSE(why([](std::uint64_t a, std::uint64_t b) { return a * b; }, 1));
  CHECK_FALSE(why([](std::uint64_t a, std::uint64_t b) { return a + b - 7; }, 7));
  CHECK(why([](std::uint64_t a, std::uint64_t b) { return a - b; }, 0));
  CHECK(why([](std::uint64_t a, std::uint64_t b) { return a + b; }, 1));
  // a ∘ b = a is associative, but has no left identity.
  CHECK(why([](std::uint64_t a, std::uint64_t) { return a; }, 0));
  // Associative only for small values: the term is a multiple of 2^32 unless a or b is large.
  const Combine far = [](std::uint64_t a, std::uint64_t b) { return a + b + (a >> 20) * (b >> 40); };
  CHECK(why(far, 0, Element::u64));
  CHECK_FALSE(why(far, 0, Element::u16));
}

TEST_CASE("any, all and count test for values other than zero") {
  const auto tally = [](Operator op) { return of(op, Element::f32, Element::u32); };
  CHECK(accepts_with(tally(Operator::any), {{0, nan}}, {1}));
  CHECK_FALSE(accepts_with(tally(Operator::any), {{0, -0.0}}, {1}));
  CHECK(accepts_with(tally(Operator::all), {{}}, {1}));
  CHECK_FALSE(accepts_with(tally(Operator::all), {{1, 0}}, {1}));
  CHECK(accepts_with(tally(Operator::count), {{0, 3, -1}}, {2}));
  const auto narrow = of(Operator::count, Element::f32, Element::i8);
  CHECK(accepts_with(narrow, {std::vector<double>(127, 1)}, {127}));
  CHECK_FALSE(accepts_with(narrow, {std::vector<double>(128, 1)}, {-128}));  // not a count
}

TEST_CASE("the largest elements have the first ranks, and equal ones the order of their indices") {
  CHECK(accepts_with(of(Operator::top_k, Element::f32, Element::u32), {{1, 5, 5, 0}}, {1, 2}, rows_of(4, 2)));
  CHECK_FALSE(
      accepts_with(of(Operator::top_k, Element::f32, Element::u32), {{1, 5, 5, 0}}, {2, 1}, rows_of(4, 2)));
  CHECK(accepts_with(of(Operator::largest), {{1, 5, 5, 0, 7, 8, 9, 1}}, {5, 5, 9, 8}, rows_of(4, 2)));
  CHECK_FALSE(accepts_with(of(Operator::largest), {{1, 5, 4, 0}}, {5, 5}, rows_of(4, 2)));
}

TEST_CASE("top-p keeps the fewest elements whose sum reaches p") {
  Arithmetic top = of(Operator::top_p, Element::f32, Element::u32);
  top.accumulator = Element::f32;
  top.p = 0.75;
  CHECK(accepts_with(top, {{0.5, 0.3, 0.2}}, {2}));
  CHECK_FALSE(accepts_with(top, {{0.5, 0.3, 0.2}}, {1}));
  CHECK_FALSE(accepts_with(top, {{0.5, 0.3, 0.2}}, {3}));
  CHECK(accepts_with(top, {{0.5, 0.125}}, {2}));  // all of them, although they do not reach p
  CHECK(accepts_with(top, {{}}, {0}));
  top.p = 0.5;  // reached exactly
  CHECK(accepts_with(top, {{0.25, 0.25, 0.125}}, {2}));
  CHECK_FALSE(accepts_with(top, {{0.25, 0.25, 0.125}}, {3}));
  top.p = 0;
  CHECK(accepts_with(top, {{0.5, 0.125}}, {0}));  // the sum of no elements reaches it
}

TEST_CASE("segments begin and end at their offsets and may be empty") {
  const Inputs inputs{{1, 2, 3, 4}, {{Role::offsets, Element::u64, {0, 1, 1, 4}}}};
  const ResultLayout layout{ResultShape::segments, 0, {}, 1, {}};
  CHECK(accepts_with(of(Operator::sum), inputs, {1, 0, 9}, layout));
  CHECK_FALSE(accepts_with(of(Operator::sum), inputs, {3, 0, 7}, layout));
}

TEST_CASE("only if empty segments are not checked, their results may be anything") {
  const Inputs inputs{{1, 2, 3, 4}, {{Role::offsets, Element::u64, {0, 1, 1, 4}}}};
  const ResultLayout layout{ResultShape::segments, 0, {}, 1, {}};
  Arithmetic sum = of(Operator::sum);
  CHECK_FALSE(accepts_with(sum, inputs, {1, 5, 9}, layout));
  sum.checks_empty = false;
  CHECK(accepts_with(sum, inputs, {1, 5, 9}, layout));
  CHECK_FALSE(accepts_with(sum, inputs, {2, 5, 9}, layout));
}

TEST_CASE("every copy of a column's reduction is checked") {
  const ResultLayout layout{ResultShape::columns, 2, {}, 1, {}};
  CHECK(accepts_with(of(Operator::sum), {{1, 2, 3, 4}}, {4, 6, 4, 6}, layout));
  CHECK_FALSE(accepts_with(of(Operator::sum), {{1, 2, 3, 4}}, {4, 6, 4, 7}, layout));
}

TEST_CASE("a weight serves a group of consecutive elements, and the weights are used again after the last") {
  // Two rows of two groups each, whose mean of squares is 1.
  const Inputs inputs{{1, -1, 1, 1, 1, 1, -1, 1}, {{Role::weights, Element::f32, {2, 3}, 2}}};
  const ResultLayout rows{ResultShape::rows, 4, {}, 1, {}};
  CHECK(accepts_with(of(Operator::rms_norm), inputs, {2, -2, 3, 3, 2, 2, -3, 3}, rows));
  CHECK_FALSE(accepts_with(of(Operator::rms_norm), inputs, {2, -3, 2, 3, 2, 3, -2, 3}, rows));
  // A row for each of two channels.
  const ResultLayout short_rows{ResultShape::rows, 2, {}, 1, {}};
  CHECK(accepts_with(of(Operator::rms_norm), inputs, {2, -2, 3, 3, 2, 2, -3, 3}, short_rows));
  // Two channels of a tensor.
  const ResultLayout tensor{.shape = ResultShape::columns, .columns = 2, .run = 2};
  CHECK(accepts_with(of(Operator::rms_norm), inputs, {2, -2, 3, 3, 2, 2, -3, 3}, tensor));
  CHECK_FALSE(accepts_with(of(Operator::rms_norm), inputs, {2, -2, 2, 2, 3, 3, -3, 3}, tensor));
}

TEST_CASE("elements are multiplied by the scale of their group") {
  const Inputs inputs{{1, 2, 3}, {{Role::scales, Element::u8, {128, 126}, 2}}};  // twice, and half
  CHECK(accepts_with(of(Operator::sum, Element::e2m1), inputs, {7.5}));
  CHECK_FALSE(accepts_with(of(Operator::sum, Element::e2m1), inputs, {6}));
  CHECK(
      accepts_with(of(Operator::sum, Element::e2m1), {{1}, {{Role::scales, Element::u8, {255}, 32}}}, {nan}));
  CHECK(accepts_with(of(Operator::sum, Element::e2m1), {{6, 6}, {{Role::scales, Element::e4m3, {1.5}, 16}}},
                     {18}));
}

TEST_CASE("sums relative to a running maximum have a slightly larger bound") {
  Arithmetic once = of(Operator::softmax), running = once;
  once.functions = running.functions = MathFunctions::library;
  running.maximum = Maximum::running;
  const Inputs inputs{{0, 0}};
  const ResultLayout array{ResultShape::array, 0, {}, 1, {}};
  const double off = 0.5 + 0x1p-20;
  CHECK(accepts_with(running, inputs, {0.5, 0.5}, array));
  CHECK_FALSE(accepts_with(running, inputs, {0.51, 0.5}, array));
  CHECK(accepts_with(running, inputs, {off, 0.5}, array));
  CHECK_FALSE(accepts_with(once, inputs, {off, 0.5}, array));
}

}  // namespace
}  // namespace foldproof
