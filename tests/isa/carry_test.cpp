// ISA 9.7.2: additions, subtractions and products that read or write the carry flag CC.
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "integer_types.h"
#include "row_coverage.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests::exact {
namespace {

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
}  // namespace foldproof::tests::exact
