#include <fmt/format.h>

#include <vector>

#include "oracles/checkers/checkers.h"
#include "oracles/checkers/outcome.h"
#include "oracles/number.h"
#include "oracles/references/extremes.h"

namespace foldproof {
namespace {

CheckResult wrong(const std::string& sentence) {
  return decided(false, [&] { return sentence; });
}

class IndexChecker final : public Checker {
 public:
  IndexChecker(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic),
        op_(underlying(arithmetic.op)),
        input_(input.begin(), input.end()),
        extreme_(extreme(op_, arithmetic.input, input, arithmetic.nan)),
        may_flush_(arithmetic.flush_to_zero && has_subnormal(arithmetic.input, input)) {}

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    const Number index = decode(a_.output, bits);
    const std::size_t count = input_.size() / size_of(a_.input);
    if (count == 0) return {};
    if (index.negative || index.significand >= count)
      return wrong(fmt::format("the result is {}, but the input has {} element{}", to_text(a_.output, bits),
                               count, count == 1 ? "" : "s"));
    if (!extreme_) return {};  // only NaN, all ignored
    const std::uint64_t there = load(a_.input, input_, index.significand);
    const bool nan = decode(a_.input, there).is_nan(), wants_nan = decode(a_.input, extreme_->bits).is_nan();
    if (wants_nan && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    const bool best = nan || wants_nan ? nan && wants_nan
                                       : order_key(a_.input, there) == order_key(a_.input, extreme_->bits);
    // A comparison with .ftz takes all zeros and subnormal numbers for equal: which comes first is then open.
    if (may_flush_ && is_zero_or_subnormal(a_.input, there) && is_zero_or_subnormal(a_.input, extreme_->bits))
      return one_of_several();
    if (!best)
      return wrong(fmt::format("the result is {}, the index of {}, but the {} element is {}, at index {}",
                               index.significand, to_text(a_.input, there), superlative(),
                               to_text(a_.input, extreme_->bits), extreme_->first));
    if (a_.ties == Ties::first && index.significand != extreme_->first)
      return wrong(fmt::format("the result is {}, but the first {} element is at index {}", index.significand,
                               superlative(), extreme_->first));
    return {};
  }

 private:
  std::string_view superlative() const { return op_ == Operator::min ? "smallest" : "largest"; }

  Arithmetic a_;
  Operator op_;
  std::vector<std::byte> input_;
  std::optional<Extreme> extreme_;  ///< absent if no element counts
  bool may_flush_;                  ///< whether the input has elements that may be flushed to zero
};

}  // namespace

std::unique_ptr<Checker> make_index_checker(const Arithmetic& arithmetic, std::span<const std::byte> input) {
  return std::make_unique<IndexChecker>(arithmetic, input);
}

}  // namespace foldproof
