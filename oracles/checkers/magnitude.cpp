#include <vector>

#include "oracles/checkers/checkers.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// The largest magnitude of a signed integer is one more than its largest value, hence the unsigned type.
Element magnitude_type(Element element) {
  switch (element) {
    case Element::i8: return Element::u8;
    case Element::i16: return Element::u16;
    case Element::i32: return Element::u32;
    case Element::i64: return Element::u64;
    default: return element;
  }
}

std::uint64_t magnitude(Element element, std::uint64_t bits) {
  if (is_float(element)) return bits & ~sign_bit(element);
  const Number number = decode(element, bits);
  return number.significand;
}

std::vector<std::byte> magnitudes(Element element, std::span<const std::byte> elements) {
  std::vector<std::byte> all(elements.begin(), elements.end());
  for (std::size_t i = 0; i < all.size() / size_of(element); ++i)
    store(element, all, i, magnitude(element, load(element, elements, i)));
  return all;
}

/// Delegates to a checker for the fold of magnitudes.
class MagnitudeChecker final : public FoldChecker {
 public:
  MagnitudeChecker(Element element, std::unique_ptr<FoldChecker> fold)
      : element_(element), fold_(std::move(fold)) {}

  void append(std::span<const std::byte> elements) override { fold_->append(magnitudes(element_, elements)); }
  CheckResult element(std::size_t index, std::uint64_t bits) const override {
    return fold_->element(index, bits);
  }
  CheckResult partials(std::span<const std::byte> outputs) const override { return fold_->partials(outputs); }

 private:
  Element element_;
  std::unique_ptr<FoldChecker> fold_;
};

}  // namespace

Arithmetic of_magnitudes(const Arithmetic& arithmetic) {
  if (!takes_magnitudes(arithmetic.op)) return arithmetic;
  Arithmetic a = arithmetic;
  a.op = underlying(arithmetic.op);
  a.input = magnitude_type(arithmetic.input);
  return a;
}

std::unique_ptr<FoldChecker> make_magnitude_checker(const Arithmetic& arithmetic,
                                                    std::span<const std::byte> input) {
  const Arithmetic a = of_magnitudes(arithmetic);
  // No magnitude is below 0, which is also the maximum of no elements.
  const std::vector<std::byte> zero(size_of(a.input));
  auto checker = std::make_unique<MagnitudeChecker>(arithmetic.input, make_fold_checker(a, zero));
  checker->append(input);
  return checker;
}

}  // namespace foldproof
