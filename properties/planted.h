// Elements of an input that are set by hand, and how a case writes them.
#pragma once

#include <cstdint>
#include <string>

#include "oracles/formats.h"

namespace foldproof {

/// `value` is one of
///   a C hexadecimal floating-point number, as in "0x1.8p-2" or "-0x0p+0"; "inf", "-inf" or "nan", the
///   canonical NaN: a value that the element's type has, no other is rounded to it; an unsigned number
///   without an exponent, as in "0x7fc00001" or "7": the bits of an element of any type.
struct Planted {
  std::uint64_t index = 0;
  std::string value;
  bool operator==(const Planted&) const = default;
};

/// The bits of an element as a case writes them: the value of a floating-point element, the bits of an
/// integer and of a NaN that is not the canonical one. planted_bits() of it gives the bits again.
std::string planted_text(Element element, std::uint64_t bits);

/// The bits of an element. Throws InputError for what is no such text, and for what the type does not have.
std::uint64_t planted_bits(Element element, const std::string& value);

/// Throws InputError where the text is not one of the above, whatever the type.
void check_planted(const std::string& value);

}  // namespace foldproof
