// Operands with which instructions are compared on two devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "devices/emulated/isa/type.h"

namespace foldproof {

/// Operand sets per form: the lanes of 64 warps.
inline constexpr std::size_t operand_sets = 2048;

/// One source operand of a form.
struct SourceType {
  isa::Type type = isa::Type::none;
  unsigned words = 1;                      ///< 64-bit words that hold one operand: 2 for b128
  std::uint64_t mask = ~std::uint64_t{0};  ///< the bits that may be set: other values are undefined
};

/// Whether zeros, infinities, NaNs and extremes are among the operands. One of them in a row of a matrix
/// would decide the whole row of the product.
enum class Extremes : std::uint8_t { included, excluded };

/// `operand_sets` values of every word of the sources, one word after the other: first all combinations of
/// extreme values, as many as fit into half of the sets, then random values of every magnitude. The same call
/// gives the same values on every machine.
std::vector<std::uint64_t> operands_for(std::span<const SourceType> sources, Extremes extremes);

}  // namespace foldproof
