#include "oracles/block_scale.h"

#include <stdexcept>

#include "oracles/formats/cuda_conversion.h"

namespace foldproof {
namespace {

constexpr int bias = 127;

}  // namespace

Number decode_scale(std::uint8_t code) {
  if (code == nan_scale) return {Number::Category::nan, false, 0, 0};
  return {Number::Category::finite, false, 1, code - bias};
}

std::uint8_t encode_scale(const Number& number, RoundingMode mode, Saturation saturation) {
  if (mode != RoundingMode::toward_zero && mode != RoundingMode::up)
    throw std::invalid_argument("scales are rounded toward zero or up, as CUDA does it; choose one of these");
  // First to 53 bits, in the same direction: that moves nothing over a power of two that rounding once would
  // not move.
  Number magnitude = number;
  magnitude.negative = false;
  const std::uint64_t bits = encode(Element::f64, magnitude, mode);
  return cuda_scale(to_double(decode(Element::f64, bits)), mode, saturation);
}

Number scaled(const Number& element, std::uint8_t scale) {
  Number product = element;
  if (scale == nan_scale) product.category = Number::Category::nan;
  if (product.is_finite()) product.exponent += scale - bias;
  return product;
}

Number load_scaled(Element element, std::span<const std::byte> elements, std::span<const std::uint8_t> scales,
                   std::size_t index) {
  return scaled(decode(element, load(element, elements, index)), scales[index / scale_block]);
}

}  // namespace foldproof
