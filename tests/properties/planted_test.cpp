// Planted elements: written as readable values without losing any bit.

#include "base/error.h"
#include "catch.h"
#include "oracles/number.h"
#include "properties/case.h"

using foldproof::tests::contains_text;

namespace foldproof {
namespace {

TEST_CASE("a planted floating-point element is written as its value, an integer as its bits") {
  CHECK(planted_text(Element::f32, 0x3ec00000) == "0x1.8p-2");
  CHECK(planted_text(Element::f16, 0xbc00) == "-0x1p+0");
  CHECK(planted_text(Element::bf16, 0x0001) == "0x1p-133");  // the smallest subnormal of bf16
  CHECK(planted_text(Element::f64, 0x8000000000000000) == "-0x0p+0");
  CHECK(planted_text(Element::f32, 0x7f800000) == "inf");
  CHECK(planted_text(Element::f32, 0xff800000) == "-inf");
  CHECK(planted_text(Element::i32, 0xffffffff) == "0xffffffff");
}

TEST_CASE("a NaN that is not canonical is written as its bits") {
  CHECK(planted_text(Element::f32, 0x7fc00001) == "0x7fc00001");
  CHECK(planted_text(Element::f32, 0xffc00000) == "0xffc00000");
  const std::string canonical =
      planted_text(Element::f32, encode(Element::f32, number_of(__builtin_nan(""))));
  CHECK(canonical == "nan");
}

TEST_CASE("every 8-bit and 16-bit element is read back unchanged") {
  for (const Element element : {Element::e4m3, Element::e5m2, Element::f16, Element::bf16, Element::i8}) {
    std::uint64_t changed = 0;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (8 * size_of(element)); ++bits)
      changed += planted_bits(element, planted_text(element, bits)) != bits ? 1 : 0;
    INFO(name(element));
    CHECK(changed == 0);
  }
}

TEST_CASE("32-bit and 64-bit elements are read back unchanged, including the limits of the formats") {
  for (const std::uint64_t bits :
       {0x00000000U, 0x80000000U, 0x00000001U, 0x807fffffU, 0x00800000U, 0x3f800001U, 0x7f7fffffU,
        0x7f800000U, 0x7f800001U, 0x7fc00000U, 0x7fffffffU, 0xffffffffU})
    CHECK(planted_bits(Element::f32, planted_text(Element::f32, bits)) == bits);
  for (const std::uint64_t bits :
       std::initializer_list<std::uint64_t>{0x0000000000000001U, 0x800fffffffffffffU, 0x7fefffffffffffffU,
                                            0x7ff0000000000001U, 0x7fffffffffffffffU, 0xfff8000000000000U})
    CHECK(planted_bits(Element::f64, planted_text(Element::f64, bits)) == bits);
}

TEST_CASE("a hexadecimal number without an exponent is an element's bits, and with one its value") {
  CHECK(planted_bits(Element::f32, "0x3f800000") == 0x3f800000);
  CHECK(planted_bits(Element::f32, "0x1p+0") == 0x3f800000);
  CHECK(planted_bits(Element::f32, "-0x1.8p1") == 0xc0400000);
}

TEST_CASE("a decimal number is an element's value, rounded like a literal of C++") {
  CHECK(planted_bits(Element::f32, "1") == 0x3f800000);
  CHECK(planted_bits(Element::f32, "-0") == 0x80000000);
  CHECK(planted_bits(Element::f32, "0.1") == 0x3dcccccd);  // 0.1f
  CHECK(planted_bits(Element::f16, "2.5e-1") == 0x3400);
  CHECK(planted_bits(Element::f64, "0.1") == 0x3fb999999999999a);
  CHECK(planted_bits(Element::i32, "7") == 7);
  CHECK(planted_bits(Element::i8, "-1") == 0xff);
  CHECK(planted_bits(Element::i64, "1.0") == 1);
  CHECK(planted_bits(Element::u16, "1e2") == 100);
  CHECK(planted_bits(Element::u64, "18446744073709551615") == 0xffffffffffffffff);
  CHECK(planted_bits(Element::i64, "-9223372036854775808") == 0x8000000000000000);
}

TEST_CASE("a decimal number that its type cannot hold is refused") {
  CHECK_THROWS_WITH(planted_bits(Element::f32, "1e39"), "f32 cannot represent the planted value 1e39");
  CHECK_THROWS_WITH(planted_bits(Element::i8, "128"), "i8 cannot represent the planted value 128");
  CHECK_THROWS_WITH(planted_bits(Element::u8, "-1"), "u8 cannot represent the planted value -1");
  CHECK_THROWS_WITH(planted_bits(Element::i32, "1.5"), "i32 cannot represent the planted value 1.5");
  CHECK_THROWS_WITH(planted_bits(Element::e2m1, "7"), "e2m1 cannot represent the planted value 7");
}

TEST_CASE("a planted value that its type cannot represent is refused and never rounded") {
  CHECK_THROWS_WITH(planted_bits(Element::f16, "0x1.001p+0"),
                    "f16 cannot represent the planted value 0x1.001p+0");
  CHECK_THROWS_WITH(planted_bits(Element::f16, "0x1p+16"), "f16 cannot represent the planted value 0x1p+16");
  CHECK_THROWS_WITH(planted_bits(Element::e4m3, "inf"), "e4m3 cannot represent the planted value inf");
  CHECK_THROWS_WITH(planted_bits(Element::i32, "0x1p+0"), "i32 cannot represent the planted value 0x1p+0");
}

TEST_CASE("invalid text for an element is refused in one sentence") {
  for (const char* text : {"", "0x", "-", "1.5.", "1e", "+1", "0x1.8", "0xp+0", "0x-1p+0", "--0x1p+0", "0x1p",
                           "0x1p+0 ", "infinity", "-nan", "0x1p+99999", "0x10000000000000000"}) {
    INFO(text);
    CHECK_THROWS_WITH(check_planted(text), contains_text("is not the value of an element; write "));
  }
}

}  // namespace
}  // namespace foldproof
