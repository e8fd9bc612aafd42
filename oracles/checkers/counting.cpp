#include <fmt/format.h>

#include "oracles/checkers/checkers.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

class CountingJudge final : public Judge {
 public:
  CountingJudge(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic), count_(input.size() / size_of(arithmetic.input)) {
    for (std::size_t i = 0; i < count_; ++i) {
      const Number x = decode(a_.input, load(a_.input, input, i));
      if (!x.is_zero()) ++nonzero_;
    }
  }

  Judgement element(std::size_t, std::uint64_t bits) const override {
    const std::uint64_t wanted = a_.op == Operator::any   ? (nonzero_ != 0)
                                 : a_.op == Operator::all ? (nonzero_ == count_)
                                                          : nonzero_ & code_mask(a_.output);
    Judgement judgement;
    judgement.ok = bits == wanted;
    if (!judgement.ok)
      judgement.sentence =
          fmt::format("the result is {} but {} of {} elements are not zero, so that \"{}\" is {}",
                      to_text(a_.output, bits), nonzero_, count_, info(a_.op).name, wanted);
    return judgement;
  }

 private:
  Arithmetic a_;
  std::uint64_t count_, nonzero_ = 0;
};

}  // namespace

std::unique_ptr<Judge> make_counting_judge(const Arithmetic& arithmetic, std::span<const std::byte> input) {
  return std::make_unique<CountingJudge>(arithmetic, input);
}

}  // namespace foldproof
