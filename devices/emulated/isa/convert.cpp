#include "devices/emulated/isa/convert.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/exact.h"
#include "devices/emulated/isa/select.h"
#include "oracles/formats.h"

namespace foldproof::isa::select {
namespace {

using enum Type;
using convert::cast;
using exact::Format;
using exact::Kind;
using exact::Number;

/// The values of a PTX type: one or two, integers or floats of a format.
struct Shape {
  unsigned bits = 0;               ///< of one value
  const Format* format = nullptr;  ///< null: an integer
  bool is_signed = false;
  bool pair = false;
};

Shape shape_of(Type type) {
  switch (type) {
    case f64: return {64, &exact::f64};
    case f32: return {32, &exact::f32};
    case tf32: return {32, &exact::tf32};
    case f16: return {16, &exact::f16};
    case bf16: return {16, &exact::bf16};
    case f16x2: return {16, &exact::f16, false, true};
    case bf16x2: return {16, &exact::bf16, false, true};
    case e4m3x2: return {8, &exact::e4m3, false, true};
    case e5m2x2: return {8, &exact::e5m2, false, true};
    case e2m3x2: return {8, &exact::e2m3, false, true};
    case e3m2x2: return {8, &exact::e3m2, false, true};
    case e2m1x2: return {4, &exact::e2m1, false, true};
    default: return {isa::bits_of(type), nullptr, is_signed(type)};
  }
}

constexpr unsigned tf32_unused = 13;  // low bits of a register: tf32 is the upper 19 bits of an f32

bool is_subnormal(const Format& format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & low_bits(format.bits() - 1);
  return magnitude < std::uint64_t{1} << format.fraction_bits;
}
std::uint64_t sign_of(const Format& format, std::uint64_t bits) {
  return bits & std::uint64_t{1} << (format.bits() - 1);
}

Number read(const Form& form, const Shape& source, std::uint64_t bits) {
  bits &= low_bits(source.bits);
  if (source.format == nullptr) {
    const bool negative = source.is_signed && (bits >> (source.bits - 1)) != 0;
    return exact::from_integer(negative, negative ? (0 - bits) & low_bits(source.bits) : bits);
  }
  if (form.ftz && source.format == &exact::f32 && is_subnormal(exact::f32, bits))
    bits = sign_of(exact::f32, bits);
  return exact::decode(*source.format, bits);
}

/// Clamps to the range of the destination. NaN gives 0, or only the top bit set if either type has 64 bits.
std::uint64_t write_integer(const Shape& destination, const Shape& source, Number x, Rounding rounding) {
  const unsigned bits = destination.bits;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  if (x.kind == Kind::nan) return source.bits == 64 || bits == 64 ? top : 0;
  if (x.kind == Kind::finite) x = exact::to_integral(x, rounding);
  const u128 largest = destination.is_signed ? (x.negative ? u128{top} : u128{top} - 1)
                                             : (x.negative ? u128{0} : u128{low_bits(bits)});
  // An integer with exponent ≥ 0; an exponent above 64 exceeds every range.
  const bool huge = x.kind == Kind::infinity || (x.magnitude != 0 && x.exponent > 64);
  const u128 magnitude = huge ? u128{1} << 100 : x.magnitude << x.exponent;
  const auto clamped = static_cast<std::uint64_t>(std::min(magnitude, largest));
  return (x.negative ? 0 - clamped : clamped) & low_bits(bits);
}

/// Integer to integer without .sat: the low bits.
std::uint64_t write_low_bits(const Shape& destination, const Number& x) {
  const auto magnitude = static_cast<std::uint64_t>(x.magnitude);
  return (x.negative ? 0 - magnitude : magnitude) & low_bits(destination.bits);
}

/// .sat clamps to [+0, 1] and turns NaN into +0. .relu clamps to at least +0 and keeps NaN.
Number clamp(const Form& form, Number x) {
  const bool below = x.kind != Kind::nan && x.negative;
  if (form.relu && below) return {};
  if (!form.sat) return x;
  if (x.kind == Kind::nan || below) return {};
  const bool above = x.kind == Kind::infinity || exact::encode(exact::f64, x, Rounding::rz) >= bits_of(1.0);
  return above ? exact::from_integer(false, 1) : x;
}

/// Whether .ftz flushes the result: its value, rounded with unbounded exponent, is below 2^-126.
bool is_flushed(const Form& form, const Format& format, Number x) {
  if (!form.ftz || &format != &exact::f32 || x.kind != Kind::finite) return false;
  x.exponent += 64;
  constexpr std::uint64_t limit = std::uint64_t{127 - 126 + 64} << 23;
  return (exact::encode(format, x, form.rounding) & low_bits(31)) < limit;
}

std::uint64_t write_float(const Form& form, const Format& format, const Number& x) {
  const bool integral = form.rounding >= Rounding::rni;
  const Number value =
      clamp(form, integral && x.kind == Kind::finite ? exact::to_integral(x, form.rounding) : x);
  const std::uint64_t bits = exact::encode(format, value, form.rounding, form.satfinite);
  if (is_flushed(form, format, value)) return sign_of(format, bits);
  return &format == &exact::tf32 ? bits << tf32_unused : bits;
}

/// The same NaN in another format, made quiet: keeps the sign and the upper payload bits.
std::uint64_t reformat_nan(const Format& to, const Format& from, std::uint64_t bits) {
  const std::uint64_t sign = sign_of(from, bits) != 0 ? std::uint64_t{1} << (to.bits() - 1) : 0;
  const std::uint64_t fraction = bits & low_bits(from.fraction_bits);
  const std::uint64_t payload = to.fraction_bits > from.fraction_bits
                                    ? fraction << (to.fraction_bits - from.fraction_bits)
                                    : fraction >> (from.fraction_bits - to.fraction_bits);
  return sign | to.overflow | std::uint64_t{1} << (to.fraction_bits - 1) | payload;
}

/// NaNs in conversions between float formats. f64 preserves the payload, in both directions. .rna to tf32
/// truncates the payload like fraction bits, as an H200 does, and its .satfinite gives the next lower code.
/// .ftz and conversions between narrower formats give the canonical NaN, which f64 represents as that of f32.
/// Returns std::nullopt if the conversion gives the canonical NaN or the value is not a float NaN.
std::optional<std::uint64_t> convert_nan(const Form& form, const Shape& destination, const Shape& source,
                                         std::uint64_t bits) {
  if (destination.format == nullptr || source.format == nullptr || form.sat) return std::nullopt;
  if (exact::decode(*source.format, bits & low_bits(source.bits)).kind != Kind::nan) return std::nullopt;
  if (form.type == tf32 && form.rounding == Rounding::rna)
    return ((bits >> tf32_unused) - (form.satfinite ? 1 : 0)) << tf32_unused;
  const bool from_f32 = source.format == &exact::f32;
  if (from_f32 && form.ftz) bits = f32_nan;
  if (source.format == &exact::f64 || destination.format == &exact::f64)
    return reformat_nan(*destination.format, *source.format, bits);
  return std::nullopt;
}

/// Converts one value.
std::uint64_t convert_value(const Form& form, const Shape& destination, const Shape& source,
                            std::uint64_t bits) {
  if (const auto nan = convert_nan(form, destination, source, bits)) return *nan;
  const Number x = read(form, source, bits);
  if (destination.format != nullptr) return write_float(form, *destination.format, x);
  if (source.format == nullptr && !form.sat) return write_low_bits(destination, x);
  return write_integer(destination, source, x, form.rounding);
}

/// Converts a, and for a pair of f32 also b: the first operand becomes the high half.
std::uint64_t convert_bits(const Form& form, std::uint64_t a, std::uint64_t b) {
  const Shape destination = shape_of(form.type), source = shape_of(form.type2);
  if (!destination.pair) return convert_value(form, destination, source, a);
  const std::uint64_t low_source = source.pair ? a : b, high_source = source.pair ? a >> source.bits : a;
  const std::uint64_t low = convert_value(form, destination, source, low_source);
  const std::uint64_t high = convert_value(form, destination, source, high_source);
  return low | high << destination.bits;
}

/// Loads a column of `bytes` bytes, zero-extended; store_column stores one.
std::uint64_t load_column(const std::byte* row, unsigned lane, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, row + lane * bytes, bytes);
  return value;
}
void store_column(std::byte* row, unsigned lane, unsigned bytes, std::uint64_t value) {
  std::memcpy(row + lane * bytes, &value, bytes);
}

/// Register widths in bytes: those of the types, unless fit_registers set others.
unsigned destination_bytes(const Form& form) {
  return form.destination_bytes != 0 ? form.destination_bytes : bytes_of(form.type);
}
unsigned source_bytes(const Form& form) {
  return form.source_bytes != 0 ? form.source_bytes : bytes_of(form.type2);
}

/// The low bits of a value, sign- or zero-extended to 64 bits according to its type.
std::uint64_t extend(Type type, std::uint64_t value) {
  const unsigned unused = 64 - isa::bits_of(type);
  const std::uint64_t top = value << unused;
  return is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> unused)
                         : top >> unused;
}

/// The general conversion, lane by lane.
void run_cvt(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const Form& form = *instruction.form;
  const auto& operand = instruction.operand;
  const unsigned to = destination_bytes(form), from = source_bytes(form);
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t a = load_column(frame + operand[1], lane, from);
    const std::uint64_t b = operand[2] == no_operand ? 0 : load_column(frame + operand[2], lane, from);
    store_column(frame + operand[0], lane, to, extend(form.type, convert_bits(form, a, b)));
  });
}

/// Integer to integer between registers of any width: extended according to the source type, then according
/// to the destination type.
void run_integer_cvt(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const Form& form = *instruction.form;
  std::uint64_t value[warp_size];
  lanes::with_size(source_bytes(form), [&]<class Column>(Column) {
    std::copy_n(row<Column>(frame, instruction.operand[1]), warp_size, value);
  });
  for (auto& x : value) x = extend(form.type, extend(form.type2, x));
  lanes::with_size(destination_bytes(form), [&]<class Column>(Column) {
    Column narrow[warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) narrow[lane] = static_cast<Column>(value[lane]);
    lanes::blend(row<Column>(frame, instruction.operand[0]), narrow, lanes);
  });
}

bool registers_fit_types(const Form& form) {
  return destination_bytes(form) == bytes_of(form.type) && source_bytes(form) == bytes_of(form.type2);
}

/// Fast paths for the conversions that kernels use most.
Compute fast_cvt(const Form& form) {
  struct Fast {
    Type to, from;
    Rounding rounding;
    Compute compute;
  };
  static const Fast table[] = {
      {f32, s32, Rounding::rn, columns<&cast<float, std::int32_t>>},
      {f32, u32, Rounding::rn, columns<&convert::f32_from_u32>},
      {f64, s32, Rounding::rn, columns<&cast<double, std::int32_t>>},
      {f64, u32, Rounding::rn, columns<&cast<double, std::uint32_t>>},
      {s32, f32, Rounding::rzi, columns<&convert::s32_from_f32>},
      {u32, f32, Rounding::rzi, columns<&convert::u32_from_f32>},
      {f64, f32, Rounding::none, columns<&cast<double, float>>},
      {f32, f64, Rounding::rn, columns<&cast<float, double>>},
      {f32, f16, Rounding::none, columns<&convert::f32_from_f16>},
      {f32, bf16, Rounding::none, columns<&convert::f32_from_bf16>},
      {f32, bf16, Rounding::rn, columns<&convert::f32_from_bf16>},  // exact in every mode
      {f32, bf16, Rounding::rz, columns<&convert::f32_from_bf16>},
      {f32, bf16, Rounding::rm, columns<&convert::f32_from_bf16>},
      {f32, bf16, Rounding::rp, columns<&convert::f32_from_bf16>},
      {f32, f32, Rounding::none, columns<&cast<std::uint32_t, std::uint32_t>>},
      {f64, f64, Rounding::none, columns<&cast<std::uint64_t, std::uint64_t>>},
      {f16, f32, Rounding::rn, columns<&narrow<Half>>},
      {bf16, f32, Rounding::rn, columns<&narrow<Bfloat>>},
      {f16x2, f32, Rounding::rn, columns<&convert::pair_from_f32<Half>>},
      {bf16x2, f32, Rounding::rn, columns<&convert::pair_from_f32<Bfloat>>},
  };
  if (form.ftz || form.sat || form.relu || form.satfinite || !registers_fit_types(form)) return nullptr;
  for (const Fast& fast : table)
    if (fast.to == form.type && fast.from == form.type2 && fast.rounding == form.rounding)
      return fast.compute;
  return nullptr;
}

Compute integer_cvt(const Form& form) {
  if (!registers_fit_types(form)) return &run_integer_cvt;
  return choose_type<u8, u16, u32, u64, s8, s16, s32, s64>(form.type, [&]<Type d> {
    return choose_type<u8, u16, u32, u64, s8, s16, s32, s64>(
        form.type2, []<Type s> { return columns<&cast<Value<d>, Value<s>>>; });
  });
}

/// Whether the rounding modifier is valid: present where the ISA requires one, absent where it does not allow
/// one.
bool rounding_exists(const Form& form) {
  const Shape to = shape_of(form.type), from = shape_of(form.type2);
  const bool given = form.rounding != Rounding::none, integral = form.rounding >= Rounding::rni;
  if (to.format == nullptr) return from.format == nullptr ? !given : integral;
  if (from.format == nullptr) return given && !integral;
  if (form.type == form.type2) return !given || integral;
  const bool widening = to.format->fraction_bits >= from.format->fraction_bits &&
                        to.format->exponent_bits >= from.format->exponent_bits;
  return widening || (given && !integral);
}

bool has_f32(const Form& form) { return form.type == f32 || form.type2 == f32; }

/// The 8-bit code of a power of two for the magnitude of an f32: 2^(e − 127). 255 is NaN, and without
/// .satfinite also anything above 2^127.
std::uint64_t encode_scale(float x, Rounding rounding, bool satfinite) {
  const std::uint32_t magnitude = isa::bits_of(x) & ~f32_sign;
  if (x != x) return 0xFF;
  constexpr std::uint32_t half_of_smallest = 0x00400000;  // 2^-127, the value of code 0
  const std::uint32_t truncated = magnitude >> 23;
  const bool above = (magnitude & 0x007FFFFF) != 0 && magnitude > half_of_smallest;
  const std::uint32_t code = truncated + (rounding == Rounding::rp && above ? 1 : 0);
  return satfinite && code >= 0xFF ? 0xFE : code;
}
/// 2^-127 is subnormal in bf16.
std::uint64_t decode_scale(std::uint64_t code) {
  return code == 0xFF ? half_nan : code == 0 ? 0x0040 : code << 7;
}

void run_scale(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const Form& form = *instruction.form;
  const auto& operand = instruction.operand;
  std::byte* d = frame + operand[0];
  for_lanes(lanes, [&](unsigned lane) {
    if (form.type == bf16x2) {
      const std::uint64_t codes = load_column(frame + operand[1], lane, 2);
      return store_column(d, lane, 4, decode_scale(codes & 0xFF) | decode_scale(codes >> 8) << 16);
    }
    const std::uint32_t first = row<std::uint32_t>(frame, operand[1])[lane];
    const bool pair = form.type2 == bf16x2;
    const std::uint32_t high = pair ? first & 0xFFFF0000u : first;
    const std::uint32_t low = pair ? first << 16 : row<std::uint32_t>(frame, operand[2])[lane];
    const auto encode = [&](std::uint32_t bits) {
      return encode_scale(std::bit_cast<float>(bits), form.rounding, form.satfinite);
    };
    store_column(d, lane, 2, encode(low) | encode(high) << 8);
  });
}

/// cvt.pack: a and b clamped to the width of T, b in the lowest bits; the optional third operand is shifted
/// in above them.
void run_pack(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const Form& form = *instruction.form;
  const auto& operand = instruction.operand;
  const unsigned bits = isa::bits_of(form.type);
  const bool negative = is_signed(form.type) || form.type == s4 || form.type == s2;
  const std::int32_t least = negative ? -(1 << (bits - 1)) : 0,
                     most = (1 << (negative ? bits - 1 : bits)) - 1;
  const auto clamped = [&](std::int32_t x) {
    return static_cast<std::uint32_t>(std::clamp(x, least, most)) &
           static_cast<std::uint32_t>(low_bits(bits));
  };
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint32_t high = clamped(row<std::int32_t>(frame, operand[1])[lane]);
    const std::uint32_t low = clamped(row<std::int32_t>(frame, operand[2])[lane]);
    const std::uint32_t above =
        operand[3] == no_operand ? 0 : row<std::uint32_t>(frame, operand[3])[lane] << (2 * bits);
    row<std::uint32_t>(frame, operand[0])[lane] = above | high << bits | low;
  });
}

}  // namespace

bool cvt_scale(Form& form) {
  const bool to_scale = form.type == ue8m0x2;
  if (to_scale && form.rounding != Rounding::rz && form.rounding != Rounding::rp) return false;
  return computed(form, &run_scale);
}
bool cvt_pack(Form& form) { return computed(form, &run_pack); }

bool cvt(Form& form) {
  if (!rounding_exists(form) || (form.ftz && !has_f32(form))) return false;
  if (form.sat && (form.type == bf16 || form.type2 == bf16)) return false;
  if (form.relu && form.rounding == Rounding::rna) return false;
  const bool integers = shape_of(form.type).format == nullptr && shape_of(form.type2).format == nullptr;
  if (integers && !form.sat) return computed(form, integer_cvt(form));
  const Compute fast = fast_cvt(form);
  return computed(form, fast ? fast : &run_cvt);
}

}  // namespace foldproof::isa::select
