// E8: NVFP4: e2m1 in groups of 16, each with an e4m3 scale. The format's second scale, an f32 for the whole
// tensor, is left to the caller: one multiplication of the sum.
#include <cuda_fp8.h>

#include "scaled_groups.cuh"

__global__ void microscaled_nv(const __nv_fp4_e2m1* input, const unsigned char* scales, float* output,
                               std::size_t count) {
  // A group's sum has at most 8 bits and a scale 4: their product does not round either.
  const auto scale_of = [](unsigned char code) {
    __nv_fp8_e4m3 scale;
    scale.__x = code;
    return static_cast<float>(scale);
  };
  sum_groups<16>(input, scales, output, count, scale_of);
}
