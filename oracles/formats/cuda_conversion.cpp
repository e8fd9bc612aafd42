#include "oracles/formats/cuda_conversion.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#if __has_include(<cuda_fp4.h>)
#include <cuda_fp4.h>
#endif

#include <stdexcept>

namespace foldproof {
namespace {

__nv_saturation_t saturation_of(Saturation saturation) {
  return saturation == Saturation::none ? __NV_NOSAT : __NV_SATFINITE;
}

#if __has_include(<cuda_fp4.h>)
std::uint64_t nearest_e2m1(double x) { return __nv_cvt_double_to_fp4(x, __NV_E2M1, cudaRoundNearest); }
#else
std::uint64_t nearest_e2m1(double) {
  throw std::runtime_error(
      "e2m1 requires the headers of CUDA 12.8 or later, but this program was built with older ones; rebuild "
      "it with a newer CUDA Toolkit");
}
#endif

}  // namespace

std::uint64_t cuda_nearest(Element element, double x, Saturation saturation) {
  switch (element) {
    case Element::f16: return static_cast<__half_raw>(__double2half(x)).x;
    case Element::bf16: return static_cast<__nv_bfloat16_raw>(__double2bfloat16(x)).x;
    case Element::e4m3: return __nv_cvt_double_to_fp8(x, saturation_of(saturation), __NV_E4M3);
    case Element::e5m2: return __nv_cvt_double_to_fp8(x, saturation_of(saturation), __NV_E5M2);
    case Element::e2m1: return nearest_e2m1(x);
    case Element::f64:
    case Element::f32:
    case Element::i8:
    case Element::u8:
    case Element::i16:
    case Element::u16:
    case Element::i32:
    case Element::u32:
    case Element::i64:
    case Element::u64: break;
  }
  throw std::logic_error("cuda_nearest() was called for a format that the host supports natively");
}

}  // namespace foldproof
