#include <fmt/format.h>

#include <algorithm>

#include "oracles/bounds.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

/// What is certain about a computed prefix sum, whatever the order of its additions.
enum class Reach : std::uint8_t { below, either, reached };

class NucleusChecker final : public Checker {
 public:
  NucleusChecker(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic), count_(input.size() / size_of(arithmetic.input)) {
    const Dyadic p(number_of(a_.p));
    const Tally all = tally(arithmetic.input, input);
    is_exact_ = no_order_rounds(all, float_format(a_.accumulator)) && keeps_all(a_, all);
    Dyadic sum, magnitude;
    for (std::size_t i = 0; i < count_; ++i) {
      const Number x = decode(a_.input, load(a_.input, input, i));
      finite_ &= x.is_finite();
      if (!finite_) return;
      sum = sum + Dyadic(x);
      magnitude = magnitude + abs(Dyadic(x));
      reach_.push_back(reach(sum, magnitude, i + 1, p));
      if (reach_.back() == Reach::reached) return;
    }
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    if (!finite_) return anything_goes("not all elements are finite");
    const Number result = decode(a_.output, bits);
    return decided(
        !result.negative && may_be(result.significand),
        [&] { return fmt::format("the result is {}, but {}", to_text(a_.output, bits), right()); },
        CheckResult::Evidence::bound);
  }

 private:
  Reach reach(const Dyadic& sum, const Dyadic& magnitude, std::uint64_t terms, const Dyadic& p) const {
    if (is_exact_) return sum >= p ? Reach::reached : Reach::below;
    const FloatFormat& format = float_format(a_.accumulator);
    const Bound rounding = sum_bound_any_order(terms, format.precision, magnitude);
    if (!rounding || magnitude * whole(2) > largest_finite(format)) return Reach::either;
    const Dyadic flushed = a_.flush_to_zero ? flush_to_zero_loss(terms, format, magnitude) : Dyadic{};
    const Dyadic bound = *rounding + flushed;
    if (sum - bound >= p) return Reach::reached;
    return sum + bound < p ? Reach::below : Reach::either;
  }

  /// Whether k may be the smallest count whose computed sum reaches p, or the full count if none does.
  bool may_be(std::uint64_t k) const {
    if (k == 0 && a_.p <= 0) return true;  // the sum of no elements
    const bool all_before_may_fail =
        k <= reach_.size() &&
        std::ranges::none_of(reach_.begin(), reach_.begin() + static_cast<std::ptrdiff_t>(k ? k - 1 : 0),
                             [](Reach r) { return r == Reach::reached; });
    if (!all_before_may_fail) return false;
    if (k != 0 && reach_[k - 1] != Reach::below) return true;
    return k == count_;
  }

  std::string right() const {
    std::size_t first = 0;
    while (first < reach_.size() && reach_[first] == Reach::below) ++first;
    if (first == reach_.size())
      return fmt::format("the sum of all {} elements does not reach {}", count_, a_.p);
    return fmt::format("the sum reaches {} at element {} at the earliest", a_.p, first);
  }

  Arithmetic a_;
  std::size_t count_;
  bool finite_ = true, is_exact_ = false;  ///< exact: no order of additions rounds
  std::vector<Reach> reach_;  ///< of the sums of the first 1, 2, … elements, up to the first `reached`
};

}  // namespace

std::unique_ptr<Checker> make_nucleus_checker(const Arithmetic& arithmetic,
                                              std::span<const std::byte> input) {
  return std::make_unique<NucleusChecker>(arithmetic, input);
}

}  // namespace foldproof
