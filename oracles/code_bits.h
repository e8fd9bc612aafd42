// Masks over the codes of elements, and parts of them.
#pragma once

#include <cstdint>

#include "oracles/element.h"

namespace foldproof {

inline std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// So many bytes of `bits` from byte `first` on; zeros beyond the eight that there are.
inline std::uint64_t cut_bytes(std::uint64_t bits, unsigned first, unsigned bytes) {
  return first >= 8 ? 0 : bits >> (8 * first) & low_bits(8 * bytes);
}

/// All bits of a code. Those above are no part of it: an e2m1 has half a byte of them.
inline std::uint64_t code_mask(Element element) { return low_bits(width_of(element)); }
inline std::uint64_t sign_bit(Element element) { return std::uint64_t{1} << (width_of(element) - 1); }

}  // namespace foldproof
