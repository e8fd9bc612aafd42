// Elements of an input that are set individually, and their notation in cases.
#pragma once

#include <cstdint>
#include <string>

#include "oracles/formats.h"

namespace foldproof {

/// `value` is one of
///   a C hexadecimal floating-point number such as "0x1.8p-2" or "-0x0p+0", or "inf", "-inf" or "nan" (the
///   canonical NaN): a value that the element's type has; others are not rounded to it;
///   an unsigned number without an exponent such as "0x7fc00001" or "7": the bits of an element of any type.
struct Planted {
  std::uint64_t index = 0;
  std::string value;
  bool operator==(const Planted&) const = default;
};

/// The bits of an element in the notation of cases: the value of a floating-point element, the bits of an
/// integer and of a NaN that is not the canonical one. planted_bits() restores the bits.
std::string planted_text(Element element, std::uint64_t bits);

/// The bits of an element. Throws InputError for invalid text, and for a value that the type does not have.
std::uint64_t planted_bits(Element element, const std::string& value);

/// Throws InputError if the text has none of the above forms, whatever the type.
void check_planted(const std::string& value);

}  // namespace foldproof
