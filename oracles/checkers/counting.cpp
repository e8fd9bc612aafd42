#include <fmt/format.h>

#include "oracles/checkers/checkers.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

class CountingChecker final : public Checker {
 public:
  CountingChecker(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic), count_(input.size() / size_of(arithmetic.input)) {
    for (std::size_t i = 0; i < count_; ++i) {
      const Number x = decode(a_.input, load(a_.input, input, i));
      if (!x.is_zero()) ++nonzero_;
    }
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    const std::uint64_t wanted = a_.op == Operator::any   ? (nonzero_ != 0)
                                 : a_.op == Operator::all ? (nonzero_ == count_)
                                                          : nonzero_ & code_mask(a_.output);
    return decided(bits == wanted, [&] {
      return fmt::format("the result is {} but {} of {} elements are nonzero, so \"{}\" is {}",
                         to_text(a_.output, bits), nonzero_, count_, info(a_.op).name, wanted);
    });
  }

 private:
  Arithmetic a_;
  std::uint64_t count_, nonzero_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_counting_checker(const Arithmetic& arithmetic,
                                               std::span<const std::byte> input) {
  return std::make_unique<CountingChecker>(arithmetic, input);
}

}  // namespace foldproof
