// ISA 9.7.1 without carries. Expected values are exact 128-bit integers, truncated as the ISA says.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "integer_types.h"
#include "row_coverage.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests::exact {
namespace {

const std::vector<IntegerType> all_types{u16, u32, u64, s16, s32, s64};
const std::vector<IntegerType> words{u32, s32}, narrow{u16, u32, s16, s32}, signed_types{s16, s32, s64};

Columns two(const IntegerType& type) { return crossed({integers(type.bits, 1), integers(type.bits, 2)}, 17); }

Exact clamp_s32(Exact x) { return x < -2147483648ll ? -2147483648ll : x > 2147483647 ? 2147483647 : x; }

/// Compares op.type with f of the exact operands for each type.
template <class F>
void check_exact2(const std::string& opcode, const std::vector<IntegerType>& types, F f) {
  for (const IntegerType& type : types)
    check2(opcode + "." + type.name, two(type),
           [&](Value a, Value b) { return type.cut(f(type, type.read(a), type.read(b))); });
}
template <class F>
void check_exact3(const std::string& opcode, const std::vector<IntegerType>& types, F f) {
  for (const IntegerType& type : types)
    check3(opcode + "." + type.name, three(type), [&](Value a, Value b, Value c) {
      return type.cut(f(type, type.read(a), type.read(b), type.read(c)));
    });
}

/// Two independent 16-bit operations.
template <class F>
void check_packed(const std::string& text, const IntegerType& half, F f) {
  check2(text, crossed({integers(32, 1), integers(32, 2)}, 17), [&](Value a, Value b) {
    const Value low = half.cut(f(half.read(a & 0xFFFF), half.read(b & 0xFFFF)));
    return low | half.cut(f(half.read(a >> 16), half.read(b >> 16))) << 16;
  });
}

TEST_CASE("add and sub wrap", "[integer]") {
  check_exact2("add", all_types, [](auto&, Exact a, Exact b) { return a + b; });
  check_exact2("sub", all_types, [](auto&, Exact a, Exact b) { return a - b; });
}

TEST_CASE("add.sat and sub.sat clamp to s32", "[integer]") {
  check_exact2("add.sat", {s32}, [](auto&, Exact a, Exact b) { return clamp_s32(a + b); });
  check_exact2("sub.sat", {s32}, [](auto&, Exact a, Exact b) { return clamp_s32(a - b); });
  CHECK_FALSE(exists("add.sat.u32"));
}

TEST_CASE("packed 16-bit integers compute each half separately", "[integer]") {
  check_packed("add.u16x2", u16, [](Exact a, Exact b) { return a + b; });
  check_packed("add.s16x2", s16, [](Exact a, Exact b) { return a + b; });
  check_packed("sub.u16x2", u16, [](Exact a, Exact b) { return a - b; });
  check_packed("sub.s16x2", s16, [](Exact a, Exact b) { return a - b; });
  check_packed("min.u16x2", u16, [](Exact a, Exact b) { return a < b ? a : b; });
  check_packed("max.u16x2", u16, [](Exact a, Exact b) { return a < b ? b : a; });
  check_packed("min.s16x2", s16, [](Exact a, Exact b) { return a < b ? a : b; });
  check_packed("max.s16x2", s16, [](Exact a, Exact b) { return a < b ? b : a; });
  check_packed("min.relu.s16x2", s16, [](Exact a, Exact b) { return std::max<Exact>(a < b ? a : b, 0); });
  check_packed("max.s16x2.relu", s16, [](Exact a, Exact b) { return std::max<Exact>(a < b ? b : a, 0); });
}

TEST_CASE("mul gives the lower half, the upper half or all of the product", "[integer]") {
  check_exact2("mul.lo", all_types,
               [](auto& t, Exact a, Exact b) { return static_cast<Exact>(t.cut(a) * t.cut(b)); });
  check_exact2("mul.hi", {u16, u32, s16, s32, s64},
               [](auto& t, Exact a, Exact b) { return (a * b) >> t.bits; });
  for (const IntegerType& type : narrow)
    check2("mul.wide." + type.name, two(type), [&](Value a, Value b) {
      const IntegerType wide{"", 2 * type.bits, type.is_signed};
      return wide.cut(type.read(a) * type.read(b));
    });
}

TEST_CASE("mul.hi.u64 gives the upper 64 of 128 bits", "[integer]") {
  // Computed from 32-bit halves, so that no partial product overflows.
  check2("mul.hi.u64", two(u64), [](Value a, Value b) {
    const Value a0 = a & 0xFFFFFFFF, a1 = a >> 32, b0 = b & 0xFFFFFFFF, b1 = b >> 32;
    const Value middle = (a0 * b0 >> 32) + (a1 * b0 & 0xFFFFFFFF) + (a0 * b1 & 0xFFFFFFFF);
    return a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32) + (middle >> 32);
  });
}

TEST_CASE("mad adds to the lower half, the upper half or all of the product", "[integer]") {
  check_exact3("mad.lo", {u16, u32, s16, s32}, [](auto&, Exact a, Exact b, Exact c) { return a * b + c; });
  check3("mad.lo.u64", three(u64), [](Value a, Value b, Value c) { return a * b + c; });
  check3("mad.lo.s64", three(s64), [](Value a, Value b, Value c) { return a * b + c; });
  check_exact3("mad.hi", {u16, u32, s16, s32, s64},
               [](auto& t, Exact a, Exact b, Exact c) { return ((a * b) >> t.bits) + c; });
  check_exact3("mad.hi.sat", {s32},
               [](auto&, Exact a, Exact b, Exact c) { return clamp_s32(((a * b) >> 32) + c); });
  for (const IntegerType& type : narrow) {
    const IntegerType wide{"", 2 * type.bits, type.is_signed};
    check3("mad.wide." + type.name, {integers(type.bits, 1), integers(type.bits, 2), integers(wide.bits, 3)},
           [&](Value a, Value b, Value c) { return wide.cut(type.read(a) * type.read(b) + wide.read(c)); });
  }
}

TEST_CASE("mul24 and mad24 use the low 24 bits", "[integer]") {
  const auto low24 = [](const IntegerType& t, Exact x) {
    const Exact low = x & 0xFFFFFF;
    return t.is_signed && (low & 0x800000) != 0 ? low - 0x1000000 : low;
  };
  check_exact2("mul24.lo", words, [&](auto& t, Exact a, Exact b) { return low24(t, a) * low24(t, b); });
  check_exact2("mul24.hi", words,
               [&](auto& t, Exact a, Exact b) { return (low24(t, a) * low24(t, b)) >> 16; });
  check_exact3("mad24.lo", words,
               [&](auto& t, Exact a, Exact b, Exact c) { return low24(t, a) * low24(t, b) + c; });
  check_exact3("mad24.hi", words,
               [&](auto& t, Exact a, Exact b, Exact c) { return ((low24(t, a) * low24(t, b)) >> 16) + c; });
  check_exact3("mad24.hi.sat", {s32}, [&](auto& t, Exact a, Exact b, Exact c) {
    return clamp_s32(t.read(t.cut((low24(t, a) * low24(t, b)) >> 16)) + c);
  });
}

TEST_CASE("sad, abs, neg, min and max follow their definitions", "[integer]") {
  check_exact3("sad", all_types,
               [](auto&, Exact a, Exact b, Exact c) { return c + (a < b ? b - a : a - b); });
  for (const IntegerType& type : signed_types) {
    check1("abs." + type.name, {integers(type.bits, 4)},
           [&](Value a) { return type.cut(type.read(a) < 0 ? -type.read(a) : type.read(a)); });
    check1("neg." + type.name, {integers(type.bits, 4)}, [&](Value a) { return type.cut(-type.read(a)); });
  }
  check_exact2("min", all_types, [](auto&, Exact a, Exact b) { return a < b ? a : b; });
  check_exact2("max", all_types, [](auto&, Exact a, Exact b) { return a > b ? a : b; });
  check_exact2("min.relu", {s32}, [](auto&, Exact a, Exact b) { return std::max<Exact>(a < b ? a : b, 0); });
  check_exact2("max.relu", {s32}, [](auto&, Exact a, Exact b) { return std::max<Exact>(a > b ? a : b, 0); });
}

TEST_CASE("div truncates; div and rem by zero give all ones", "[integer]") {
  check_exact2("div", all_types, [](auto&, Exact a, Exact b) { return b == 0 ? Exact{-1} : a / b; });
  check_exact2("rem", all_types, [](auto&, Exact a, Exact b) { return b == 0 ? Exact{-1} : a % b; });
  CHECK(run_one("div.s32", {0x80000000, 0xFFFFFFFF}) == 0x80000000);
  CHECK(run_one("rem.s64", {0x8000000000000000, ~Value{0}}) == 0);
}

TEST_CASE("dp4a and dp2a sum products of bytes", "[integer]") {
  const Columns operands = crossed({integers(32, 1), integers(32, 2), integers(32, 3)}, 9);
  const auto part = [](Value x, unsigned from, unsigned bits, bool is_signed) {
    return IntegerType{"", bits, is_signed}.read(x >> from & ((Value{1} << bits) - 1));
  };
  for (const bool a_signed : {false, true})
    for (const bool b_signed : {false, true}) {
      const std::string types = std::string(a_signed ? ".s32" : ".u32") + (b_signed ? ".s32" : ".u32");
      check3("dp4a" + types, operands, [&](Value a, Value b, Value c) {
        Exact sum = c;
        for (unsigned i = 0; i < 32; i += 8) sum += part(a, i, 8, a_signed) * part(b, i, 8, b_signed);
        return u32.cut(sum);
      });
      for (const bool high : {false, true})
        check3((high ? "dp2a.hi" : "dp2a.lo") + types, operands, [&](Value a, Value b, Value c) {
          const unsigned base = high ? 16 : 0;
          return u32.cut(c + part(a, 0, 16, a_signed) * part(b, base, 8, b_signed) +
                         part(a, 16, 16, a_signed) * part(b, base + 8, 8, b_signed));
        });
    }
}

TEST_CASE("vabsdiff2 and vabsdiff4 merge or sum differences of parts as an H200 does", "[integer]") {
  struct Row {
    const char* text;
    Value first, second;  // for the operands 80ff017f, 7f0180ff and for 12345678, fedcba98, with c = 7
  };
  const Row rows[] = {
      {"vabsdiff4.u32.u32.u32", 0x01fe7f80, 0xeca86420},
      {"vabsdiff4.s32.u32.u32", 0x01fe7f80, 0xeca86420},
      {"vabsdiff4.u32.s32.s32", 0xff028180, 0x14589ce0},
      {"vabsdiff4.s32.s32.s32", 0xff028180, 0x14589ce0},
      {"vabsdiff4.s32.s32.s32.sat", 0x7f027f7f, 0x14587f7f},
      {"vabsdiff4.u32.u32.u32.add", 0x205, 0x21f},
      {"vabsdiff4.u32.s32.s32.add", 0x209, 0x1ef},
      {"vabsdiff2.u32.u32.u32", 0x01fe7f80, 0xeca86420},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(run_one(row.text, {0x80ff017f, 0x7f0180ff, 7}) == row.first);
    CHECK(run_one(row.text, {0x12345678, 0xfedcba98, 7}) == row.second);
    covers(form_of(row.text), 2);
  }
  CHECK(run_one("vabsdiff2.u32.u32.u32.add", {0x80ff017f, 0x7f0180ff, 7}) == 0x01fe + 0x7f80 + 7);
  CHECK(run_one("vabsdiff4.u32.u32.s32", {0xff, 0x80, 0}) == (255 + 128) % 256);
  CHECK(run_one("vabsdiff4.u32.u32.s32.sat", {0xff, 0x80, 0}) == 255);
  CHECK(!exists("vabsdiff4.u32.u32.u32.sat.add"));
}

}  // namespace
}  // namespace foldproof::tests::exact
