#include "oracles/references/normalisation.h"

#include "oracles/dyadic.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

/// numerator / sqrt(square) + bias, for a positive square. Computed as numerator / |numerator|
/// sqrt(numerator^2 / square), so that a dyadic root is found to be exact.
Reference over_root(const Dyadic& numerator, const Dyadic& square, const Dyadic& bias) {
  if (numerator.is_zero()) return Reference::exactly(bias);
  return Reference::real([=](unsigned bits) {
    const Enclosure magnitude = square_root(quotient(numerator * numerator, square, 2 * bits), bits);
    return (numerator.is_negative() ? -magnitude : magnitude) + Enclosure(bias);
  });
}

class Row {
 public:
  Row(Element element, std::span<const std::byte> elements, const Affine& affine)
      : element_(element), elements_(elements), affine_(affine) {}

  std::size_t size() const { return elements_.size() / size_of(element_); }
  Number operator[](std::size_t i) const { return decode(element_, load(element_, elements_, i)); }
  Dyadic weight(std::size_t i) const { return affine_.weights.empty() ? whole(1) : affine_.weights[i]; }
  Dyadic bias(std::size_t i) const { return affine_.biases.empty() ? Dyadic{} : affine_.biases[i]; }
  Tally values() const { return tally(element_, elements_); }
  Tally squares() const { return tally_products(element_, elements_, elements_); }

 private:
  Element element_;
  std::span<const std::byte> elements_;
  Affine affine_;
};

}  // namespace

namespace {

/// The quotient of two exact numbers; the denominator is positive.
struct Fraction {
  Dyadic numerator, denominator;
};

/// variance + epsilon, with the denominator n (n - correction); nothing if it is NaN.
std::optional<Fraction> increased_variance(const Row& x, const Dyadic& epsilon,
                                           std::uint64_t correction = 0) {
  const Tally values = x.values();
  if (values.count <= correction || values.specials.nan || values.specials.have_infinity())
    return std::nullopt;
  const Dyadic n = whole(values.count), scale = n * whole(values.count - correction), sum = values.sum();
  return Fraction{n * x.squares().sum() - sum * sum + scale * epsilon, scale};
}

}  // namespace

Reference deviation(Element element, std::span<const std::byte> elements, const Dyadic& epsilon,
                    std::uint64_t correction) {
  const auto square = increased_variance(Row(element, elements, {}), epsilon, correction);
  if (!square) return Reference::nan();
  if (square->numerator.is_zero()) return Reference::zero();
  return Reference::real([square = *square](unsigned bits) {
    return square_root(quotient(square.numerator, square.denominator, 2 * bits), bits);
  });
}

Reference reciprocal_deviation(Element element, std::span<const std::byte> elements, const Dyadic& epsilon,
                               std::uint64_t correction) {
  const auto square = increased_variance(Row(element, elements, {}), epsilon, correction);
  if (!square) return Reference::nan();
  if (square->numerator.is_zero()) return Reference::infinity(false);
  return Reference::real([square = *square](unsigned bits) {
    return square_root(quotient(square.denominator, square.numerator, 2 * bits), bits);
  });
}

std::vector<Reference> layer_norm(Element element, std::span<const std::byte> row, const Dyadic& epsilon,
                                  const Affine& affine) {
  const Row x(element, row, affine);
  std::vector<Reference> result(x.size(), Reference::nan());
  const auto square = increased_variance(x, epsilon);
  if (!square || square->numerator.is_zero()) return result;
  // The fraction is expanded by n.
  const Dyadic n = whole(x.size()), sum = x.values().sum();
  for (std::size_t i = 0; i < x.size(); ++i)
    result[i] = over_root((n * Dyadic(x[i]) - sum) * x.weight(i), square->numerator, x.bias(i));
  return result;
}

std::vector<Reference> rms_norm(Element element, std::span<const std::byte> row, const Dyadic& epsilon,
                                const Affine& affine) {
  const Row x(element, row, affine);
  const Tally squares = x.squares();
  const Dyadic n = whole(x.size()), square = squares.sum() + n * epsilon;
  std::vector<Reference> result(x.size(), Reference::nan());
  if (squares.specials.nan) return result;
  const bool infinite = squares.specials.have_infinity();
  if (square.is_zero() && !infinite) return result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!x[i].is_finite()) continue;
    // x / sqrt(square / n) = n x / sqrt(n square)
    result[i] = infinite ? Reference::exactly(x.bias(i))
                         : over_root(n * Dyadic(x[i]) * x.weight(i), n * square, x.bias(i));
  }
  return result;
}

std::vector<Reference> l2_normalize(Element element, std::span<const std::byte> row, const Dyadic& epsilon) {
  const Row x(element, row, {});
  const Tally squares = x.squares();
  std::vector<Reference> result(x.size(), Reference::nan());
  if (squares.specials.nan) return result;
  const bool infinite = squares.specials.have_infinity();
  const Dyadic square = infinite ? Dyadic{} : larger(squares.sum(), epsilon * epsilon);
  if (square.is_zero() && !infinite) return result;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i].is_finite()) result[i] = infinite ? Reference::zero() : over_root(Dyadic(x[i]), square, {});
  return result;
}

}  // namespace foldproof
