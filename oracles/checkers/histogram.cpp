#include <fmt/format.h>

#include <map>

#include "oracles/checkers/checkers.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

class HistogramJudge final : public Judge {
 public:
  HistogramJudge(const Arithmetic& arithmetic, std::span<const std::byte> input) : a_(arithmetic) {
    for (std::size_t i = 0; i < input.size() / size_of(a_.input); ++i) {
      const Number bin = decode(a_.input, load(a_.input, input, i));
      if (!bin.negative) ++counts_[bin.significand];
    }
  }

  Judgement element(std::size_t index, std::uint64_t bits) const override {
    const auto found = counts_.find(index);
    const std::uint64_t count = found == counts_.end() ? 0 : found->second;
    Judgement judgement;
    judgement.ok = bits == (count & code_mask(a_.output));
    if (!judgement.ok)
      judgement.sentence =
          fmt::format("the result is {} but {} elements are {}", to_text(a_.output, bits), count, index);
    return judgement;
  }

 private:
  Arithmetic a_;
  std::map<std::uint64_t, std::uint64_t> counts_;  ///< by bin; those that no element is in are left out
};

}  // namespace

std::unique_ptr<Judge> make_histogram_judge(const Arithmetic& arithmetic, std::span<const std::byte> input) {
  return std::make_unique<HistogramJudge>(arithmetic, input);
}

}  // namespace foldproof
