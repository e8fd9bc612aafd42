#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "oracles/checkers/checkers.h"
#include "oracles/checkers/outcome.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// The extremum of the elements that are not NaN, and whether any element is NaN.
struct Extremum {
  std::optional<std::uint64_t> bits;
  bool nan = false;
};

void extend(Extremum& result, Operator op, Element element, std::span<const std::byte> elements) {
  const std::size_t count = elements.size() / size_of(element);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = load(element, elements, i);
    if (decode(element, bits).is_nan()) {
      result.nan = true;
      continue;
    }
    const bool better =
        !result.bits || (op == Operator::max ? order_key(element, bits) > order_key(element, *result.bits)
                                             : order_key(element, bits) < order_key(element, *result.bits));
    if (better) result.bits = bits;
  }
}

class ExtremumChecker final : public FoldChecker {
 public:
  explicit ExtremumChecker(const Arithmetic& arithmetic)
      : a_(arithmetic), keys_{order_key(arithmetic.output, identity(arithmetic.op, arithmetic.output))} {}

  void append(std::span<const std::byte> elements) override {
    extend(input_, a_.op, a_.input, elements);
    if (input_.bits) expected_ = converted(*input_.bits).front();
    if (a_.nan != NanPolicy::unspecified && !a_.flush_to_zero) return;
    for (std::size_t i = 0; i < elements.size() / size_of(a_.input); ++i) {
      const std::uint64_t element = load(a_.input, elements, i);
      const auto codes = converted(element);
      const std::uint64_t bits = codes.front();
      const bool flushed = a_.flush_to_zero &&
                           (is_zero_or_subnormal(a_.input, element) || is_zero_or_subnormal(a_.output, bits));
      if (a_.nan == NanPolicy::unspecified)
        for (const std::uint64_t code : codes) keys_.insert(order_key(a_.output, code));
      if (flushed) flushed_.insert(order_key(a_.output, bits));
    }
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    const bool nan = decode(a_.output, bits).is_nan();
    return check({nan ? std::nullopt : std::optional(bits), nan});
  }

  CheckResult partials(std::span<const std::byte> outputs) const override {
    Extremum folded;
    extend(folded, a_.op, a_.output, outputs);
    if (a_.nan == NanPolicy::ignore && folded.bits) folded.nan = false;
    if (folded.nan) folded.bits.reset();
    return check(folded);
  }

 private:
  /// Converts through the accumulator's format to the output's, as the kernel does.
  std::array<std::uint64_t, 2> converted(std::uint64_t bits) const {
    const std::uint64_t accumulated = encode(a_.accumulator, decode(a_.input, bits));
    return conversions(decode(a_.accumulator, accumulated), a_.output);
  }

  CheckResult check(const Extremum& result) const {
    if (input_.nan && a_.nan == NanPolicy::propagate)
      return by_category(result.nan, result, "the input contains a NaN, which must propagate to the result");
    if (input_.nan && a_.nan == NanPolicy::unspecified)
      return by_category(result.nan || keys_.contains(order_key(a_.output, *result.bits)) ||
                             is_flushed_element(*result.bits),
                         result, "no element of the input has this value");
    if (!expected_ && input_.nan)  // only NaN, all ignored
      return by_category(result.nan || same(*result.bits, identity(a_.op, a_.output)), result,
                         "the input contains only NaN");
    if (overflows()) return by_overflow(result);
    if (result.nan)
      return by_category(false, result, "the input contains no NaN that may propagate to the result");
    return by_value(*result.bits);
  }

  /// Whether the extremum does not fit in an 8-bit format, or is an infinity: conversions may saturate.
  bool overflows() const {
    return size_of(a_.output) == 1 && expected_ && !decode(a_.output, *expected_).is_finite();
  }

  /// The conversion to the output gives an infinity or, without one in the format, NaN; or it saturates.
  CheckResult by_overflow(const Extremum& result) const {
    const auto is_same = [&](std::uint64_t code) { return same(*result.bits, code); };
    const bool ok = result.nan ? decode(a_.output, *expected_).is_nan()
                               : std::ranges::any_of(converted(*input_.bits), is_same);
    return by_category(ok, result,
                       fmt::format("the {} is {}", a_.op == Operator::max ? "maximum" : "minimum",
                                   to_text(a_.input, *input_.bits)));
  }

  CheckResult by_value(std::uint64_t bits) const {
    const std::uint64_t wanted = expected_.value_or(identity(a_.op, a_.output));
    const auto sentence = [&] {
      return fmt::format("the result is {} but the {} is {}", to_text(a_.output, bits),
                         a_.op == Operator::max ? "maximum" : "minimum", to_text(a_.output, wanted));
    };
    if (!same(bits, wanted) && is_flushed_element(wanted) && is_flushed_element(bits))
      return one_of_several();
    return decided(same(bits, wanted), sentence);
  }

  CheckResult by_category(bool ok, const Extremum& result, std::string_view although) const {
    const auto sentence = [&] {
      return fmt::format("the result is {} although {}",
                         result.nan ? "nan" : to_text(a_.output, *result.bits), although);
    };
    return decided(ok, sentence, CheckResult::Evidence::category);
  }

  bool same(std::uint64_t a, std::uint64_t b) const {
    return order_key(a_.output, a) == order_key(a_.output, b);
  }

  /// A comparison with .ftz takes all zeros and subnormal numbers for equal, and the result is one of them,
  /// or zero.
  bool is_flushed_element(std::uint64_t bits) const {
    return !flushed_.empty() &&
           (decode(a_.output, bits).is_zero() || flushed_.contains(order_key(a_.output, bits)));
  }

  Arithmetic a_;
  Extremum input_;
  std::optional<std::uint64_t> expected_;     ///< in the output's format; absent if no element counts
  std::unordered_set<std::int64_t> keys_;     ///< of the identity; also of all elements if NaN is unspecified
  std::unordered_set<std::int64_t> flushed_;  ///< keys of the elements that may be flushed to zero
};

}  // namespace

std::unique_ptr<FoldChecker> make_extremum_checker(const Arithmetic& arithmetic,
                                                   std::span<const std::byte> input) {
  auto checker = std::make_unique<ExtremumChecker>(arithmetic);
  checker->append(input);
  return checker;
}

}  // namespace foldproof
