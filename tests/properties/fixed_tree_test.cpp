// Which entries always add up their input in the same tree.
#include "properties/relations/fixed_tree.h"

#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

using fake::adding_ptx;

std::string adding_with(const std::string& statement) {
  std::string text = adding_ptx;
  return text.replace(text.find("// here"), 7, statement);
}

bool has_fixed_tree(const std::string& ptx) {
  return relations::has_fixed_tree(fake::contract(Operator::sum, Element::f32).instances.front(),
                                   Image{"fake.ptx", ptx});
}

TEST_CASE("additions of loaded values have a fixed tree; any statement that depends on values prevents one") {
  CHECK(has_fixed_tree(adding_ptx));
  CHECK(
      has_fixed_tree(adding_with("cvt.f64.f32 %fd1, %f3; add.f64 %fd1, %fd1, %fd1; cvt.rn.f32.f64 %f3, %fd1;")
                         .replace(adding_ptx.find(".reg .pred"), 0, ".reg .f64 %fd<3>;\n  ")));
  for (const std::string statement :
       {"add.rz.f32 %f3, %f3, %f4;", "mul.f32 %f3, %f3, %f4;", "sub.f32 %f3, %f3, %f4;",
        "setp.gt.f32 %p2, %f3, %f4;", "setp.gt.s32 %p2, %r2, 0;", "and.b32 %r2, %r2, 1;",
        "atom.global.add.f32 %f3, [%rd1], %f1;", "add.s32 %r2, %r2, 1;", "abs.f32 %f3, %f3;",
        "cvt.rz.f16.f32 %h1, %f3;", "cvt.rni.s32.f32 %r2, %f3;",
        "mov.b32 %r1, %f3; setp.ne.s32 %p1, %r1, 0;"}) {
    INFO(statement);
    CHECK(!has_fixed_tree(adding_with(statement)));
  }
  CHECK(!has_fixed_tree("no PTX"));
  CHECK(!has_fixed_tree(""));
}

TEST_CASE("adding a constant other than zero prevents a fixed tree") {
  for (const std::string statement :
       {"add.f32 %f3, %f3, 0f00000000;", "mov.f32 %f9, 0f80000000; add.f32 %f3, %f9, %f3;",
        "selp.f32 %f3, %f3, 0f00000000, %p1;", "mov.f32 %f9, 0f00000000; st.shared.f32 [%r1], %f9;",
        "mov.f32 %f9, 0f00000000; mov.f32 %f8, %f9; add.f32 %f9, %f9, %f3;"}) {
    INFO(statement);
    CHECK(has_fixed_tree(adding_with(statement)));
  }
  for (const std::string statement :
       {"add.f32 %f3, %f3, 0f3F800000;", "mov.f32 %f9, 0f3F800000; add.f32 %f3, %f9, %f3;",
        "selp.f32 %f3, %f3, 0f3F800000, %p1;", "mov.f32 %f9, 0f3F800000; st.shared.f32 [%r1], %f9;",
        "mov.f32 %f9, 0f3F800000; add.f32 %f9, %f9, %f3;", "ld.param.f32 %f9, [n]; add.f32 %f3, %f3, %f9;",
        "cvt.rn.f32.u32 %f9, %r1; add.f32 %f3, %f3, %f9;"}) {
    INFO(statement);
    CHECK(!has_fixed_tree(adding_with(statement)));
  }
}

}  // namespace
}  // namespace foldproof
