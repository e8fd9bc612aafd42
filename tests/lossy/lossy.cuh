// A reduction by one block for every element type, which loses or repeats an element on request: the fault must be
// found for each type and each operator, whatever the values are.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstddef>
#include <limits>
#include <type_traits>

/// The type of the computation: T itself, or float if CUDA lacks arithmetic on T for some operator.
template <typename T>
constexpr bool is_narrow = !std::is_arithmetic_v<T>;
template <typename T>
using Wide = std::conditional_t<is_narrow<T>, float, T>;

struct Sum {
  template <typename W>
  __device__ static W identity() { return W{0}; }
  template <typename W>
  __device__ static W apply(W a, W b) { return static_cast<W>(a + b); }
};
struct Prod {
  template <typename W>
  __device__ static W identity() { return W{1}; }
  template <typename W>
  __device__ static W apply(W a, W b) { return static_cast<W>(a * b); }
};
/// The smallest and the largest value.
template <typename W>
constexpr W bottom = std::is_floating_point_v<W> ? -std::numeric_limits<W>::infinity() : std::numeric_limits<W>::lowest();
template <typename W>
constexpr W top = std::is_floating_point_v<W> ? std::numeric_limits<W>::infinity() : std::numeric_limits<W>::max();
struct Max {
  template <typename W>
  __device__ static W identity() { return bottom<W>; }
  template <typename W>
  __device__ static W apply(W a, W b) { return a > b ? a : b; }
};
struct Min {
  template <typename W>
  __device__ static W identity() { return top<W>; }
  template <typename W>
  __device__ static W apply(W a, W b) { return a < b ? a : b; }
};

enum class Fault { none, drop, forget, repeat, beyond };

/// load(i) returns element i.
template <typename Op, typename W, Fault fault, typename Load>
__device__ void lossy_reduce(const Load& load, W* output, std::size_t count) {
  __shared__ W slots[64];
  W total = Op::template identity<W>();
  const std::size_t end = fault == Fault::drop && count > 0 ? count - 1 : fault == Fault::beyond ? count + 1 : count;
  for (std::size_t i = threadIdx.x; i < end; i += blockDim.x) total = Op::apply(total, load(i));
  if (fault == Fault::repeat && threadIdx.x == 0 && count > 0) total = Op::apply(total, load(count - 1));
  slots[threadIdx.x] = total;
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    const bool forgets = fault == Fault::forget && half == 32 && threadIdx.x == 0;
    if (threadIdx.x < half && !forgets) slots[threadIdx.x] = Op::apply(slots[threadIdx.x], slots[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *output = slots[0];
}
