#include "oracles/references/reference.h"

namespace foldproof {

Reference Reference::exactly(const Dyadic& value) {
  if (value.is_zero()) return zero();
  return real([value](unsigned) { return Enclosure(value); });
}

std::optional<std::uint64_t> Reference::rounded(Element element) const {
  if (!refine_) return encode(element, {category_, negative_, 0, 0});
  // Sums of squares of doubles span 4400 bits, and roots of their quotients twice as many.
  for (const unsigned bits : {128U, 512U, max_transcendental_bits, 8192U, 32768U})
    if (const auto element_bits = foldproof::rounded(element, refine_(bits))) return element_bits;
  return std::nullopt;
}

}  // namespace foldproof
