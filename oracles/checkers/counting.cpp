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
      const std::uint64_t bits = load(a_.input, input, i);
      if (!decode(a_.input, bits).is_zero()) ++nonzero_;
      if (!is_zero_or_subnormal(a_.input, bits)) ++at_least_;
    }
    if (!a_.flush_to_zero) at_least_ = nonzero_;
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    const std::uint64_t wanted = result_for(nonzero_);
    if (bits != wanted && at_least_ != nonzero_ && is_result_with_flush(bits)) return one_of_several();
    return decided(bits == wanted && represents(a_.output, wanted), [&] {
      return fmt::format("the result is {} but {} of {} elements {}, so \"{}\" is {}{}",
                         to_text(a_.output, bits), nonzero_, count_,
                         a_.where ? "satisfy the condition" : "are nonzero", info(a_.op).name, wanted,
                         unless_represented(a_.output, wanted));
    });
  }

 private:
  std::uint64_t result_for(std::uint64_t nonzero) const {
    if (a_.op == Operator::any) return nonzero != 0 ? 1 : 0;
    if (a_.op == Operator::all) return nonzero == count_ ? 1 : 0;
    return nonzero;
  }

  /// A comparison with .ftz may take some subnormal elements for zeros.
  bool is_result_with_flush(std::uint64_t bits) const {
    if (a_.op != Operator::count) return bits == result_for(at_least_);
    return ((bits - at_least_) & code_mask(a_.output)) <= nonzero_ - at_least_;
  }

  Arithmetic a_;
  std::uint64_t count_, nonzero_ = 0;
  std::uint64_t at_least_ = 0;  ///< nonzero elements, if every subnormal one is flushed to zero
};

}  // namespace

std::string unless_represented(Element integer, std::uint64_t number) {
  return represents(integer, number) ? "" : fmt::format(", which {} cannot represent", name(integer));
}

std::unique_ptr<Checker> make_counting_checker(const Arithmetic& arithmetic,
                                               std::span<const std::byte> input) {
  return std::make_unique<CountingChecker>(arithmetic, input);
}

}  // namespace foldproof
