// E8: MXFP4: e2m1 in groups of 32, each with a power of two as its scale (E8M0: an exponent alone).
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "scaled_groups.cuh"

__global__ void microscaled_mx(const __nv_fp4_e2m1* input, const unsigned char* scales, float* output,
                               std::size_t count) {
  // Through bf16, which has a value for every exponent: the least, 2^-127, is subnormal there as it is in
  // f32, and 255 is NaN.
  const auto scale_of = [](unsigned char code) {
    return __bfloat162float(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(code)));
  };
  sum_groups<32>(input, scales, output, count, scale_of);
}
