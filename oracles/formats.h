// The element types that a reduction reads, accumulates in and writes: formats, codes and rounding modes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foldproof {

/// An e2m1 occupies a byte whose lower four bits are the code, as in CUDA's __nv_fp4_e2m1; the upper four
/// bits are ignored on reads and zero on writes.
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
std::string_view cuda_name(Element element);  ///< as spelled in a kernel: "float", "__half", "int", …
std::size_t size_of(Element element);         ///< bytes in memory
unsigned width_of(Element element);           ///< bits per code
bool is_float(Element element);
std::optional<Element> element_named(std::string_view name);

/// A binary floating-point format. Its finite values are the multiples of 2^lowest_exponent with at most
/// `precision` significant bits, up to largest_significand * 2^highest_exponent. Its codes are a sign, an
/// exponent field that counts from 1 (0: subnormal), and precision - 1 bits of fraction.
struct FloatFormat {
  int precision;         ///< p; the unit roundoff is 2^-p
  int lowest_exponent;   ///< the smallest subnormal is 2^lowest_exponent
  int highest_exponent;  ///< of the largest finite value's last place
  std::uint64_t largest_significand;
  bool has_infinity, has_nan;

  /// Exponent of the smallest normal value.
  int normal_exponent() const { return lowest_exponent + precision - 1; }
  /// The code of the largest finite value.
  std::uint64_t largest_code() const {
    const auto field = static_cast<std::uint64_t>(highest_exponent - lowest_exponent);
    return (field << (precision - 1)) + largest_significand;
  }
};

/// The format of a floating-point element.
const FloatFormat& float_format(Element element);
/// Whether both are floating-point and `outer` represents every value of `inner`.
bool includes(Element outer, Element inner);

enum class RoundingMode : std::uint8_t { nearest_even, toward_zero, up, down };

/// How values beyond the largest finite one are encoded. `none` follows IEEE 754: an infinity, or NaN in a
/// format without one; a directed mode that rounds back towards zero still gives the largest value.
/// `to_largest` gives the largest finite value of that sign, for infinities too. CUDA calls these __NV_NOSAT
/// and __NV_SATFINITE.
enum class Saturation : std::uint8_t { none, to_largest };

/// Whether a directed mode rounds a value of this sign away from zero.
inline bool rounds_away(RoundingMode mode, bool negative) {
  return mode == (negative ? RoundingMode::down : RoundingMode::up);
}

/// Whether a value between two neighbours rounds to the one of larger magnitude. `odd`: the last bit of the
/// smaller one; `rest`: the distance from that one, compared with half the gap. Not for a rest of zero.
inline bool rounds_up_magnitude(RoundingMode mode, bool negative, bool odd, std::strong_ordering rest) {
  if (mode != RoundingMode::nearest_even) return rounds_away(mode, negative);
  return rest > 0 || (rest == 0 && odd);
}

inline std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// `bytes` bytes of `bits` starting at byte `first`; zeros beyond the eighth.
inline std::uint64_t cut_bytes(std::uint64_t bits, unsigned first, unsigned bytes) {
  return first >= 8 ? 0 : bits >> (8 * first) & low_bits(8 * bytes);
}

/// All bits of a code. Higher bits are not part of it: an e2m1 leaves half a byte unused.
inline std::uint64_t code_mask(Element element) { return low_bits(width_of(element)); }
inline std::uint64_t sign_bit(Element element) { return std::uint64_t{1} << (width_of(element) - 1); }

}  // namespace foldproof
