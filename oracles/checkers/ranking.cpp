#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "oracles/checkers/checkers.h"
#include "oracles/checkers/outcome.h"
#include "oracles/number.h"
#include "oracles/references/extremes.h"

namespace foldproof {
namespace {

class RankingChecker final : public Checker {
 public:
  RankingChecker(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic),
        input_(input.begin(), input.end()),
        order_(top_k(Operator::max, arithmetic.input, input, input.size() / size_of(arithmetic.input))),
        may_flush_(arithmetic.flush_to_zero && has_subnormal(arithmetic.input, input)) {}

  CheckResult element(std::size_t rank, std::uint64_t bits) const override {
    if (rank >= order_.size())
      return decided(false, [&] {
        return sentence(
            rank, bits,
            fmt::format("the input has {} element{}", order_.size(), order_.size() == 1 ? "" : "s"));
      });
    const std::uint64_t there = load(a_.input, input_, order_[rank]);
    if (a_.nan == NanPolicy::unspecified && decode(a_.input, load(a_.input, input_, order_[0])).is_nan())
      return anything_goes("the contract does not specify NaN handling");
    const bool right = a_.op == Operator::top_k ? is_index_of(order_[rank], bits) : is_same(there, bits);
    if (!right && may_flush_ && is_zero_or_subnormal(a_.input, there) && gives_flushed(bits))
      return one_of_several();
    return decided(right, [&] {
      return sentence(rank, bits,
                      fmt::format("that element is {}, at index {}", to_text(a_.input, there), order_[rank]));
    });
  }

 private:
  bool is_index_of(std::size_t index, std::uint64_t bits) const {
    const Number got = decode(a_.output, bits);
    return got.significand == index && !got.negative;
  }

  /// A comparison with .ftz takes all zeros and subnormal numbers for equal, in any order. Each rank is
  /// checked on its own, so an index that is given twice is accepted here.
  bool gives_flushed(std::uint64_t bits) const {
    const auto is_flushed = [&](std::size_t index) {
      return is_zero_or_subnormal(a_.input, load(a_.input, input_, index));
    };
    const Number got = decode(a_.output, bits);
    if (a_.op == Operator::top_k)
      return !got.negative && got.significand < order_.size() && is_flushed(got.significand);
    return got.is_zero() || std::ranges::any_of(order_, [&](std::size_t index) {
             return is_flushed(index) && is_same(load(a_.input, input_, index), bits);
           });
  }

  bool is_same(std::uint64_t element, std::uint64_t bits) const {
    const Number wanted = decode(a_.input, element), got = decode(a_.output, bits);
    if (wanted.is_nan()) return got.is_nan();
    if (wanted.is_zero() && got.is_zero()) return true;
    return std::ranges::any_of(conversions(wanted, a_.output), [&](std::uint64_t code) {
      return code == bits || (got.is_nan() && decode(a_.output, code).is_nan());
    });
  }

  std::string sentence(std::size_t rank, std::uint64_t bits, std::string_view although) const {
    return fmt::format("the result at rank {1} of the largest elements is {0}, but {2}",
                       to_text(a_.output, bits), rank, although);
  }

  Arithmetic a_;
  std::vector<std::byte> input_;
  std::vector<std::size_t> order_;  ///< element indices, largest element first
  bool may_flush_;                  ///< whether the input has elements that may be flushed to zero
};

}  // namespace

std::unique_ptr<Checker> make_ranking_checker(const Arithmetic& arithmetic,
                                              std::span<const std::byte> input) {
  return std::make_unique<RankingChecker>(arithmetic, input);
}

}  // namespace foldproof
