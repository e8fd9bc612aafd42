// cvt between numbers, ISA 9.7.9.21: all pairs of types, all roundings, .ftz, .sat, and registers of every
// width.
#include "catch.h"
#include "oracle.h"
#include "row_coverage.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace {

namespace mp = boost::multiprecision;

struct Number {
  std::string name;
  unsigned bits;
  const Format* format;  ///< null: an integer
  bool is_signed;

  Column values(unsigned seed) const {
    return format ? floats(format->exponent_bits, format->fraction_bits, seed) : integers(bits, seed);
  }
  mp::cpp_int lowest() const {
    return is_signed ? mp::cpp_int(-(mp::cpp_int(1) << (bits - 1))) : mp::cpp_int(0);
  }
  mp::cpp_int highest() const { return (mp::cpp_int(1) << (is_signed ? bits - 1 : bits)) - 1; }
  Value cut(const mp::cpp_int& x) const {
    const mp::cpp_int modulus = mp::cpp_int(1) << bits;
    return static_cast<Value>(((x % modulus) + modulus) % modulus);
  }
  mp::cpp_int read(Value x) const {
    const bool negative = is_signed && (x >> (bits - 1)) != 0;
    return negative ? mp::cpp_int(x) - (mp::cpp_int(1) << bits) : mp::cpp_int(x);
  }
  mp::cpp_int clamp(const mp::cpp_int& x) const {
    return x < lowest() ? lowest() : x > highest() ? highest() : x;
  }
};

const std::vector<Number> integer_types{{"u8", 8, nullptr, false},   {"u16", 16, nullptr, false},
                                        {"u32", 32, nullptr, false}, {"u64", 64, nullptr, false},
                                        {"s8", 8, nullptr, true},    {"s16", 16, nullptr, true},
                                        {"s32", 32, nullptr, true},  {"s64", 64, nullptr, true}};
const std::vector<Number> float_types{{"f16", 16, &f16_format, true},
                                      {"bf16", 16, &bf16_format, true},
                                      {"f32", 32, &f32_format, true},
                                      {"f64", 64, &f64_format, true}};

const std::vector<std::pair<std::string, Mode>> integer_modes{
    {".rni", Mode::nearest_even}, {".rzi", Mode::zero}, {".rmi", Mode::down}, {".rpi", Mode::up}};

std::string name(const std::string& modifiers, const Number& to, const Number& from) {
  return "cvt" + modifiers + "." + to.name + "." + from.name;
}

/// .ftz applies to the f32 side of a conversion.
Value flushed(bool ftz, const Number& type, Value x) {
  return ftz && type.bits == 32 && type.format ? f32_format.flushed(x) : x;
}

TEST_CASE("integers convert by their low bits, or are clamped with .sat", "[convert]") {
  for (const Number& to : integer_types)
    for (const Number& from : integer_types) {
      check1(name("", to, from), {from.values(1)}, [&](Value x) { return to.cut(from.read(x)); });
      check1(name(".sat", to, from), {from.values(1)},
             [&](Value x) { return to.cut(to.clamp(from.read(x))); });
    }
  CHECK_FALSE(exists("cvt.rn.s32.s64"));
}

TEST_CASE("in wider registers, the source's low bits count and the result is extended by its type",
          "[convert]") {
  for (const Number& to : integer_types)
    for (const Number& from : integer_types)
      for (const unsigned to_bytes : {1u, 2u, 4u, 8u})
        for (const unsigned from_bytes : {1u, 2u, 4u, 8u}) {
          isa::Form form = form_of(name("", to, from));
          const bool fits = to_bytes * 8 >= to.bits && from_bytes * 8 >= from.bits;
          REQUIRE(isa::fit_registers(form, to_bytes, from_bytes) == fits);
          if (!fits) continue;
          const Number wide{"", 8 * to_bytes, nullptr, to.is_signed};
          check(form, name("", to, from), {integers(8 * from_bytes, 3)}, [&](const Column& x) {
            const Value low = from.cut(mp::cpp_int(x[0]));
            return wide.cut(to.read(to.cut(from.read(low))));
          });
        }
}

TEST_CASE("wider registers hold f16 and fp8 bits zero-extended", "[convert]") {
  isa::Form form = form_of("cvt.rn.f16.f32");
  REQUIRE(isa::fit_registers(form, 4, 4));
  check(form, "cvt.rn.f16.f32 into 32 bits", {{0x3F800000, 0xBF800000}},
        [](const Column& x) { return x[0] >> 31 != 0 ? 0xBC00 : 0x3C00; });
  form = form_of("cvt.f32.f16");
  REQUIRE(isa::fit_registers(form, 4, 4));
  check(form, "cvt.f32.f16 from 32 bits", {{0xABCD3C00}}, [](const Column&) { return 0x3F800000; });
}

TEST_CASE("floats convert to clamped integers; NaN gives 0, or the highest bit if either type has 64 bits",
          "[convert]") {
  for (const Number& to : integer_types)
    for (const Number& from : float_types)
      for (const auto& [word, mode] : integer_modes)
        for (const bool ftz : {false, true}) {
          if (ftz && from.name != "f32") continue;
          check1(name(word + (ftz ? ".ftz" : ""), to, from), {from.values(1)},
                 [&, f = ftz, m = mode](Value bits) {
                   const Value x = flushed(f, from, bits);
                   if (from.format->is_nan(x))
                     return from.bits == 64 || to.bits == 64 ? Value{1} << (to.bits - 1) : Value{0};
                   if (from.format->is_infinite(x))
                     return to.cut(from.format->is_negative(x) ? to.lowest() : to.highest());
                   return to.cut(to.clamp(round_to_integer(value_of(*from.format, x), m)));
                 });
        }
  CHECK_FALSE(exists("cvt.s32.f32"));
  CHECK_FALSE(exists("cvt.rn.s32.f32"));
}

TEST_CASE("integers convert to floats with correct rounding", "[convert]") {
  for (const Number& to : float_types)
    for (const Number& from : integer_types)
      for (const auto& [word, mode] : modes)
        check1(name(std::string(".") + word, to, from), {from.values(1)},
               [&, m = mode](Value x) { return round(*to.format, Rational(from.read(x)), m); });
  CHECK_FALSE(exists("cvt.f32.s32"));
}

Value saturated_value(const Format& f, Value x) {
  const Value one = static_cast<Value>(f.bias()) << f.fraction_bits;
  return f.is_nan(x) || f.is_negative(x) ? 0 : std::min(x, one);
}

/// From and to f64, a NaN keeps its sign and the upper bits of its payload and becomes quiet; .ftz first
/// makes an f32 NaN canonical. bf16 widens to f32 bit by bit. All other conversions give the canonical NaN.
Value converted_nan(const Number& to, const Number& from, Value bits, bool ftz) {
  const Format &f = *from.format, &t = *to.format;
  if (from.name == "bf16" && to.name == "f32" && !ftz) return bits << 16;
  if (from.bits != 64 && to.bits != 64) return t.nan;
  if (from.name == "f32" && ftz) bits = f.nan;
  const Value fraction = bits & ((Value{1} << f.fraction_bits) - 1),
              quiet = Value{1} << (t.fraction_bits - 1);
  const Value payload = t.fraction_bits > f.fraction_bits ? fraction << (t.fraction_bits - f.fraction_bits)
                                                          : fraction >> (f.fraction_bits - t.fraction_bits);
  return t.infinity() | quiet | payload | (f.is_negative(bits) ? t.sign() : 0);
}

TEST_CASE("floats convert to floats with correct rounding, .ftz and .sat", "[convert]") {
  for (const Number& to : float_types)
    for (const Number& from : float_types) {
      if (to.name == from.name) continue;
      const bool widens = to.format->fraction_bits >= from.format->fraction_bits &&
                          to.format->exponent_bits >= from.format->exponent_bits;
      for (const auto& [word, mode] : modes)
        for (const bool ftz : {false, true})
          for (const bool sat : {false, true}) {
            if (ftz && to.name != "f32" && from.name != "f32") continue;
            const std::string text =
                name((widens ? "" : std::string(".") + word) + (ftz ? ".ftz" : "") + (sat ? ".sat" : ""), to,
                     from);
            if (sat && (to.name == "bf16" || from.name == "bf16")) {
              CHECK_FALSE(exists(text));
              continue;
            }
            check1(text, {from.values(1)}, [&, f = ftz, s = sat, m = mode](Value bits) {
              const Value x = flushed(f, from, bits);
              if (from.format->is_nan(x) && !s) return converted_nan(to, from, x, f);
              Value result = reformat(*from.format, *to.format, x, m);
              if (f && to.name == "f32")
                result =
                    flushed_result(f32_format, result, reformat(*from.format, f32_format.unbounded(), x, m));
              return s ? saturated_value(*to.format, result) : result;
            });
          }
      CHECK(exists(name("", to, from)) == widens);
    }
}

TEST_CASE("every f16 and bf16 converts exactly to f32 and back", "[convert]") {
  for (const Number& half : {float_types[0], float_types[1]}) {
    check1("cvt.f32." + half.name, {all_16_bits()}, [&](Value x) {
      const bool bits_alone = half.name == "bf16" && half.format->is_nan(x);
      return bits_alone ? x << 16 : reformat(*half.format, f32_format, x, Mode::zero);
    });
    const Column wide = run("cvt.f32." + half.name, {all_16_bits()}).front();
    check1("cvt.rn." + half.name + ".f32", {wide},
           [&](Value x) { return reformat(f32_format, *half.format, x, Mode::zero); });
  }
}

TEST_CASE("a rounding mode does not change the conversion of bf16 to f32, which is exact", "[convert]") {
  for (const std::string mode : {"rn", "rz", "rm", "rp"})
    check1("cvt." + mode + ".f32.bf16", {all_16_bits()}, [](Value x) { return x << 16; });
}

TEST_CASE("conversion to the same type rounds to integral values and applies .sat and .ftz", "[convert]") {
  for (const Number& type : float_types) {
    const Format& f = *type.format;
    for (const auto& [word, mode] : integer_modes)
      check1(name(word, type, type), {type.values(1)}, [&, m = mode](Value x) {
        if (f.is_nan(x)) return type.bits == 64 ? x | 0x0008000000000000 : f.nan;
        if (f.is_infinite(x)) return x;
        return round(f, Rational(round_to_integer(value_of(f, x), m)), Mode::zero, f.is_negative(x));
      });
    if (type.name != "bf16")
      check1(name(".sat", type, type), {type.values(1)}, [&](Value x) { return saturated_value(f, x); });
    // A plain copy of f16 and bf16 makes NaNs canonical, one of f32 and f64 does not.
    check1(name("", type, type), {type.values(1)},
           [&](Value x) { return type.bits == 16 && f.is_nan(x) ? f.nan : x; });
  }
  check1("cvt.ftz.f32.f32", {f32s(1)},
         [](Value x) { return f32_format.is_nan(x) ? f32_format.nan : f32_format.flushed(x); });
  check1("cvt.rmi.ftz.f32.f32", {{0x80000001, 0xBF000000}},
         [](Value x) { return x == 0x80000001 ? 0x80000000 : 0xBF800000; });
  CHECK_FALSE(exists("cvt.rn.f32.f32"));
}

TEST_CASE("f32 converts to f16 and bf16 with .relu and .satfinite, as scalars and pairs", "[convert]") {
  for (const Number& to : {float_types[0], float_types[1]})
    for (const auto& [word, mode] : {modes[0], modes[1]})
      for (const bool relu : {false, true})
        for (const bool satfinite : {false, true}) {
          const Format& f = *to.format;
          const auto expected = [&, m = mode, relu, satfinite](Value x) {
            Value result = reformat(f32_format, f, x, m);
            if (f.is_nan(result)) return result;
            if (relu && f.is_negative(result)) return Value{0};
            if (satfinite && f.is_infinite(result)) --result;
            return result;
          };
          const std::string modifiers =
              std::string("cvt.") + word + (relu ? ".relu" : "") + (satfinite ? ".satfinite." : ".");
          check1(modifiers + to.name + ".f32", {f32s(1)}, expected);
          check2(modifiers + to.name + "x2.f32", {f32s(1), f32s(2)},
                 [&](Value a, Value b) { return expected(a) << 16 | expected(b); });
        }
}

TEST_CASE("tf32 keeps 10 fraction bits", "[convert]") {
  const Format tf32{8, 10, 0x3FFFF};
  for (const auto& [word, mode] :
       {std::pair<const char*, Mode>{"rna", Mode::nearest_away}, modes[0], modes[1]})
    for (const bool relu : {false, true})
      for (const bool satfinite : {false, true}) {
        if (relu && mode == Mode::nearest_away) continue;
        check1(std::string("cvt.") + word + (relu ? ".relu" : "") + (satfinite ? ".satfinite" : "") +
                   ".tf32.f32",
               {f32s(1)}, [&, m = mode, relu, satfinite](Value x) {
                 // As on an H200: .rna truncates a NaN's payload, even if nothing is left of it.
                 if (f32_format.is_nan(x) && m == Mode::nearest_away)
                   return (x & 0xFFFFE000) - (satfinite ? 0x2000 : 0);
                 if (f32_format.is_nan(x)) return Value{0x7FFFE000};
                 if (relu && f32_format.is_negative(x)) return Value{0};
                 const Value result = reformat(f32_format, tf32, x, m);
                 return (satfinite && tf32.is_infinite(result) ? result - 1 : result) << 13;
               });
      }
}

TEST_CASE("cvt.pack clamps and packs", "[convert]") {
  const Columns two{integers(32, 1), integers(32, 2)}, three{two[0], two[1], integers(32, 3)};
  const auto clamped = [](Value x, unsigned bits, bool is_signed) {
    const Number type{"", bits, nullptr, is_signed}, s32{"", 32, nullptr, true};
    return type.cut(type.clamp(s32.read(x)));
  };
  for (const bool is_signed : {false, true}) {
    const std::string letter = is_signed ? "s" : "u";
    check2("cvt.pack.sat." + letter + "16.s32", two,
           [&](Value a, Value b) { return clamped(a, 16, is_signed) << 16 | clamped(b, 16, is_signed); });
    for (const unsigned bits : {8u, 4u, 2u})
      check3("cvt.pack.sat." + letter + std::to_string(bits) + ".s32.b32", three,
             [&](Value a, Value b, Value c) {
               return (c << 2 * bits & 0xFFFFFFFF) | clamped(a, bits, is_signed) << bits |
                      clamped(b, bits, is_signed);
             });
  }
}

}  // namespace
}  // namespace foldproof::tests
