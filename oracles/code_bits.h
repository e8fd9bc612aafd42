// Masks over the codes of elements.
#pragma once

#include <cstdint>

#include "oracles/element.h"

namespace foldproof {

inline std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// All bits of a code. Those above are no part of it: an e2m1 has half a byte of them.
inline std::uint64_t code_mask(Element element) { return low_bits(width_of(element)); }
inline std::uint64_t sign_bit(Element element) { return std::uint64_t{1} << (width_of(element) - 1); }

}  // namespace foldproof
