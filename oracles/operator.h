// What a reduction combines its elements with.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "oracles/formats.h"

namespace foldproof {

enum class Operator : std::uint8_t {
#define FOLDPROOF_OPERATOR(id, name, functor, gives, keys, synopsis) id,
#include "oracles/operators.def"
#undef FOLDPROOF_OPERATOR
};

/// A row of operators.def.
struct OperatorInfo {
  enum class Gives : std::uint8_t { fold, index, number, tally, ranked, elements, counts };
  Operator op;
  std::string_view name, functor;
  Gives gives;
  std::string_view keys;  ///< words with a space between
  std::string_view synopsis;

  /// Whether a contract's key is among those for some operators alone that are for this one.
  bool takes(std::string_view key) const;
};

/// All of them, in the order of Operator.
std::span<const OperatorInfo> operators();
inline const OperatorInfo& info(Operator op) { return operators()[static_cast<std::size_t>(op)]; }

/// Whether the results of parts make the result of the whole.
inline bool folds(Operator op) { return info(op).gives == OperatorInfo::Gives::fold; }
constexpr bool is_extremum(Operator op) { return op == Operator::min || op == Operator::max; }
constexpr bool is_bitwise(Operator op) {
  return op == Operator::bit_and || op == Operator::bit_or || op == Operator::bit_xor;
}
/// Whether magnitudes are folded, not the elements themselves.
constexpr bool takes_magnitudes(Operator op) { return op == Operator::asum || op == Operator::absmax; }

/// The operator that folds by whose rules elements get into a result: that of the values for places, sum for
/// what is made of sums.
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

/// Which of several equal elements an index stands for.
enum class Ties : std::uint8_t { any, first };

/// What comes of elements that are all minus infinity where exponentials are summed up: as of no elements (a
/// softmax of zeros, a logarithm of minus infinity), NaN as the formula about the maximum has it, or either.
enum class Masked : std::uint8_t { unspecified, zero, nan };

/// Where exp and log come from: CUDA's library, or the intrinsics that are less exact (__expf, __logf).
enum class MathFunctions : std::uint8_t { library, fast };

/// When the maximum is found about which exponentials are taken: before they are summed, or while; then what
/// was summed about an earlier one is scaled.
enum class Maximum : std::uint8_t { first, running };

/// How a variance comes about: the mean first, then the deviations from it; or from the sums of x and x^2; or
/// by Welford's recurrence or by merging parts. A mean also as the sum of shares, each element divided first.
enum class VarianceMethod : std::uint8_t { unspecified, two_pass, textbook, welford, shares };

/// How a sum comes about: by rounded additions alone; by Kahan's loops, or by any additions, whose errors are
/// carried along and added at the end; in an accumulator of two numbers of the format, whose sum has twice
/// its precision; or exactly, rounded once.
enum class SumMethod : std::uint8_t { plain, kahan, neumaier, double_float, exact };

/// The element that changes nothing: 0, 1, the largest or the smallest value of the type (an infinity where
/// the type has one), as bits. Only of operators that fold.
std::uint64_t identity(Operator op, Element element);

}  // namespace foldproof
