// Bins by exponent in shared memory, in which a thread adds up without rounding.
#pragma once

#include <cuda_runtime.h>

#include "../dynamic_shared.cuh"
#include "limbs.cuh"

/// 1.5 * 2^(exponent - 1023). Adding a smaller double to it rounds that double to a multiple of its last
/// place, 2^(exponent - 1075), or 2^-1074 if the exponent is 0.
__device__ inline double rounder(unsigned exponent) {
  return __hiloint2double(static_cast<int>(exponent << 20 | 1u << 19), 0);
}

/// The multiple of the last place of `by` that is nearest to `value`: below 2^51 in magnitude. The bits of
/// doubles with one exponent count such places.
__device__ inline long long places(double value, double by) {
  return __double_as_longlong(value + by) - __double_as_longlong(by);
}

/// The bins of one type: each thread has one set, with a bin for every `window` of successive exponents, in
/// one or more parts. The same bin of the next thread is adjacent, in the next bank, so that the threads of a
/// warp never wait for each other, whatever they add.
template <typename T>
class Bins;

/// A float is a multiple of its bin's unit and below 2^39 of them, so 2^12 floats add up below 2^51: exactly,
/// in a double.
template <>
class Bins<float> {
 public:
  static constexpr unsigned windows = 16, parts = 1, bytes = 8 * windows * parts;
  static constexpr unsigned threads = 1024;  ///< of a block, at most
  static constexpr unsigned most = 1 << 12;  ///< elements of a thread before they are emptied
  static constexpr unsigned depth = 4, batch = 2;  ///< vectors of 16 bytes that are loaded ahead, and added together

  /// Empty bins, in the block's dynamic shared memory: `bytes` a thread.
  __device__ Bins() : bins_(dynamic_shared<double>()) { clear(); }

  /// Empties those of the calling thread. After their last sum they are not cleared, since clearing costs as much as
  /// reading.
  __device__ void clear() {
    for (unsigned window = 0; window < windows; ++window) bins_[window * blockDim.x + threadIdx.x] = 0;
  }

  /// An infinity or NaN makes the uppermost bin one.
  template <unsigned n>
  __device__ void add(const float (&elements)[n]) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      bins_[(__float_as_uint(elements[k]) >> 27) % 16 * blockDim.x + threadIdx.x] += elements[k];
    }
  }

  /// What is in a bin, as a multiple of 2^place. What is not finite counts for `unbounded` from then on.
  __device__ long long read(unsigned window, unsigned, unsigned thread) {
    const double value = bins_[window * blockDim.x + thread];
    if (!isfinite(value)) {
      unbounded_ += value;
      return 0;
    }
    return places(value, rounder(place(window, 0) + 1075 - 149));
  }

  __device__ static unsigned place(unsigned window, unsigned) { return place_of(16 * window); }

  /// The sum of what this thread has read that is not finite, as IEEE 754 has it, or 0.
  __device__ double unbounded() const { return unbounded_; }

 private:
  double* bins_;
  double unbounded_ = 0;
};

/// There is no wider type for sums of doubles. Each is split in two, a multiple of 2^52 units of its window
/// and the rest, both below 2^51 of their places; 64-bit integers add up fewer than 2^12 of these exactly.
template <>
class Bins<double> {
 public:
  static constexpr unsigned windows = 41, parts = 2, bytes = 8 * windows * parts;
  static constexpr unsigned threads = 352;  // their bins fill the shared memory of a multiprocessor
  static constexpr unsigned most = (1 << 12) - 1;
  static constexpr unsigned depth = 16, batch = 2;

  __device__ Bins() : bins_(dynamic_shared<longlong2>()) { clear(); }

  __device__ void clear() {
    for (unsigned window = 0; window < windows; ++window) bins_[window * blockDim.x + threadIdx.x] = {0, 0};
  }

  template <unsigned n>
  __device__ void add(const double (&elements)[n]) {
    double usual[n];
    unsigned largest = 0;
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      usual[k] = elements[k];
      largest = max(largest, exponent(elements[k]));
    }
    // One branch for all of them, which a warp seldom takes.
    if (largest >= extreme) {
      add_extremes(elements);
#pragma unroll
      for (unsigned k = 0; k < n; ++k) {
        if (exponent(elements[k]) >= extreme) usual[k] = 0;
      }
    }
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      const unsigned window = exponent(usual[k]) / width;
      add_cut(usual[k], window, window);
    }
  }

  __device__ long long read(unsigned window, unsigned part, unsigned thread) {
    const longlong2& bin = bins_[window * blockDim.x + thread];
    return part == 0 ? bin.x : bin.y;
  }

  __device__ static unsigned place(unsigned window, unsigned part) {
    return part == 0 ? place_of(width * window) : width * window + 51;
  }

  __device__ double unbounded() const { return unbounded_; }

 private:
  static constexpr unsigned width = 51;                      ///< exponents of a window
  static constexpr unsigned extreme = width * (windows - 1);  ///< no rounder is larger than doubles from here on

  __device__ static unsigned exponent(double value) {
    return (static_cast<unsigned>(__double2hiint(value)) >> 20) % 2048;
  }

  /// Adds to the bin of a window what is cut as in window `as`.
  __device__ void add_cut(double value, unsigned window, unsigned as) {
    const double upper = rounder(width * as + 52), lower = rounder(width * as);
    longlong2& bin = bins_[window * blockDim.x + threadIdx.x];
    longlong2 sum = bin;
    sum.x += places(value - ((value + upper) - upper), lower);
    sum.y += places(value, upper);
    bin = sum;
  }

  /// Those from 2^1017 on, scaled, go to a window of their own. It happens seldom: the code is small, not fast.
  template <unsigned n>
  __device__ void add_extremes(const double (&elements)[n]) {
#pragma unroll 1
    for (unsigned k = 0; k < n; ++k) {
      double value = elements[0];
#pragma unroll
      for (unsigned e = 1; e < n; ++e) value = e == k ? elements[e] : value;
      if (exponent(value) < extreme) continue;
      if (isfinite(value)) {
        add_cut(value * 0x1p-51, windows - 1, windows - 2);
      } else {
        unbounded_ += value;
      }
    }
  }

  longlong2* bins_;
  double unbounded_ = 0;
};
