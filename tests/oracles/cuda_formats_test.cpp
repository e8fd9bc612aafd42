// Narrow formats and E8M0 scales, compared with the CUDA Toolkit's headers.
#if __has_include(<cuda_fp4.h>)

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include <bit>
#include <cmath>

#include "catch.h"
#include "elements.h"
#include "oracles/operands.h"

namespace foldproof {
namespace {

float by_toolkit(Element element, std::uint64_t code) {
  const auto narrow = static_cast<unsigned char>(code);
  switch (element) {
    case Element::e2m1: return __half2float(__half(__nv_cvt_fp4_to_halfraw(narrow, __NV_E2M1)));
    case Element::e4m3: return __half2float(__half(__nv_cvt_fp8_to_halfraw(narrow, __NV_E4M3)));
    case Element::e5m2: return __half2float(__half(__nv_cvt_fp8_to_halfraw(narrow, __NV_E5M2)));
    case Element::f16: {
      __half_raw raw;
      raw.x = static_cast<unsigned short>(code);
      return __half2float(__half(raw));
    }
    default: {
      __nv_bfloat16_raw raw;
      raw.x = static_cast<unsigned short>(code);
      return __bfloat162float(__nv_bfloat16(raw));
    }
  }
}

TEST_CASE("every code of the narrow formats has the toolkit's value") {
  for (const Element element : {Element::e2m1, Element::e4m3, Element::e5m2, Element::f16, Element::bf16})
    for (std::uint64_t code = 0; code < std::uint64_t{1} << 8 * size_of(element); ++code) {
      const float expected = by_toolkit(element, code);
      const Number number = decode(element, code);
      INFO(name(element) << " " << code);
      if (std::isnan(expected)) {
        REQUIRE(number.is_nan());
        continue;
      }
      REQUIRE(std::bit_cast<std::uint64_t>(to_double(number)) ==
              std::bit_cast<std::uint64_t>(double{expected}));
      const std::uint64_t canonical = element == Element::e2m1 ? code & 0xf : code;
      REQUIRE(encode(element, number) == canonical);
    }
}

TEST_CASE("every scale has the toolkit's power of two, with 2^-127 the smallest and 0xFF NaN") {
  for (unsigned code = 0; code < 256; ++code) {
    const float expected =
        __bfloat162float(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(code))));
    const Number scale = decode_scale(static_cast<std::uint8_t>(code));
    INFO(code);
    if (code == 0xff) {
      CHECK(scale.is_nan());
      CHECK(std::isnan(expected));
      continue;
    }
    CHECK(to_double(scale) == double{expected});
  }
  CHECK(to_double(decode_scale(0)) == 0x1p-127);
  CHECK(to_double(decode_scale(0xfe)) == 0x1p127);
}

TEST_CASE("a scale applies to 32 elements") {
  const std::uint8_t codes[] = {127, 128, 130};
  const Operand scales{Element::u8, std::as_bytes(std::span(codes)), 32};
  for (const auto& [index, value] :
       {std::pair{0, 1.0}, {31, 1.0}, {32, 2.0}, {63, 2.0}, {64, 8.0}, {69, 8.0}})
    CHECK(to_double(scale_of(scales, static_cast<std::size_t>(index))) == value);
}

}  // namespace
}  // namespace foldproof

#else

#include "catch.h"
#include "session.h"

TEST_CASE("every code of the narrow formats has the value of the toolkit") {
  foldproof::tests::skip("the CUDA Toolkit is older than 12.8: it has no cuda_fp4.h");
}

#endif
