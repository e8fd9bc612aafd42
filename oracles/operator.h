// The operators that reductions apply to their elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "oracles/formats.h"

namespace foldproof {

enum class Operator : std::uint8_t {
#define FOLDPROOF_OPERATOR(id, ...) id,
#include "oracles/operators.def"
#undef FOLDPROOF_OPERATOR
};

/// A row of operators.def.
struct OperatorInfo {
  enum class Gives : std::uint8_t { fold, index, number, tally, ranked, elements, counts };
  Operator op;
  std::string_view name, functor;
  Gives gives;
  std::string_view synopsis;
  std::array<std::string_view, 4> keys;  ///< unused ones are empty

  /// Whether this operator accepts the contract's key, one of those that apply only to some operators.
  bool takes(std::string_view key) const { return std::ranges::find(keys, key) != keys.end(); }
};

/// All operators, in the order of Operator.
std::span<const OperatorInfo> operators();
inline const OperatorInfo& info(Operator op) { return operators()[static_cast<std::size_t>(op)]; }

/// Whether the results of parts combine to the result of the whole.
inline bool folds(Operator op) { return info(op).gives == OperatorInfo::Gives::fold; }
constexpr bool is_extremum(Operator op) { return op == Operator::min || op == Operator::max; }
constexpr bool is_bitwise(Operator op) {
  return op == Operator::bit_and || op == Operator::bit_or || op == Operator::bit_xor;
}
/// Whether the operator folds magnitudes instead of the elements themselves.
constexpr bool takes_magnitudes(Operator op) { return op == Operator::asum || op == Operator::absmax; }
/// Whether the operator folds what it computes from each element, instead of the elements themselves.
constexpr bool transforms_elements(Operator op) {
  return takes_magnitudes(op) || op == Operator::sum_of_squares;
}

/// Whether the operator adds what it computes from each element and its partner in the second operand.
constexpr bool adds_pairs(Operator op) {
  return op == Operator::dot || op == Operator::squared_error || op == Operator::absolute_error ||
         op == Operator::huber;
}
/// Whether it divides such a sum by the number of elements.
constexpr bool is_mean_of_pairs(Operator op) {
  return op == Operator::mse || op == Operator::mae || op == Operator::mean_huber;
}

/// Whether a formula of the contract says what is computed.
constexpr bool is_formula(Operator op) { return op == Operator::formula || op == Operator::element_formula; }

/// Whether the result is small if the second operand is close to the elements.
constexpr bool compares_pairs(Operator op) {
  return (adds_pairs(op) && op != Operator::dot) || is_mean_of_pairs(op) || op == Operator::kl_divergence;
}

/// Whether it is defined only for elements that are not negative.
constexpr bool takes_probabilities(Operator op) { return op == Operator::kl_divergence; }

/// Whether one element without a property, such as a set bit, decides the result.
constexpr bool needs_every_element(Operator op) { return op == Operator::all || op == Operator::bit_and; }

/// Whether the result depends on how far the elements are from their mean, and not on the mean.
constexpr bool is_about_deviation(Operator op) {
  return op == Operator::variance || op == Operator::deviation || op == Operator::reciprocal_deviation ||
         op == Operator::layer_norm;
}

/// The fold by whose rules elements enter a result: that of the values for indices, sum for results computed
/// from sums.
constexpr Operator underlying(Operator op) {
  switch (op) {
    case Operator::min:
    case Operator::argmin: return Operator::min;
    case Operator::max:
    case Operator::argmax:
    case Operator::absmax:
    case Operator::max_ratio:
    case Operator::top_k:
    case Operator::largest: return Operator::max;
    case Operator::prod: return Operator::prod;
    default: return Operator::sum;
  }
}

/// What a NaN in the input does to the result.
enum class NanPolicy : std::uint8_t { propagate, ignore, unspecified };

/// Which of several equal elements an index refers to.
enum class Ties : std::uint8_t { any, first };

/// The result for elements that are all minus infinity where exponentials are summed: as for no elements (a
/// softmax of zeros, a logarithm of minus infinity), NaN as in the formula about the maximum, or either.
enum class Masked : std::uint8_t { unspecified, zero, is_nan };

/// The source of exp and log: CUDA's library, or the less accurate intrinsics (__expf, __logf).
enum class MathFunctions : std::uint8_t { library, fast };

/// When the maximum subtracted in the exponents is determined: before the summation, or during it, which
/// rescales the sum whenever the maximum changes.
enum class Maximum : std::uint8_t { first, running };

/// The type in which a normalized value is multiplied by its weight and added to its bias, after it is
/// rounded to that type.
enum class AffineType : std::uint8_t { accumulator, output };

/// How a variance is computed: the mean first, then the deviations from it; from the sums of x and x^2, or
/// of their distances from one of the elements; or by
/// Welford's recurrence or by merging parts. A mean may also be a sum of shares, where each element is
/// divided first. A norm is computed from the squares of the elements (plain), or of their quotients by the
/// largest one so far, or with hypot (scaled).
enum class MomentMethod : std::uint8_t {
  unspecified,
  two_pass,
  textbook,
  shifted,
  welford,
  shares,
  plain,
  scaled
};

/// How a sum is computed: by rounded additions only; by Kahan's loops; by any additions whose errors are
/// carried along and added at the end; in an accumulator of two numbers of the format, whose sum has twice
/// its precision; or exactly, rounded once.
enum class SumMethod : std::uint8_t { plain, kahan, neumaier, double_float, exact };
constexpr bool is_compensated(SumMethod method) {
  return method != SumMethod::plain && method != SumMethod::exact;
}

/// Whether memory can hold an element that changes nothing, into which a kernel accumulates.
constexpr bool has_identity(const OperatorInfo& op) {
  return op.op != Operator::custom && (op.gives == OperatorInfo::Gives::fold || op.op == Operator::all);
}

/// The element that changes nothing: 0, 1, the largest or the smallest value of the type (an infinity if the
/// type has one), as bits. Only for operators that have an identity.
std::uint64_t identity(Operator op, Element element);

}  // namespace foldproof
