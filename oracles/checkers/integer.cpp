#include <fmt/format.h>

#include "oracles/checkers/checkers.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

std::uint64_t combined(const Arithmetic& arithmetic, std::uint64_t a, std::uint64_t b) {
  switch (arithmetic.op) {
    case Operator::custom: return arithmetic.custom->combine(a, b);
    case Operator::prod: return a * b;
    case Operator::bit_and: return a & b;
    case Operator::bit_or: return a | b;
    case Operator::bit_xor: return a ^ b;
    default: return a + b;
  }
}

std::uint64_t folded(const Arithmetic& arithmetic, std::uint64_t result, Element element,
                     std::span<const std::byte> elements) {
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i)
    result = combined(arithmetic, result, extended(element, load(element, elements, i)));
  return result;
}

std::uint64_t sum_of_squares(Element element, std::span<const std::byte> elements) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i) {
    const std::uint64_t value = extended(element, load(element, elements, i));
    sum += value * value;
  }
  return sum;
}

std::uint64_t start(const Arithmetic& arithmetic) {
  return arithmetic.custom ? arithmetic.custom->identity : identity(arithmetic.op, Element::u64);
}

std::string noun(const Arithmetic& arithmetic) {
  switch (arithmetic.op) {
    case Operator::sum: return "sum";
    case Operator::sum_of_squares: return "sum of squares";
    case Operator::prod: return "product";
    case Operator::custom: return fmt::format("reduction by \"{}\"", arithmetic.custom->text);
    default: return std::string(info(arithmetic.op).name);
  }
}

class IntegerChecker final : public FoldChecker {
 public:
  explicit IntegerChecker(const Arithmetic& arithmetic) : a_(arithmetic), exact_(start(arithmetic)) {}

  void append(std::span<const std::byte> elements) override {
    exact_ = a_.op == Operator::sum_of_squares ? exact_ + sum_of_squares(a_.input, elements)
                                               : folded(a_, exact_, a_.input, elements);
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override { return check(bits, in_output()); }

  CheckResult partials(std::span<const std::byte> outputs) const override {
    // Parts wrap in the accumulator, so only the bits of its width are certain in their fold.
    const auto bytes = static_cast<unsigned>(std::min(size_of(a_.accumulator), size_of(a_.output)));
    return check(cut_bytes(folded(a_, start(a_), a_.output, outputs), 0, bytes), cut_bytes(exact_, 0, bytes));
  }

 private:
  std::uint64_t in_output() const {
    const auto bytes_of = [](Element element) { return static_cast<unsigned>(size_of(element)); };
    const std::uint64_t accumulated = cut_bytes(exact_, 0, bytes_of(a_.accumulator));
    return cut_bytes(extended(a_.accumulator, accumulated), 0, bytes_of(a_.output));
  }

  CheckResult check(std::uint64_t bits, std::uint64_t wanted) const {
    return decided(bits == wanted, [&] {
      return fmt::format("the result is {} but the {} is {}", to_text(a_.output, bits), noun(a_),
                         to_text(a_.output, wanted));
    });
  }

  Arithmetic a_;
  std::uint64_t exact_;  ///< modulo 2^64
};

}  // namespace

std::unique_ptr<FoldChecker> make_integer_checker(const Arithmetic& arithmetic,
                                                  std::span<const std::byte> input) {
  auto checker = std::make_unique<IntegerChecker>(arithmetic);
  checker->append(input);
  return checker;
}

}  // namespace foldproof
