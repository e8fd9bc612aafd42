// f32, f64 and f32x2 arithmetic, ISA 9.7.3, in every rounding mode and with every modifier.
#include <bit>
#include <cmath>

#include "catch.h"
#include "devices/emulated/isa/float.h"
#include "oracle.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace {

const Format& f32 = f32_format;
const Format& f64 = f64_format;
const Format f32_unbounded = f32.unbounded();

constexpr std::size_t pair_edges = 20, triple_edges = 9;

Columns f32_pairs() { return crossed({f32s(1), f32s(2)}, pair_edges); }
Columns f32_triples() { return crossed({f32s(1), f32s(2), f32s(3)}, triple_edges); }
Columns f64_pairs() { return crossed({f64s(1), f64s(2)}, pair_edges); }
Columns f64_triples() { return crossed({f64s(1), f64s(2), f64s(3)}, triple_edges); }

/// .sat: [+0, 1]; NaN and −0 give +0.
Value saturated(Value x) {
  if (f32.is_nan(x) || f32.is_negative(x)) return 0;
  return x > 0x3F800000 ? 0x3F800000 : x;
}

/// The operation of a format with the modifiers .ftz and .sat. `oracle` returns the operation for a format.
template <class F>
Value modified(F oracle, const Column& operands, Mode mode, bool ftz, bool sat) {
  Column in = operands, wide;
  for (Value& value : in) {
    if (ftz) value = f32.flushed(value);
    wide.push_back(reformat(f32, f32_unbounded, value, mode));
  }
  Value result = oracle(f32)(in, mode);
  if (ftz) result = flushed_result(f32, result, oracle(f32_unbounded)(wide, mode));
  return sat ? saturated(result) : result;
}

/// Checks op.mode{.ftz}{.sat}.f32 for all modes and modifiers.
template <class F>
void check_f32(const std::string& opcode, const Columns& operands, bool has_sat, F oracle) {
  for (const auto& [word, mode] : modes)
    for (const bool ftz : {false, true})
      for (const bool sat : {false, true}) {
        if (sat && !has_sat) continue;
        const std::string text = opcode + "." + word + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32";
        check(text, operands, [&, m = mode](const Column& x) { return modified(oracle, x, m, ftz, sat); });
      }
}
template <class F>
void check_f64(const std::string& opcode, const Columns& operands, F oracle) {
  for (const auto& [word, mode] : modes)
    check(opcode + "." + word + ".f64", operands, [&, m = mode](const Column& x) { return oracle(x, m); });
}

const auto add = [](const Format& f) {
  return [&f](const Column& x, Mode mode) { return sum(f, x[0], x[1], mode); };
};
const auto subtract = [](const Format& f) {
  return [&f](const Column& x, Mode mode) {
    // A NaN subtrahend keeps its sign.
    return sum(f, x[0], f.is_nan(x[1]) ? x[1] : x[1] ^ f.sign(), mode);
  };
};
const auto multiply = [](const Format& f) {
  return [&f](const Column& x, Mode mode) { return product(f, x[0], x[1], mode); };
};
const auto fuse = [](const Format& f) {
  return [&f](const Column& x, Mode mode) { return fused(f, x[0], x[1], x[2], mode); };
};
const auto invert = [](const Format& f) {
  return [&f](const Column& x, Mode mode) {
    const Value one = static_cast<Value>(f.bias()) << f.fraction_bits;
    return quotient(f, one, x[0], mode);
  };
};
const auto root = [](const Format& f) {
  return [&f](const Column& x, Mode mode) { return square_root(f, x[0], mode); };
};
const auto divide = [](const Format& f) {
  return [&f](const Column& x, Mode mode) { return quotient(f, x[0], x[1], mode); };
};

TEST_CASE("add, sub and mul of f32 round as their modifier says", "[float]") {
  check_f32("add", f32_pairs(), true, add);
  check_f32("sub", f32_pairs(), true, subtract);
  check_f32("mul", f32_pairs(), true, multiply);
}

TEST_CASE("fma and mad of f32 round once", "[float]") {
  check_f32("fma", f32_triples(), true, fuse);
  check_f32("mad", f32_triples(), true, fuse);
}

TEST_CASE("fma without the processor's fused multiply-add gives the same bits", "[float]") {
  const Columns operands = f32_triples();
  for (std::size_t i = 0; i < operands[0].size(); ++i) {
    const auto number = [&](std::size_t k) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(operands[k][i]));
    };
    const float result = isa::canonical(isa::f32::fma<isa::Rounding::rn>(number(0), number(1), number(2)));
    REQUIRE(isa::bits_of(result) ==
            fused(f32, operands[0][i], operands[1][i], operands[2][i], Mode::nearest_even));
  }
}

TEST_CASE("fma of f32 is exact where the double sum would be a tie", "[float]") {
  // (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24: halfway between two f32; adding 2^-80 as c breaks the tie.
  const Value x = 0x3F800800, tiny = 0x17800000;
  CHECK(run_one("fma.rn.f32", {x, x, 0}) == 0x3F801000);
  CHECK(run_one("fma.rn.f32", {x, x, tiny}) == 0x3F801001);
  CHECK(run_one("fma.rn.f32", {x, x, tiny | 0x80000000}) == 0x3F801000);
}

TEST_CASE("div, rcp and sqrt of f32 are correctly rounded", "[float]") {
  check_f32("div", f32_pairs(), false, divide);
  check_f32("rcp", {f32s(1)}, false, invert);
  check_f32("sqrt", {f32s(1)}, false, root);
}

TEST_CASE("f64 arithmetic rounds as its modifier says and propagates NaN payloads", "[float]") {
  check_f64("add", f64_pairs(), add(f64));
  check_f64("sub", f64_pairs(), subtract(f64));
  check_f64("mul", f64_pairs(), multiply(f64));
  check_f64("fma", f64_triples(), fuse(f64));
  check_f64("mad", f64_triples(), fuse(f64));
  check_f64("div", f64_pairs(), divide(f64));
  check_f64("rcp", {f64s(1)}, invert(f64));
  check_f64("sqrt", {f64s(1)}, root(f64));
  CHECK(run_one("add.f64", {0x7FF0000000000123, 0xFFF8000000000456}) == 0xFFF8000000000456);
}

TEST_CASE("a product that alone would overflow does not cancel an infinity", "[float]") {
  constexpr Value largest = 0x7FEFFFFFFFFFFFFF, minus_largest = 0xFFEFFFFFFFFFFFFF,
                  infinity = 0x7FF0000000000000;
  for (const std::string mode : {"rn", "rz", "rm", "rp"})
    CHECK(run_one("fma." + mode + ".f64", {minus_largest, largest, infinity}) == infinity);
}

TEST_CASE("without a rounding modifier, results are rounded to nearest", "[float]") {
  for (const std::string op : {"add", "sub", "mul"})
    for (const std::string type : {".f32", ".f64"}) {
      const Columns operands = type == ".f32" ? f32_pairs() : f64_pairs();
      CHECK(run(op + type, operands) == run(op + ".rn" + type, operands));
    }
}

TEST_CASE("f32x2 computes each half separately", "[float]") {
  const auto pair = [](unsigned seed) {
    const Column low = f32s(seed), high = f32s(seed + 10);
    Column result;
    for (std::size_t i = 0; i < low.size(); ++i) result.push_back(low[i] | high[i] << 32);
    return result;
  };
  const Columns operands{pair(1), pair(2), pair(3)};
  const auto halves = [](auto oracle, bool ftz, Mode mode) {
    return [=](const Column& x) {
      Value result = 0;
      for (const unsigned shift : {0u, 32u}) {
        Column half;
        for (const Value value : x) half.push_back(value >> shift & 0xFFFFFFFF);
        result |= modified(oracle, half, mode, ftz, false) << shift;
      }
      return result;
    };
  };
  const Columns two{operands[0], operands[1]};
  for (const auto& [word, mode] : modes)
    for (const bool ftz : {false, true}) {
      const std::string suffix = std::string(".") + word + (ftz ? ".ftz" : "") + ".f32x2";
      check("add" + suffix, two, halves(add, ftz, mode));
      check("sub" + suffix, two, halves(subtract, ftz, mode));
      check("mul" + suffix, two, halves(multiply, ftz, mode));
      check("fma" + suffix, operands, halves(fuse, ftz, mode));
    }
}

/// The ISA's rule for min and max; `less` is the order of numbers with −0 below +0.
Value extremum(const Format& f, Value a, Value b, bool want_min, bool nan_wins) {
  if (f.is_nan(a) || f.is_nan(b)) {
    if (nan_wins || (f.is_nan(a) && f.is_nan(b))) return f.nan;
    return f.is_nan(a) ? b : a;
  }
  const auto key = [&](Value x) {
    return f.is_negative(x) ? -static_cast<std::int64_t>(x ^ f.sign()) - 1 : static_cast<std::int64_t>(x);
  };
  return (key(a) < key(b)) == want_min ? a : b;
}

TEST_CASE("min and max of f32 with NaN, signed zeros, .ftz, .NaN and .xorsign.abs", "[float]") {
  for (const bool want_min : {true, false})
    for (const bool ftz : {false, true})
      for (const bool nan : {false, true})
        for (const bool xorsign : {false, true}) {
          const std::string text = std::string(want_min ? "min" : "max") + (ftz ? ".ftz" : "") +
                                   (nan ? ".NaN" : "") + (xorsign ? ".xorsign.abs" : "") + ".f32";
          check2(text, f32_pairs(), [=](Value a, Value b) {
            if (ftz) a = f32.flushed(a), b = f32.flushed(b);
            const Value sign = (a ^ b) & f32.sign();
            if (xorsign) a &= ~f32.sign(), b &= ~f32.sign();
            const Value result = extremum(f32, a, b, want_min, nan);
            return xorsign && !f32.is_nan(result) ? result | sign : result;
          });
        }
}

TEST_CASE("min and max of three f32", "[float]") {
  for (const bool want_min : {true, false})
    for (const bool nan : {false, true})
      for (const bool abs : {false, true}) {
        const std::string text =
            std::string(want_min ? "min" : "max") + (nan ? ".NaN" : "") + (abs ? ".abs" : "") + ".f32";
        check3(text, f32_triples(), [=](Value a, Value b, Value c) {
          const Value mask = abs ? ~f32.sign() : ~Value{0};
          return extremum(f32, extremum(f32, a & mask, b & mask, want_min, nan), c & mask, want_min, nan);
        });
      }
}

TEST_CASE("min and max of f64 return the number if one operand is NaN", "[float]") {
  for (const bool want_min : {true, false})
    check2(want_min ? "min.f64" : "max.f64", f64_pairs(), [=](Value a, Value b) {
      if (f64.is_nan(a) && f64.is_nan(b)) return b | 0x0008000000000000;
      return extremum(f64, a, b, want_min, false);
    });
  CHECK_FALSE(exists("min.ftz.f64"));
}

TEST_CASE("abs, neg and copysign change only the sign; abs and neg make NaNs canonical or quiet", "[float]") {
  for (const bool ftz : {false, true}) {
    const std::string f = ftz ? ".ftz.f32" : ".f32";
    const auto in = [=](Value a) { return ftz ? f32.flushed(a) : a; };
    check1("abs" + f, {f32s(1)}, [=](Value a) { return f32.is_nan(a) ? f32.nan : in(a)&0x7FFFFFFF; });
    check1("neg" + f, {f32s(1)}, [=](Value a) { return f32.is_nan(a) ? f32.nan : in(a) ^ 0x80000000; });
  }
  const auto quiet = [](Value a) { return a | 0x0008000000000000; };
  check1("abs.f64", {f64s(1)}, [&](Value a) { return f64.is_nan(a) ? quiet(a) : a & ~f64.sign(); });
  check1("neg.f64", {f64s(1)}, [&](Value a) { return f64.is_nan(a) ? quiet(a) : a ^ f64.sign(); });
  check2("copysign.f32", f32_pairs(), [](Value a, Value b) { return (a & f32.sign()) | (b & ~f32.sign()); });
  check2("copysign.f64", f64_pairs(), [](Value a, Value b) { return (a & f64.sign()) | (b & ~f64.sign()); });
}

TEST_CASE(".ftz flushes a result that rounds up to the smallest normal number", "[float]") {
  // (1 − 2^-24) 2^e times 2^(−126−e), and neighbours: exact results on both sides of 2^-126.
  Columns operands(3);
  for (Value e = 30; e < 200; ++e)
    for (const Value low : {0x7FFFFCu, 0x7FFFFEu, 0x7FFFFFu, 0u, 1u})
      for (const Value addend : {0u, 1u, 0x80000001u, 0x00800000u, 0x80FFFFFEu}) {
        if (e > 127) continue;
        operands[0].push_back(e << 23 | low | (e % 2 != 0 ? f32.sign() : 0));
        operands[1].push_back((127 - e + low % 2) << 23 | e % 3);
        operands[2].push_back(addend);
      }
  check_f32("mul", {operands[0], operands[1]}, true, multiply);
  check_f32("fma", operands, true, fuse);
  check_f32("div", {operands[2], operands[1]}, false, divide);
  CHECK(run_one("mul.rn.ftz.f32", {0x3F7FFFFF, 0x00800000}) == 0);
  CHECK(run_one("mul.rn.f32", {0x3F7FFFFF, 0x00800000}) == 0x00800000);
}

TEST_CASE("testp classifies numbers and counts zeros as normal", "[float]") {
  const auto check_type = [](const std::string& type, const Format& f, const Column& values) {
    const auto subnormal = [&f](Value a) { return (a & f.infinity()) == 0 && !f.is_zero(a); };
    check1("testp.finite" + type, {values}, [&](Value a) { return f.is_finite(a); });
    check1("testp.infinite" + type, {values}, [&](Value a) { return f.is_infinite(a); });
    check1("testp.number" + type, {values}, [&](Value a) { return !f.is_nan(a); });
    check1("testp.notanumber" + type, {values}, [&](Value a) { return f.is_nan(a); });
    check1("testp.subnormal" + type, {values}, subnormal);
    check1("testp.normal" + type, {values}, [&](Value a) { return f.is_finite(a) && !subnormal(a); });
  };
  check_type(".f32", f32, f32s(1));
  check_type(".f64", f64, f64s(1));
}

}  // namespace
}  // namespace foldproof::tests
