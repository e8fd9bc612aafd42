// Narrow formats and E8M0 scales as the CUDA Toolkit's headers read and write them.
#if __has_include(<cuda_fp4.h>)

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include <bit>
#include <cmath>

#include "catch.h"
#include "elements.h"
#include "oracles/block_scale.h"
#include "oracles/dyadic.h"

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

TEST_CASE("every code of the narrow formats has the value that the toolkit reads") {
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

TEST_CASE("every scale is the power of two that the toolkit reads, 2^-127 the least and 0xFF NaN") {
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
    for (const RoundingMode mode : {RoundingMode::toward_zero, RoundingMode::up})
      CHECK(encode_scale(scale, mode, Saturation::none) == code);
  }
  CHECK(to_double(decode_scale(0)) == 0x1p-127);
  CHECK(to_double(decode_scale(0xfe)) == 0x1p127);
}

TEST_CASE("scales are rounded to powers of two and clipped as the toolkit does it") {
  struct Row {
    double value;
    unsigned toward_zero, up, saturating_up;
  };
  for (const Row& row :
       {Row{1.0, 127, 127, 127}, Row{1.5, 127, 128, 128}, Row{0x1.0000000000001p0, 127, 128, 128},
        Row{0x1.fffffffffffffp0, 127, 128, 128}, Row{-3.0, 128, 129, 129}, Row{0.0, 0, 0, 0},
        Row{0x1p-149, 0, 0, 0}, Row{0x1p-1074, 0, 0, 0}, Row{0x1p-127, 0, 0, 0}, Row{0x1.8p-127, 0, 1, 1},
        Row{0x1p-126, 1, 1, 1}, Row{0x1p127, 254, 254, 254}, Row{0x1.8p127, 254, 255, 254},
        Row{0x1p200, 254, 255, 254}, Row{INFINITY, 255, 255, 254}, Row{NAN, 255, 255, 255}}) {
    INFO(row.value);
    const Number x = number_of(row.value);
    CHECK(unsigned{encode_scale(x, RoundingMode::toward_zero, Saturation::none)} == row.toward_zero);
    CHECK(unsigned{encode_scale(x, RoundingMode::up, Saturation::none)} == row.up);
    CHECK(unsigned{encode_scale(x, RoundingMode::up, Saturation::to_largest)} == row.saturating_up);
    CHECK(__nv_cvt_double_to_e8m0(row.value, __NV_NOSAT, cudaRoundZero) == row.toward_zero);
    CHECK(__nv_cvt_double_to_e8m0(row.value, __NV_NOSAT, cudaRoundPosInf) == row.up);
    CHECK(__nv_cvt_double_to_e8m0(row.value, __NV_SATFINITE, cudaRoundPosInf) == row.saturating_up);
  }
  CHECK_THROWS_AS(encode_scale(number_of(1), RoundingMode::down, Saturation::none), std::invalid_argument);
}

TEST_CASE("a scale's 64 significant bits are rounded up beyond what a double holds") {
  const Number above_one{Number::Category::finite, false, (std::uint64_t{1} << 63) + 1, -63};
  CHECK(encode_scale(above_one, RoundingMode::up, Saturation::none) == 128);
  CHECK(encode_scale(above_one, RoundingMode::toward_zero, Saturation::none) == 127);
}

TEST_CASE("every e2m1 under every scale is their exact product") {
  constexpr double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned scale = 0; scale < 255; ++scale)
    for (unsigned code = 0; code < 16; ++code) {
      const double expected =
          std::ldexp(code < 8 ? values[code] : -values[code - 8], static_cast<int>(scale) - 127);
      const Number product = scaled(decode(Element::e2m1, code), static_cast<std::uint8_t>(scale));
      REQUIRE(std::bit_cast<std::uint64_t>(to_double(product)) == std::bit_cast<std::uint64_t>(expected));
    }
  CHECK(scaled(decode(Element::e2m1, 0), nan_scale).is_nan());
  CHECK(scaled(decode(Element::e4m3, 0x7f), 127).is_nan());
  CHECK(scaled(decode(Element::e5m2, 0xfc), 3).is_infinite());
}

TEST_CASE("a scale holds for 32 elements") {
  const auto ones = elements_of(Element::e2m1, std::vector<double>(70, 1.0));
  const std::uint8_t scales[] = {127, 128, 130};
  for (const auto& [index, value] :
       {std::pair{0, 1.0}, {31, 1.0}, {32, 2.0}, {63, 2.0}, {64, 8.0}, {69, 8.0}})
    CHECK(to_double(load_scaled(Element::e2m1, ones, scales, static_cast<std::size_t>(index))) == value);
}

}  // namespace
}  // namespace foldproof

#endif
