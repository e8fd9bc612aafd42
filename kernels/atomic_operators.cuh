// The operators as atomics on global memory.
#pragma once

#include "reduction_operators.cuh"

/// In global memory the f32 form flushes subnormal operands and results to zero.
template <typename T>
__device__ void atomic_apply(Sum, T* address, T value) {
  atomicAdd(address, value);
}

__device__ inline void atomic_apply(Max, int* address, int value) { atomicMax(address, value); }

/// There is no atomic maximum of floats, but their bits are ordered: those of positive floats as signed
/// integers, where every negative float lies below them, and those of negative floats backwards as unsigned
/// integers, where every positive float lies below. One integer atomic on the bits therefore serves each
/// sign. A NaN with its sign bit set would pass for the lowest number, so NaN is made positive: above
/// infinity.
__device__ inline void atomic_apply(Max, float* address, float value) {
  if (value != value) value = __int_as_float(0x7fffffff);
  const int bits = __float_as_int(value);
  if (bits >= 0) {
    atomicMax(reinterpret_cast<int*>(address), bits);
  } else {
    atomicMin(reinterpret_cast<unsigned*>(address), static_cast<unsigned>(bits));
  }
}

/// As for float.
__device__ inline void atomic_apply(Max, double* address, double value) {
  if (value != value) value = __longlong_as_double(0x7fffffffffffffff);
  const long long bits = __double_as_longlong(value);
  if (bits >= 0) {
    atomicMax(reinterpret_cast<long long*>(address), bits);
  } else {
    atomicMin(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(bits));
  }
}
