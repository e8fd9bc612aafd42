#include <fmt/format.h>

#include <map>

#include "oracles/checkers/checkers.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

class HistogramChecker final : public Checker {
 public:
  HistogramChecker(const Arithmetic& arithmetic, std::span<const std::byte> input) : a_(arithmetic) {
    for (std::size_t i = 0; i < input.size() / size_of(a_.input); ++i) {
      const Number bin = decode(a_.input, load(a_.input, input, i));
      if (!bin.negative) ++counts_[bin.significand];
    }
  }

  CheckResult element(std::size_t index, std::uint64_t bits) const override {
    const auto found = counts_.find(index);
    const std::uint64_t count = found == counts_.end() ? 0 : found->second;
    return decided(bits == count && represents(a_.output, count), [&] {
      return fmt::format("bin {2} is {0}, but the number of elements equal to {2} is {1}{3}",
                         to_text(a_.output, bits), count, index, unless_represented(a_.output, count));
    });
  }

 private:
  Arithmetic a_;
  std::map<std::uint64_t, std::uint64_t> counts_;  ///< by bin; empty bins are left out
};

}  // namespace

std::unique_ptr<Checker> make_histogram_checker(const Arithmetic& arithmetic,
                                                std::span<const std::byte> input) {
  return std::make_unique<HistogramChecker>(arithmetic, input);
}

}  // namespace foldproof
