// f16, bf16 and mixed precision, ISA 9.7.4 and 9.7.5, compared with exact rational arithmetic.
#include "catch.h"
#include "oracle.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace {

struct Half {
  std::string type;
  const Format& format;
  bool has_ftz;  ///< and .sat
  Value one;

  Column values(unsigned seed) const { return floats(format.exponent_bits, format.fraction_bits, seed); }
  Columns operands(std::size_t count) const {
    Columns columns;
    for (unsigned k = 0; k < count; ++k) columns.push_back(values(k + 1));
    return crossed(columns, count == 2 ? 32 : 10);
  }
};

const Half f16{"f16", f16_format, true, 0x3C00}, bf16{"bf16", bf16_format, false, 0x3F80};

enum class Clamp { none, sat, relu };

Value clamped(const Half& half, Value x, Clamp clamp) {
  if (clamp == Clamp::none) return x;
  const Format& f = half.format;
  if (f.is_nan(x)) return clamp == Clamp::sat ? 0 : f.nan;
  if (f.is_negative(x)) return 0;
  return clamp == Clamp::sat && x > half.one ? half.one : x;
}

/// Checks an operation on 16-bit floats, as scalars and pairs, with the modifiers that exist.
template <class F>
void check_half(const Half& half, const std::string& opcode, std::size_t count,
                const std::vector<Clamp>& clamps, F oracle) {
  for (const bool ftz : {false, true})
    for (const Clamp clamp : clamps) {
      if (ftz && !half.has_ftz) continue;
      const std::string words = opcode + (ftz ? ".ftz" : "") +
                                (clamp == Clamp::sat    ? ".sat."
                                 : clamp == Clamp::relu ? ".relu."
                                                        : ".");
      const auto expected = [&, ftz, clamp](Column x) {
        for (Value& value : x) value = ftz ? half.format.flushed(value) : value;
        Value result = oracle(half.format, x);
        if (ftz) {
          const Format unbounded = half.format.unbounded();
          for (Value& value : x) value = reformat(half.format, unbounded, value, Mode::nearest_even);
          result = flushed_result(half.format, result, oracle(unbounded, x));
        }
        return clamped(half, result, clamp);
      };
      const Columns operands = half.operands(count);
      check(words + half.type, operands, expected);
      Columns pairs;  // each column paired with itself in reverse order
      for (const Column& column : operands) pairs.push_back(paired(column, {column.rbegin(), column.rend()}));
      check(words + half.type + "x2", pairs, [&](const Column& x) {
        Column low, high;
        for (const Value value : x) low.push_back(value & 0xFFFF), high.push_back(value >> 16);
        return expected(low) | expected(high) << 16;
      });
    }
}

std::vector<Clamp> clamps(const Half& half) {
  return half.has_ftz ? std::vector{Clamp::none, Clamp::sat} : std::vector{Clamp::none};
}

TEST_CASE("add, sub and mul of 16-bit floats round once", "[half]") {
  for (const Half* half : {&f16, &bf16}) {
    for (const std::string rn : {"", ".rn"}) {
      check_half(*half, "add" + rn, 2, clamps(*half),
                 [&](const Format& f, const Column& x) { return sum(f, x[0], x[1], Mode::nearest_even); });
      check_half(*half, "sub" + rn, 2, clamps(*half), [&](const Format& f, const Column& x) {
        return sum(f, x[0], f.is_nan(x[1]) ? x[1] : x[1] ^ f.sign(), Mode::nearest_even);
      });
      check_half(*half, "mul" + rn, 2, clamps(*half), [&](const Format& f, const Column& x) {
        return product(f, x[0], x[1], Mode::nearest_even);
      });
    }
  }
  CHECK_FALSE(exists("add.ftz.bf16"));
  CHECK_FALSE(exists("mul.sat.bf16x2"));
}

TEST_CASE("fma of 16-bit floats rounds once, with .sat or .relu", "[half]") {
  for (const Half* half : {&f16, &bf16}) {
    std::vector<Clamp> with_relu = clamps(*half);
    with_relu.push_back(Clamp::relu);
    check_half(*half, "fma.rn", 3, with_relu, [&](const Format& f, const Column& x) {
      return fused(f, x[0], x[1], x[2], Mode::nearest_even);
    });
  }
}

TEST_CASE("a subnormal bf16 product is not rounded twice", "[half]") {
  // 1.0625 · 2^-126 times 0.53125 · … : the f32 product would be rounded before the bf16 result.
  for (Value a = 0x0080; a < 0x0100; ++a)
    CHECK(run_one("mul.bf16", {a, 0x3E81}) == product(bf16_format, a, 0x3E81, Mode::nearest_even));
}

TEST_CASE("neg and abs are correct for every 16-bit float", "[half]") {
  for (const Half* half : {&f16, &bf16})
    for (const bool ftz : {false, true}) {
      if (ftz && !half->has_ftz) continue;
      const std::string suffix = (ftz ? ".ftz." : ".") + half->type;
      const auto in = [half, ftz](Value a) { return ftz ? half->format.flushed(a) : a; };
      const Format& f = half->format;
      const auto neg = [&](Value a) { return f.is_nan(a) ? f.nan : in(a) ^ 0x8000; };
      const auto abs = [&](Value a) { return f.is_nan(a) ? f.nan : in(a)&0x7FFF; };
      check1("neg" + suffix, {all_16_bits()}, neg);
      check1("abs" + suffix, {all_16_bits()}, abs);
      const Column pairs = paired(half->values(1), half->values(2));
      check1("neg" + suffix + "x2", {pairs}, [&](Value a) { return neg(a & 0xFFFF) | neg(a >> 16) << 16; });
      check1("abs" + suffix + "x2", {pairs}, [&](Value a) { return abs(a & 0xFFFF) | abs(a >> 16) << 16; });
    }
}

TEST_CASE("min and max of 16-bit floats", "[half]") {
  for (const Half* half : {&f16, &bf16})
    for (const bool want_min : {true, false})
      for (const bool nan_wins : {false, true})
        for (const bool xorsign : {false, true}) {
          const std::string opcode = std::string(want_min ? "min" : "max") + (nan_wins ? ".NaN" : "") +
                                     (xorsign ? ".xorsign.abs" : "");
          check_half(*half, opcode, 2, {Clamp::none},
                     [&, want_min, nan_wins, xorsign](const Format& f, const Column& x) {
                       const Value sign = xorsign ? (x[0] ^ x[1]) & f.sign() : 0;
                       const Value mask = xorsign ? ~f.sign() : ~Value{0};
                       const Value a = x[0] & mask, b = x[1] & mask;
                       if (f.is_nan(a) || f.is_nan(b)) {
                         if (nan_wins || (f.is_nan(a) && f.is_nan(b))) return f.nan;
                         return (f.is_nan(a) ? b : a) | sign;
                       }
                       const bool a_below = f.is_negative(a) != f.is_negative(b)
                                                ? f.is_negative(a)
                                                : (a < b) != f.is_negative(a);
                       return (a_below == want_min ? a : b) | sign;
                     });
        }
}

TEST_CASE("mixed precision uses 16-bit operands in f32 operations", "[half]") {
  for (const Half* half : {&f16, &bf16})
    for (const auto& [word, mode] : modes)
      for (const bool sat : {false, true}) {
        const std::string suffix = std::string(".") + word + (sat ? ".sat" : "") + ".f32." + half->type;
        const Column a = half->values(1), b = half->values(2), c = f32s(3);
        const auto out = [&](Value x) {
          if (!sat) return x;
          return f32_format.is_nan(x) || f32_format.is_negative(x) ? Value{0}
                                                                   : std::min<Value>(x, 0x3F800000);
        };
        const auto wide = [&](Value x) { return reformat(half->format, f32_format, x, Mode::zero); };
        check2("add" + suffix, {a, c},
               [&, m = mode](Value x, Value y) { return out(sum(f32_format, wide(x), y, m)); });
        check2("sub" + suffix, {a, c}, [&, m = mode](Value x, Value y) {
          return out(sum(f32_format, wide(x), f32_format.is_nan(y) ? y : y ^ f32_format.sign(), m));
        });
        check3("fma" + suffix, {a, b, c}, [&, m = mode](Value x, Value y, Value z) {
          return out(fused_into(half->format, f32_format, x, y, z, m));
        });
      }
}

}  // namespace
}  // namespace foldproof::tests
