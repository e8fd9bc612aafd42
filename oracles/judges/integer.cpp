#include <fmt/format.h>

#include "oracles/judges/judges.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// An integer element as two's complement of 64 bits.
std::uint64_t extended(Element element, std::uint64_t bits) {
  const Number number = decode(element, bits);
  return number.negative ? std::uint64_t{0} - number.significand : number.significand;
}

std::uint64_t low_bytes(std::uint64_t bits, std::size_t bytes) {
  return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::uint64_t folded(Operator op, Element element, std::span<const std::byte> elements) {
  std::uint64_t result = op == Operator::sum ? 0 : 1;
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i) {
    const std::uint64_t x = extended(element, load(element, elements, i));
    result = op == Operator::sum ? result + x : result * x;
  }
  return result;
}

class IntegerJudge final : public Judge {
 public:
  IntegerJudge(const Arithmetic& arithmetic, std::span<const std::byte> input)
      : a_(arithmetic), exact_(folded(arithmetic.op, arithmetic.input, input)) {}

  Judgement value(std::uint64_t bits) const override { return judge(bits, in_output()); }

  Judgement partials(std::span<const std::byte> outputs) const override {
    // Parts wrap in the accumulator, so only its bits of their fold are sure.
    const std::size_t bytes = std::min(size_of(a_.accumulator), size_of(a_.output));
    return judge(low_bytes(folded(a_.op, a_.output, outputs), bytes), low_bytes(exact_, bytes));
  }

 private:
  std::uint64_t in_output() const {
    const std::uint64_t accumulated = low_bytes(exact_, size_of(a_.accumulator));
    return low_bytes(extended(a_.accumulator, accumulated), size_of(a_.output));
  }

  Judgement judge(std::uint64_t bits, std::uint64_t wanted) const {
    Judgement judgement;
    judgement.layer = Judgement::Layer::exact;
    judgement.ok = bits == wanted;
    if (!judgement.ok)
      judgement.sentence =
          fmt::format("the result is {} but the {} is {}", to_text(a_.output, bits),
                      a_.op == Operator::sum ? "sum" : "product", to_text(a_.output, wanted));
    return judgement;
  }

  Arithmetic a_;
  std::uint64_t exact_;  ///< modulo 2^64
};

}  // namespace

std::unique_ptr<Judge> make_integer_judge(const Arithmetic& arithmetic, std::span<const std::byte> input) {
  return std::make_unique<IntegerJudge>(arithmetic, input);
}

}  // namespace foldproof
