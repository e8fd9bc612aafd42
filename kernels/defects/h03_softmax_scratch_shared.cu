// H3: llama.cpp #26385. A softmax row: the maximum and the sum use one scratch array. The first warp clears
// it for the sum while slower warps still read the maxima from it. Fixed by a barrier between the two, or two
// arrays.
#include <cstddef>

#include "../reduction_operators.cuh"

template <typename Op>
__device__ float warp_fold(float value) {
  for (unsigned step = 16; step > 0; step /= 2) {
    value = Op::apply(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  return value;
}

/// blockDim.x is a multiple of 32.
__global__ void softmax_scratch_shared(const float* scores, float* weights, unsigned columns) {
  __shared__ float scratch[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  float highest = Max::identity<float>();
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) highest = fmaxf(highest, scores[c]);
  if (warp == 0) scratch[lane] = Max::identity<float>();
  __syncthreads();
  highest = warp_fold<Max>(highest);
  if (lane == 0) scratch[warp] = highest;
  __syncthreads();
  highest = warp_fold<Max>(scratch[lane]);

  float sum = 0.0f;
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(scores[c] - highest);
  if (warp == 0) scratch[lane] = 0.0f;  // finding: shared-race
  __syncthreads();
  sum = warp_fold<Sum>(sum);
  if (lane == 0) scratch[warp] = sum;
  __syncthreads();
  sum = warp_fold<Sum>(scratch[lane]);

  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) weights[c] = expf(scores[c] - highest) / sum;
}
