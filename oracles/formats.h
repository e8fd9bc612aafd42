// The element types that a reduction reads, accumulates in and writes: their formats, codes and rounding
// modes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foldproof {

/// An e2m1 takes a byte of which the lower four bits are the code, as CUDA's __nv_fp4_e2m1 keeps it; the
/// upper four are ignored when it is read and zero when it is written.
enum class Element : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  e4m3,
  e5m2,
  e2m1,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64
};

std::string_view name(Element element);       ///< "f32", "e4m3", …
std::string_view cuda_name(Element element);  ///< as C++ spells it in a kernel: "float", "__half", "int", …
std::size_t size_of(Element element);         ///< bytes in memory
unsigned width_of(Element element);           ///< bits of a code
bool is_float(Element element);
std::optional<Element> element_named(std::string_view name);

/// A binary floating-point format. Its finite values are the multiples of 2^lowest_exponent with at most
/// `precision` significant bits, up to largest_significand * 2^highest_exponent. Its codes are a sign, an
/// exponent field that counts from 1 (0: subnormal), and precision - 1 bits of fraction.
struct FloatFormat {
  int precision;         ///< p; the unit roundoff is 2^-p
  int lowest_exponent;   ///< the smallest subnormal is 2^lowest_exponent
  int highest_exponent;  ///< of the last place of the largest finite value
  std::uint64_t largest_significand;
  bool has_infinity, has_nan;

  /// Of the smallest normal value.
  int normal_exponent() const { return lowest_exponent + precision - 1; }
  /// The code of the largest finite value.
  std::uint64_t largest_code() const {
    const auto field = static_cast<std::uint64_t>(highest_exponent - lowest_exponent);
    return (field << (precision - 1)) + largest_significand;
  }
};

/// The format of a floating-point element.
const FloatFormat& float_format(Element element);
/// Whether every value of `inner` is one of `outer`; both floating-point.
bool includes(Element outer, Element inner);

enum class RoundingMode : std::uint8_t { nearest_even, toward_zero, up, down };

/// What becomes of values beyond the largest finite one: as IEEE 754 has it (an infinity, or NaN in a format
/// without one; a directed mode that points back to zero still gives the largest), or the largest finite
/// value of that sign, for infinities too. CUDA calls these __NV_NOSAT and __NV_SATFINITE.
enum class Saturation : std::uint8_t { none, to_largest };

/// Whether a directed mode takes a value of this sign to a magnitude no smaller than its own.
inline bool rounds_away(RoundingMode mode, bool negative) {
  return mode == (negative ? RoundingMode::down : RoundingMode::up);
}

/// Whether a value between two neighbours goes to the one of greater magnitude. `odd`: the last bit of the
/// lesser one; `rest`: what lies above that one, against half the distance. Not for a rest of zero.
inline bool rounds_up_magnitude(RoundingMode mode, bool negative, bool odd, std::strong_ordering rest) {
  if (mode != RoundingMode::nearest_even) return rounds_away(mode, negative);
  return rest > 0 || (rest == 0 && odd);
}

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
