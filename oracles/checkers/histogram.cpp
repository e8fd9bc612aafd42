#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "oracles/checkers/checkers.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

class HistogramChecker final : public Checker {
 public:
  HistogramChecker(const Arithmetic& arithmetic, std::span<const std::byte> input) : a_(arithmetic) {
    for (std::size_t i = 0; i < input.size() / size_of(a_.input); ++i) {
      const Number element = decode(a_.input, load(a_.input, input, i));
      if (const auto bin = bin_of(element)) ++counts_[*bin];
    }
  }

  CheckResult element(std::size_t index, std::uint64_t bits) const override {
    const auto found = counts_.find(index);
    const std::uint64_t count = found == counts_.end() ? 0 : found->second;
    return decided(bits == count && represents(a_.output, count), [&] {
      return fmt::format("bin {2} is {0}, but the number of elements {3} {2} is {1}{4}",
                         to_text(a_.output, bits), count, index, a_.bin_of ? "of bin" : "equal to",
                         unless_represented(a_.output, count));
    });
  }

 private:
  std::optional<std::uint64_t> bin_of(const Number& element) {
    if (!a_.bin_of) return element.negative ? std::nullopt : std::optional(element.significand);
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    if (element.significand > largest) return std::nullopt;
    const auto magnitude = static_cast<std::int64_t>(element.significand);
    const std::int64_t value = element.negative ? -magnitude : magnitude;
    const auto [known, is_new] = bins_.try_emplace(value);
    if (is_new) known->second = a_.bin_of(value);
    return known->second;
  }

  Arithmetic a_;
  std::map<std::int64_t, std::optional<std::uint64_t>> bins_;  ///< by element
  std::map<std::uint64_t, std::uint64_t> counts_;              ///< by bin; empty bins are left out
};

}  // namespace

std::unique_ptr<Checker> make_histogram_checker(const Arithmetic& arithmetic,
                                                std::span<const std::byte> input) {
  return std::make_unique<HistogramChecker>(arithmetic, input);
}

}  // namespace foldproof
