// Elements with a scale a block, as the OCP Microscaling formats have it: MXFP8 (e4m3, e5m2), MXFP4 (e2m1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "oracles/number.h"

namespace foldproof {

/// Elements that share a scale.
constexpr std::size_t scale_block = 32;
constexpr std::uint8_t nan_scale = 0xFF;

/// An E8M0 scale, 2^(code - 127); 0xFF is NaN. There is neither zero nor sign.
Number decode_scale(std::uint8_t code);

/// The scale of a magnitude as CUDA converts it, rounded to a power of two, toward zero or up. Zero and all
/// below 2^-127 are clipped to 2^-127. Beyond 2^127 rounding up gives 0xFF and rounding toward zero 2^127;
/// infinity gives 0xFF; both give 2^127 where they saturate. NaN gives 0xFF. Throws std::invalid_argument for
/// the other modes.
std::uint8_t encode_scale(const Number& number, RoundingMode mode, Saturation saturation);

/// An element times its scale, exactly; NaN where either is.
Number scaled(const Number& element, std::uint8_t scale);

/// Element `index` of blocks, with a scale for every 32 elements, of which the last may be fewer.
Number load_scaled(Element element, std::span<const std::byte> elements, std::span<const std::uint8_t> scales,
                   std::size_t index);

}  // namespace foldproof
