// fp8, fp6, fp4 and e8m0 conversions, compared with the host functions of the CUDA Toolkit (which agree with
// ml_dtypes for every f32 except NaN).
#if __has_include(<cuda_fp4.h>)

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <bit>

#include "catch.h"
#include "oracle.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace {

float as_float(Value bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
__half_raw as_half(Value bits) {
  __half_raw raw;
  raw.x = static_cast<unsigned short>(bits);
  return raw;
}

/// A format with its names in PTX and in the toolkit.
struct Narrow {
  std::string type;
  unsigned bits;  ///< distance between the two values of a pair
  Value nan;
  Value (*from_float)(float);
  Value (*from_half)(__half_raw);
  Value (*to_half)(Value);
};

const Narrow formats[] = {
    {"e4m3x2", 8, 0x7F, [](float x) -> Value { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); },
     [](__half_raw x) -> Value { return __nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, __NV_E4M3); },
     [](Value x) -> Value {
       return __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), __NV_E4M3).x;
     }},
    {"e5m2x2", 8, 0x7F, [](float x) -> Value { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2); },
     [](__half_raw x) -> Value { return __nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, __NV_E5M2); },
     [](Value x) -> Value {
       return __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), __NV_E5M2).x;
     }},
    {"e2m3x2", 8, 0x1F,
     [](float x) -> Value { return __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest); }, nullptr,
     [](Value x) -> Value {
       return __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(x), __NV_E2M3).x;
     }},
    {"e3m2x2", 8, 0x1F,
     [](float x) -> Value { return __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest); }, nullptr,
     [](Value x) -> Value {
       return __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(x), __NV_E3M2).x;
     }},
    {"e2m1x2", 4, 0x7, [](float x) -> Value { return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest); },
     nullptr,
     [](Value x) -> Value {
       return __nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(x), __NV_E2M1).x;
     }},
};

/// f32 values with exponents around the narrow formats' range, and all f16 values as f32 with their
/// neighbours.
Column interesting_floats() {
  Column values = f32s(1);
  for (Value half = 0; half < 0x10000; half += 3) {
    const Value wide = reformat(f16_format, f32_format, half, Mode::zero);
    values.push_back(wide);
    values.push_back(wide + 1);
    values.push_back(wide - 1);
  }
  return values;
}

/// .relu on a narrow value: a negative one becomes +0. `sign` is its sign bit.
Value relu(Value x, Value sign) { return (x & sign) != 0 ? 0 : x; }

TEST_CASE("f32 pairs narrow to fp8, fp6 and fp4 as in the toolkit", "[convert][narrow]") {
  const Column a = interesting_floats(), b(a.rbegin(), a.rend());
  for (const Narrow& format : formats)
    for (const bool with_relu : {false, true}) {
      const Value sign = format.bits == 4                                 ? 0x8
                         : format.type[1] == '2' || format.type[1] == '3' ? 0x20
                                                                          : 0x80;
      const auto one = [&](Value bits) {
        const Value result = f32_format.is_nan(bits) ? format.nan : format.from_float(as_float(bits));
        return with_relu ? relu(result, sign) : result;
      };
      check2("cvt.rn.satfinite" + std::string(with_relu ? ".relu." : ".") + format.type + ".f32", {a, b},
             [&](Value x, Value y) { return one(x) << format.bits | one(y); });
    }
}

TEST_CASE("f16 pairs narrow to fp8 as in the toolkit", "[convert][narrow]") {
  const Column low = all_16_bits(), high(low.rbegin(), low.rend());
  for (const Narrow& format : formats) {
    if (!format.from_half) continue;
    const auto one = [&](Value bits) {
      return f16_format.is_nan(bits) ? format.nan : format.from_half(as_half(bits));
    };
    check1("cvt.rn.satfinite." + format.type + ".f16x2", {paired(low, high)},
           [&](Value x) { return one(x >> 16) << 8 | one(x & 0xFFFF); });
    check1("cvt.rn.satfinite.relu." + format.type + ".f16x2", {paired(low, high)},
           [&](Value x) { return relu(one(x >> 16), 0x80) << 8 | relu(one(x & 0xFFFF), 0x80); });
  }
}

TEST_CASE("every pair of narrow values widens to f16", "[convert][narrow]") {
  for (const Narrow& format : formats) {
    const Value mask = (Value{1} << format.bits) - 1;
    Column pairs;
    for (Value x = 0; x < Value{1} << 2 * format.bits; ++x) {
      const bool padded =
          format.type[1] == '4' || format.type[1] == '5' || format.bits == 4 || (x & 0xC0C0) == 0;
      if (padded) pairs.push_back(x);
    }
    const auto one = [&](Value x) {
      const Value result = format.to_half(x);
      return f16_format.is_nan(result) ? f16_format.nan : result;
    };
    check1("cvt.rn.f16x2." + format.type, {pairs},
           [&](Value x) { return one(x >> format.bits) << 16 | one(x & mask); });
    check1("cvt.rn.relu.f16x2." + format.type, {pairs}, [&](Value x) {
      const auto clamped = [&](Value y) { return f16_format.is_nan(one(y)) ? one(y) : relu(one(y), 0x8000); };
      return clamped(x >> format.bits) << 16 | clamped(x & mask);
    });
  }
}

TEST_CASE("scales convert from f32 and bf16 to e8m0 and back", "[convert][narrow]") {
  const Column a = f32s(1), b = f32s(2);
  for (const bool up : {false, true})
    for (const bool satfinite : {false, true}) {
      const auto mode = up ? cudaRoundPosInf : cudaRoundZero;
      const auto saturation = satfinite ? __NV_SATFINITE : __NV_NOSAT;
      const std::string modifiers =
          std::string("cvt") + (up ? ".rp" : ".rz") + (satfinite ? ".satfinite" : "");
      const auto one = [&](Value bits) -> Value {
        return __nv_cvt_float_to_e8m0(as_float(bits), saturation, mode);
      };
      check2(modifiers + ".ue8m0x2.f32", {a, b}, [&](Value x, Value y) { return one(x) << 8 | one(y); });
      const Column pairs = paired(bf16s(1), bf16s(2));
      check1(modifiers + ".ue8m0x2.bf16x2", {pairs},
             [&](Value x) { return one(x & 0xFFFF0000) << 8 | one(x << 16 & 0xFFFF0000); });
    }
  check1("cvt.rn.bf16x2.ue8m0x2", {all_16_bits()}, [](Value x) {
    const auto one = [](Value y) -> Value {
      return __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(y)).x;
    };
    return one(x >> 8) << 16 | one(x & 0xFF);
  });
}

}  // namespace
}  // namespace foldproof::tests

#else

#include "catch.h"
#include "session.h"

TEST_CASE("conversions of narrow formats agree with the toolkit") {
  foldproof::tests::skip("the CUDA Toolkit is older than 12.8: it has no cuda_fp4.h");
}

#endif
