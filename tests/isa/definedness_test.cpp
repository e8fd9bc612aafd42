// Shadow propagation through instructions: each test documents one rule. Known{value, undefined bits}.
#include <tuple>

#include "catch.h"
#include "devices/emulated/isa/windows.h"
#include "shadowed.h"

namespace foldproof::tests {
namespace {

constexpr Value all32 = 0xFFFFFFFF;

TEST_CASE("floats are undefined as a whole, packed ones element by element", "[definedness]") {
  CHECK(undefined_result("add.f32", {{0x3F800000, 1}, {0x3F800000, 0}}) == all32);
  CHECK(undefined_result("fma.rn.f64", {{0}, {0}, {0, Value{1} << 63}}) == ~Value{0});
  CHECK(undefined_result("add.f16x2", {{0x3C003C00, 0x00010000}, {0x3C003C00}}) == 0xFFFF0000);
  CHECK(undefined_result("fma.rn.bf16x2", {{0}, {0}, {0, 1}}) == 0x0000FFFF);
  CHECK(undefined_result("mul.f32x2", {{0, 1}, {0}}) == all32);
  CHECK(undefined_result("testp.finite.f32", {{0, 1}}) == 1);
  CHECK(undefined_result("max.f32", {{0}, {0, 2}}) == all32);
}

TEST_CASE("the sign of a float propagates separately unless the value may be a NaN or a flushed subnormal",
          "[definedness]") {
  CHECK(undefined_result("neg.f32", {{0x3F800000, 0x80000001}}) == 0x80000001);
  CHECK(undefined_result("abs.f32", {{0x3F800000, 0x80000001}}) == 1);
  CHECK(undefined_result("neg.f32", {{0x7F800000, 1}}) == all32);
  CHECK(undefined_result("neg.f32", {{0x7F800000, 0x80000000}}) == 0x80000000);
  CHECK(undefined_result("neg.ftz.f32", {{0, 1}}) == all32);
  CHECK(undefined_result("neg.f32", {{0, 1}}) == 1);
  CHECK(undefined_result("neg.f16x2", {{0x7C003C00, 0x00010001}}) == 0xFFFF0001);
  CHECK(undefined_result("copysign.f32", {{0, all32}, {0}}) == 0x80000000);
}

TEST_CASE("moves copy undefined bits", "[definedness]") {
  CHECK(undefined_result("mov.b64", {{0, 0x123456789ABCDEF0}}) == 0x123456789ABCDEF0);
  CHECK(undefined_result("mov.pred", {{0, 1}}) == 1);
  CHECK(undefined_result("brev.b32", {{0, 0x3}}) == 0xC0000000);
  const auto pack = packing_form_of(isa::Packing::pack, 4, "mov.b64");
  CHECK(undefined_after(pack, {{0, 0x1}, {0}, {0, 0xFFFF}, {0, 0x8000}}) == Column{0x8000FFFF00000001});
  const auto unpack = packing_form_of(isa::Packing::unpack, 2, "mov.b32");
  CHECK(undefined_after(unpack, {{0, 0x80000001}}) == Column{0x0001, 0x8000});
}

TEST_CASE("integer conversions truncate the shadow bits and extend them with zeros or the sign's shadow bit",
          "[definedness]") {
  CHECK(undefined_result("cvt.u16.u32", {{0, 0xFFFF0001}}) == 1);
  CHECK(undefined_result("cvt.u64.u32", {{0, all32}}) == all32);
  CHECK(undefined_result("cvt.s64.s32", {{0, 0x80000000}}) == 0xFFFFFFFF80000000);
  CHECK(undefined_result("cvt.s64.s32", {{0, 0x7FFFFFFF}}) == 0x7FFFFFFF);
  CHECK(undefined_result("cvt.sat.u16.u32", {{0, 1}}) == 0xFFFF);
  CHECK(undefined_result("cvt.rn.f32.s32", {{0, 1}}) == all32);
}

TEST_CASE("only the low bits count in a register that is wider than its type", "[definedness]") {
  isa::Form form = form_of("cvt.rn.f32.u8");
  REQUIRE(isa::fit_registers(form, 4, 4));
  CHECK(undefined_after(form, {{0, 0xFFFFFF00}}) == Column{0});
  CHECK(undefined_after(form, {{0, 0x80}}) == Column{all32});
  form = form_of("cvt.s8.u32");
  REQUIRE(isa::fit_registers(form, 4, 8));
  CHECK(undefined_after(form, {{0, 0xFFFFFFFFFFFFFF00}}) == Column{0});
  CHECK(undefined_after(form, {{0, 0x80}}) == Column{0xFFFFFF80});
}

TEST_CASE("cvt and cvt.pack of two values keep them separate", "[definedness]") {
  CHECK(undefined_result("cvt.rn.f16x2.f32", {{0, 1}, {0}}) == 0xFFFF0000);
  CHECK(undefined_result("cvt.rn.satfinite.e4m3x2.f32", {{0}, {0, 1}}) == 0x00FF);
  CHECK(undefined_result("cvt.pack.sat.s16.s32", {{0}, {0, 1}}) == 0x0000FFFF);
  CHECK(undefined_result("cvt.pack.sat.u8.s32.b32", {{0, 1}, {0}, {0, 0x101}}) == 0x0101FF00);
}

TEST_CASE("a defined shift amount shifts the undefined bits; an undefined one makes the result undefined",
          "[definedness]") {
  CHECK(undefined_result("shl.b32", {{0, 0x80000001}, {4}}) == 0x10);
  CHECK(undefined_result("shr.u32", {{0, 0x80000010}, {4}}) == 0x08000001);
  CHECK(undefined_result("shr.s32", {{0, 0x80000010}, {4}}) == 0xF8000001);
  CHECK(undefined_result("shr.s32", {{0, 0x80000000}, {99}}) == all32);
  CHECK(undefined_result("shl.b32", {{0, all32}, {32}}) == 0);
  CHECK(undefined_result("shl.b32", {{1}, {4, 1}}) == all32);
  CHECK(undefined_result("shf.l.wrap.b32", {{0, 0x80000000}, {0}, {1}}) == 1);
}

TEST_CASE("fields and permutations move undefined bits with their values", "[definedness]") {
  CHECK(undefined_result("bfe.u32", {{0, 0xFFFF0000}, {12}, {8}}) == 0xF0);
  CHECK(undefined_result("bfe.s32", {{0, 0x00080000}, {12}, {8}}) == 0xFFFFFF80);
  CHECK(undefined_result("bfe.u32", {{0}, {12, 1}, {8}}) == all32);
  CHECK(undefined_result("bfi.b32", {{0, all32}, {0, 0xF}, {8}, {8}}) == 0xFF0F);
  CHECK(undefined_result("bfi.b32", {{0}, {0, all32}, {8}, {8}}) == 0xFFFF00FF);
  CHECK(undefined_result("prmt.b32", {{0, 0x000000FF}, {0}, {0x5140}}) == 0x000000FF);
  CHECK(undefined_result("prmt.b32", {{0, 0x00000080}, {0}, {0x4448}}) == 0x000000FF);
  CHECK(undefined_result("prmt.b32", {{0}, {0}, {0x3210, 1}}) == all32);
}

TEST_CASE("a logic result is undefined only where undefined bits decide it", "[definedness]") {
  CHECK(undefined_result("and.b32", {{0, 0xFF}, {0x0F}}) == 0x0F);
  CHECK(undefined_result("and.b32", {{0, 0xFF}, {0, 0xF0}}) == 0xF0);
  CHECK(undefined_result("or.b32", {{0, 0xFF}, {0x0F}}) == 0xF0);
  CHECK(undefined_result("xor.b32", {{0, 0xFF}, {0x0F, 0x100}}) == 0x1FF);
  CHECK(undefined_result("not.b32", {{0, 0xFF}}) == 0xFF);
  CHECK(undefined_result("and.pred", {{0}, {0, 1}}) == 0);
  CHECK(undefined_result("or.pred", {{0}, {0, 1}}) == 1);
  // (a & b) | c with an undefined b
  CHECK(undefined_result("lop3.b32", {{0xFF}, {0, 0xFFF}, {0x0F}, {0xEA}}) == 0xF0);
}

TEST_CASE("the predicate of lop3 is defined if a defined bit decides it", "[definedness]") {
  const std::vector<Known> some_one{{0x3, 0x1}, {0xF}, {0}, {0xC0}, {0}};
  CHECK(undefined_after("lop3.or.b32", some_one) == Column{1, 0});
  const std::vector<Known> no_one{{0x1, 0x1}, {0xF}, {0}, {0xC0}, {0}};
  CHECK(undefined_after("lop3.or.b32", no_one) == Column{1, 1});
  CHECK(undefined_after("lop3.and.b32", no_one) == Column{1, 0});
}

TEST_CASE("sums and products are undefined where carries can reach", "[definedness]") {
  CHECK(undefined_result("add.u32", {{0, 0x10}, {0}}) == 0x10);
  CHECK(undefined_result("add.u32", {{0, 0x10}, {0xFFFFFFF0}}) == 0xFFFFFFF0);
  CHECK(undefined_result("sub.s32", {{0}, {0, 0x10}}) == 0xFFFFFFF0);
  CHECK(undefined_result("neg.s32", {{0, 0x10}}) == 0xFFFFFFF0);
  CHECK(undefined_result("add.u16x2", {{0x0000FFFF}, {0, 0x1}}) == 0x0000FFFF);
  CHECK(undefined_result("add.sat.s32", {{0}, {0, 0x80000000}}) == all32);
  CHECK(undefined_result("mul.lo.u32", {{0, all32}, {8}}) == 0xFFFFFFF8);
  CHECK(undefined_result("mul.lo.u32", {{0, all32}, {0}}) == 0);
  CHECK(undefined_result("mul.hi.u32", {{0, 1}, {0}}) == all32);
  CHECK(undefined_result("mul.wide.u32", {{0, 1}, {0x100}}) == 0x100);
  CHECK((undefined_result("mad.lo.u32", {{0, 0x100}, {4}, {3}}) & 0x3FF) == 0);
  CHECK(undefined_result("mul24.lo.u32", {{0, 0xFF000000}, {1}}) == 0);
  CHECK(undefined_result("sad.u32", {{0, 1}, {0}, {0}}) == all32);
}

TEST_CASE("CC is undefined if undefined bits decide the carry", "[definedness]") {
  CHECK(undefined_after("add.cc.u32", {{0, 1}, {0}}) == Column{1, 0});
  CHECK(undefined_after("add.cc.u32", {{all32}, {0, 1}}) == Column{all32, 1});
  CHECK(undefined_after("addc.u32", {{0}, {0}, {0, 1}}) == Column{1});
  CHECK(undefined_after("addc.cc.u32", {{all32}, {0}, {0, 1}}) == Column{all32, 1});
  CHECK(undefined_after("sub.cc.u32", {{0, 1}, {0}}) == Column{1, 0});
  CHECK(undefined_after("sub.cc.u32", {{0, 1}, {1}}) == Column{all32, 1});
  CHECK(undefined_after("mad.hi.cc.u32", {{0, 1}, {0}, {0}}) == Column{all32, 1});
}

TEST_CASE("cvta adds a window and does not propagate low undefined bits upwards", "[definedness]") {
  CHECK(undefined_result("cvta.shared.u64", {{0x10, 0xF}}) == 0xF);
  CHECK(undefined_result("cvta.global.u64", {{0, 0xF000000000}}) == 0xF000000000);
  CHECK(undefined_result("cvta.to.shared.u64", {{isa::shared_window, 0xF}}) == 0xF);
}

TEST_CASE("a selection with a defined condition has the shadow bits of the selected operand",
          "[definedness]") {
  CHECK(undefined_result("selp.b32", {{0, 0xF0}, {0, 0x0F}, {1}}) == 0xF0);
  CHECK(undefined_result("selp.b32", {{0, 0xF0}, {0, 0x0F}, {0}}) == 0x0F);
  CHECK(undefined_result("slct.b32.s32", {{0, 0xF0}, {0, 0x0F}, {0xFFFFFFFF}}) == 0x0F);
}

TEST_CASE("a selection with an undefined condition keeps the bits on which both operands agree",
          "[definedness]") {
  CHECK(undefined_result("selp.b32", {{0x12345678}, {0x12345678}, {0, 1}}) == 0);
  CHECK(undefined_result("selp.b32", {{0xFF}, {0x0F, 0x100}, {0, 1}}) == 0x1F0);
  CHECK(undefined_result("slct.f32.f32", {{1}, {3}, {0, 1}}) == 2);
  CHECK(undefined_result("cnot.b32", {{0, 1}}) == 1);
  CHECK(undefined_result("cnot.b32", {{2, 1}}) == 0);
}

TEST_CASE("an integer comparison is undefined only if undefined bits decide it", "[definedness]") {
  CHECK(undefined_result("setp.eq.b32", {{0x100, 0xFF}, {0}}) == 0);
  CHECK(undefined_result("setp.eq.b32", {{0x000, 0xFF}, {0}}) == 1);
  CHECK(undefined_result("setp.ne.s32", {{0x000, 0xFF}, {0x1FF}}) == 0);
  CHECK(undefined_result("setp.lt.u32", {{0, 0xFF}, {0x100}}) == 0);
  CHECK(undefined_result("setp.lt.u32", {{0, 0xFF}, {0xFF}}) == 1);
  CHECK(undefined_result("setp.le.u32", {{0, 0xFF}, {0xFF}}) == 0);
  CHECK(undefined_result("setp.gt.s32", {{0, 0x80000000}, {5}}) == 0);
  CHECK(undefined_result("setp.gt.s32", {{8, 0x80000000}, {5}}) == 1);
  CHECK(undefined_result("setp.hi.u32", {{8, 0x80000000}, {5}}) == 0);
  CHECK(undefined_result("set.lt.u32.u32", {{0, 0xFF}, {0xFF}}) == all32);
}

TEST_CASE("a defined predicate can decide an undefined comparison", "[definedness]") {
  CHECK(undefined_after("setp.lt.and.f32", {{0, 1}, {0}, {0}}) == Column{0, 0});
  CHECK(undefined_after("setp.lt.and.f32", {{0, 1}, {0}, {1}}) == Column{1, 1});
  CHECK(undefined_after("setp.lt.or.f32", {{0, 1}, {0}, {1}}) == Column{0, 0});
  CHECK(undefined_after("setp.eq.and.s32", {{1}, {2}, {0, 1}}) == Column{0, 1});
  CHECK(undefined_after("setp.lt.and.f16x2", {{0, 1}, {0}, {1}}) == Column{1, 0});
  CHECK(undefined_result("set.lt.f16x2.f16x2", {{0, 0x10000}, {0}}) == 0xFFFF0000);
}

TEST_CASE("a single undefined bit makes all of D undefined in mma", "[definedness]") {
  Shadowed mma(form_of("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"));
  mma.propagate();
  for (unsigned lane = 0; lane < isa::warp_size; ++lane) CHECK(mma.get(mma.undefined, 3, lane) == 0);
  mma.set(mma.undefined, mma.sources().back(), 17, 1);
  mma.propagate();
  for (unsigned lane = 0; lane < isa::warp_size; ++lane)
    for (const std::size_t d : mma.destinations()) CHECK(mma.get(mma.undefined, d, lane) == all32);
}

TEST_CASE("movmatrix moves undefined bits with their elements", "[definedness]") {
  Shadowed transpose(form_of("movmatrix.sync.aligned.m8n8.trans.b16"));
  transpose.set(transpose.undefined, 1, 4, 0xFFFF0000);  // row 1, column 1
  transpose.set(transpose.undefined, 1, 8, 0x00000001);  // row 2, column 0
  transpose.propagate();
  CHECK(transpose.get(transpose.undefined, 0, 4) == 0xFFFF0000);
  CHECK(transpose.get(transpose.undefined, 0, 1) == 0x00000001);
}

TEST_CASE("for_each_row lists the rows that an instruction reads and writes", "[definedness]") {
  using Rows = std::vector<std::tuple<std::uint32_t, unsigned, bool>>;
  const auto rows_of = [](const Shadowed& shadowed) {
    Rows rows;
    isa::for_each_row(shadowed.instruction(), [&](std::uint32_t offset, unsigned bytes, bool written) {
      rows.emplace_back(offset, bytes, written);
    });
    return rows;
  };
  const Shadowed setp(form_of("setp.lt.and.u64"), {1});
  CHECK(rows_of(setp) == Rows{{setp.row(0), 0, true},
                              {setp.row(2), 8, false},
                              {setp.row(3), 8, false},
                              {setp.row(4), 0, false}});
  const Shadowed addc(form_of("addc.cc.u32"));
  CHECK(rows_of(addc) == Rows{{addc.row(0), 4, true},
                              {addc.row(1), 4, false},
                              {addc.row(2), 4, false},
                              {isa::carry_offset, 0, false},
                              {isa::carry_offset, 0, true}});
  isa::Form wide = form_of("cvt.u8.s16");
  REQUIRE(isa::fit_registers(wide, 4, 8));
  const Shadowed cvt(wide);
  CHECK(rows_of(cvt) == Rows{{cvt.row(0), 4, true}, {cvt.row(1), 8, false}});
}

}  // namespace
}  // namespace foldproof::tests
