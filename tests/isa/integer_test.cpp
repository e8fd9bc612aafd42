// ISA 9.7.1 and 9.7.2. Expected values are exact 128-bit integers, truncated as the ISA says.
#include <bit>
#include <cstring>

#include "catch.h"
#include "row_coverage.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace {

__extension__ typedef __int128 Exact;

struct IntegerType {
  std::string name;
  unsigned bits;
  bool is_signed;

  Value cut(Exact x) const {
    return static_cast<Value>(x) & (bits == 64 ? ~Value{0} : (Value{1} << bits) - 1);
  }
  Exact read(Value x) const {
    if (!is_signed) return x;
    const unsigned unused = 64 - bits;
    return static_cast<std::int64_t>(x << unused) >> unused;
  }
};

const IntegerType u16{"u16", 16, false}, u32{"u32", 32, false}, u64{"u64", 64, false};
const IntegerType s16{"s16", 16, true}, s32{"s32", 32, true}, s64{"s64", 64, true};
const std::vector<IntegerType> all_types{u16, u32, u64, s16, s32, s64};
const std::vector<IntegerType> words{u32, s32}, narrow{u16, u32, s16, s32}, signed_types{s16, s32, s64};

Columns two(const IntegerType& type) { return crossed({integers(type.bits, 1), integers(type.bits, 2)}, 17); }
Columns three(const IntegerType& type) {
  return crossed({integers(type.bits, 1), integers(type.bits, 2), integers(type.bits, 3)}, 9);
}

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

/// Runs instructions one after another on one frame of u32 registers, so that they share CC.
class Chain {
 public:
  Chain() : frame_(64 + 512 * 16) {}
  void step(const std::string& text, unsigned d, const std::vector<unsigned>& sources) {
    const isa::Form form = form_of(text);
    isa::Instruction instruction;
    instruction.form = &form;
    instruction.operand[0] = place(d);
    for (std::size_t k = 0; k < sources.size(); ++k) instruction.operand[k + 1] = place(sources[k]);
    form.compute(frame_.data(), instruction, lanes);
    covers(form, std::popcount(lanes));
  }
  void set(unsigned r, unsigned lane, std::uint32_t value) {
    isa::row<std::uint32_t>(frame_.data(), place(r))[lane] = value;
  }
  std::uint32_t get(unsigned r, unsigned lane) {
    return isa::row<std::uint32_t>(frame_.data(), place(r))[lane];
  }
  isa::LaneMask& cc() { return isa::mask(frame_.data(), isa::carry_offset); }

  isa::LaneMask lanes = all_lanes;

 private:
  static std::uint32_t place(unsigned r) { return 64 + 512 * r; }
  std::vector<std::byte> frame_;
};

TEST_CASE("carries chain three words into a 96-bit sum and difference", "[integer][carry]") {
  const Column random = integers(32, 7);
  for (std::size_t first = 0; first + 6 * 32 <= random.size(); first += 6 * 32) {
    Chain chain;
    for (unsigned r = 0; r < 6; ++r)
      for (unsigned lane = 0; lane < 32; ++lane)
        chain.set(r, lane, static_cast<std::uint32_t>(random[first + r * 32 + lane]));
    chain.step("add.cc.u32", 6, {0, 3});
    chain.step("addc.cc.u32", 7, {1, 4});
    chain.step("addc.u32", 8, {2, 5});
    chain.step("sub.cc.s32", 9, {0, 3});
    chain.step("subc.cc.s32", 10, {1, 4});
    chain.step("subc.s32", 11, {2, 5});
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto number = [&](unsigned r) {
        return static_cast<Exact>(chain.get(r, lane)) + (static_cast<Exact>(chain.get(r + 1, lane)) << 32) +
               (static_cast<Exact>(chain.get(r + 2, lane)) << 64);
      };
      const Exact modulus = static_cast<Exact>(1) << 96;
      CHECK((number(6) == (number(0) + number(3)) % modulus));
      CHECK((number(9) == (number(0) - number(3) + modulus) % modulus));
    }
  }
}

TEST_CASE("mad.cc and madc multiply 64 by 64 bits into 128, in the sequence that compilers emit",
          "[integer][carry]") {
  const Column random = integers(32, 8);
  Chain chain;
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned lane = 0; lane < 32; ++lane)
      chain.set(r, lane, static_cast<std::uint32_t>(random[17 + r * 32 + lane]));
  // a = r1:r0, b = r3:r2, product = r7:r6:r5:r4; r8 is zero.
  chain.step("mad.lo.cc.u32", 4, {0, 2, 8});
  chain.step("madc.hi.u32", 5, {0, 2, 8});
  chain.step("mad.lo.cc.u32", 5, {0, 3, 5});
  chain.step("madc.hi.u32", 6, {0, 3, 8});
  chain.step("mad.lo.cc.u32", 5, {1, 2, 5});
  chain.step("madc.hi.cc.u32", 6, {1, 2, 6});
  chain.step("addc.u32", 7, {8, 8});
  chain.step("mad.lo.cc.u32", 6, {1, 3, 6});
  chain.step("madc.hi.u32", 7, {1, 3, 7});
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto word = [&](unsigned r) { return Value{chain.get(r, lane)}; };
    __extension__ const unsigned __int128 product =
        static_cast<unsigned __int128>(word(1) << 32 | word(0)) * (word(3) << 32 | word(2));
    CHECK((word(5) << 32 | word(4)) == static_cast<Value>(product));
    CHECK((word(7) << 32 | word(6)) == static_cast<Value>(product >> 64));
  }
}

TEST_CASE("add without .cc and inactive lanes leave CC unchanged", "[integer][carry]") {
  Chain chain;
  for (unsigned lane = 0; lane < 32; ++lane) chain.set(0, lane, 0xFFFFFFFF), chain.set(1, lane, 1);
  chain.cc() = 0;
  chain.lanes = 0x0000FFFF;
  chain.step("add.cc.u32", 2, {0, 1});
  CHECK(chain.cc() == 0x0000FFFF);
  chain.lanes = all_lanes;
  chain.step("addc.u32", 2, {1, 1});
  CHECK(chain.cc() == 0x0000FFFF);
  CHECK(chain.get(2, 0) == 3);
  CHECK(chain.get(2, 31) == 2);
}

TEST_CASE("additions and subtractions share one carry flag, as on an H200", "[integer][carry]") {
  struct Step {
    const char *first, *second;
    std::uint32_t a, b, result;  // of `second` with zeros
  };
  const Step steps[] = {
      {"sub.cc.u32", "addc.u32", 5, 3, 1},
      {"sub.cc.u32", "addc.u32", 3, 5, 0},
      {"sub.cc.u32", "subc.u32", 5, 3, 0},
      {"sub.cc.u32", "subc.u32", 3, 5, 0xFFFFFFFF},
      {"add.cc.u32", "subc.u32", 0xFFFFFFFF, 2, 0},
      {"add.cc.u32", "subc.u32", 5, 3, 0xFFFFFFFF},
      {"sub.cc.s32", "madc.lo.u32", 0xFFFFFFFF, 2, 1},
  };
  for (const Step& step : steps) {
    CAPTURE(step.first, step.second, step.a, step.b);
    Chain chain;
    chain.lanes = 1;
    chain.set(0, 0, step.a);
    chain.set(1, 0, step.b);
    chain.step(step.first, 2, {0, 1});
    if (std::string_view(step.second).starts_with("mad"))
      chain.step(step.second, 3, {4, 4, 4});
    else
      chain.step(step.second, 3, {4, 4});
    CHECK(chain.get(3, 0) == step.result);
  }
}

/// A result and the carry out.
struct Carried {
  Value result;
  bool carry;
};

/// Checks d and CC of a warp whose lanes have a, b and c from the columns and alternating carries.
void check_carried(const std::string& text, const IntegerType& type, const Columns& sources,
                   std::size_t first, const std::function<Carried(const Column&, bool carry)>& expected) {
  const isa::Form form = form_of(text);
  std::vector<std::byte> frame(64 + 512 * 4);
  isa::Instruction instruction;
  instruction.form = &form;
  const auto place = [](std::size_t k) { return static_cast<std::uint32_t>(64 + 512 * k); };
  for (std::size_t k = 0; k <= sources.size(); ++k) instruction.operand[k] = place(k);
  constexpr isa::LaneMask carries = 0xA5C3F069;
  isa::mask(frame.data(), isa::carry_offset) = carries;
  const std::size_t bytes = type.bits / 8;
  for (std::size_t k = 0; k < sources.size(); ++k)
    for (unsigned lane = 0; lane < isa::warp_size; ++lane)
      std::memcpy(frame.data() + place(k + 1) + lane * bytes, &sources[k][first + lane], bytes);
  form.compute(frame.data(), instruction, all_lanes);
  for (unsigned lane = 0; lane < isa::warp_size; ++lane) {
    Column operands;
    for (const Column& source : sources) operands.push_back(source[first + lane]);
    const bool before = (carries >> lane & 1) != 0;
    const Carried wanted = expected(operands, before);
    Value result = 0;
    std::memcpy(&result, frame.data() + place(0) + lane * bytes, bytes);
    INFO(text << " lane " << lane);
    REQUIRE(result == wanted.result);
    const bool carry = form.writes_carry ? wanted.carry : before;
    REQUIRE((isa::mask(frame.data(), isa::carry_offset) >> lane & 1) == carry);
  }
  covers(form, isa::warp_size);
}

TEST_CASE("carries enter and leave sums, differences and products of every type", "[integer][carry]") {
  __extension__ typedef unsigned __int128 Wide;
  for (const IntegerType& type : {u32, s32, u64, s64}) {
    const Columns sources = three(type), two_sources{sources[0], sources[1]};
    const auto sum = [&](Wide x, Wide y, Wide z) {
      return Carried{type.cut(static_cast<Exact>(x + y + z)), ((x + y + z) >> type.bits) != 0};
    };
    // Subtracting is adding the complement: CC = 1 means that nothing was borrowed.
    const auto difference = [&](Value x, Value y, bool carry) {
      return sum(x, type.cut(~Exact{y}), carry ? 1 : 0);
    };
    const auto half = [&](const std::string& part, const Column& x) {
      const Exact product =
          static_cast<Exact>(static_cast<Wide>(type.read(x[0])) * static_cast<Wide>(type.read(x[1])));
      if (part == ".lo") return type.cut(product);
      // An unsigned product of 64 bits fills all of Exact, whose shift copies the sign; cut() removes the
      // copies.
      return type.cut(product >> type.bits);
    };
    for (std::size_t first = 0; first + isa::warp_size <= 1024; first += isa::warp_size)
      for (const std::string cc : {".cc.", "."}) {
        const auto check_two = [&](const std::string& opcode, auto expected) {
          check_carried(opcode + cc + type.name, type, two_sources, first, expected);
        };
        check_two("addc", [&](const Column& x, bool carry) { return sum(x[0], x[1], carry ? 1 : 0); });
        check_two("subc", [&](const Column& x, bool carry) { return difference(x[0], x[1], carry); });
        if (cc == ".cc.") check_two("add", [&](const Column& x, bool) { return sum(x[0], x[1], 0); });
        if (cc == ".cc.")
          check_two("sub", [&](const Column& x, bool) { return difference(x[0], x[1], true); });
        for (const std::string part : {".lo", ".hi"}) {
          check_carried("madc" + part + cc + type.name, type, sources, first,
                        [&](const Column& x, bool carry) { return sum(half(part, x), x[2], carry ? 1 : 0); });
          if (cc == ".cc.")
            check_carried("mad" + part + cc + type.name, type, sources, first,
                          [&](const Column& x, bool) { return sum(half(part, x), x[2], 0); });
        }
      }
  }
}

TEST_CASE("sub.cc.u64 sets CC from a 64-bit borrow", "[integer][carry]") {
  std::vector<std::byte> frame(64 + 512 * 3);
  const isa::Form form = form_of("sub.cc.u64");
  isa::Instruction instruction;
  instruction.form = &form;
  instruction.operand = {64, 64 + 512, 64 + 1024, isa::no_operand, isa::no_operand, isa::no_operand};
  auto* a = isa::row<Value>(frame.data(), 64 + 512);
  auto* b = isa::row<Value>(frame.data(), 64 + 1024);
  for (unsigned lane = 0; lane < 32; ++lane) a[lane] = lane, b[lane] = 16;
  form.compute(frame.data(), instruction, all_lanes);
  CHECK(isa::mask(frame.data(), isa::carry_offset) == 0xFFFF0000);  // a carry means that nothing was borrowed
  CHECK(isa::row<Value>(frame.data(), 64)[0] == static_cast<Value>(-16));
}

}  // namespace
}  // namespace foldproof::tests
