// F2: the minimum or maximum of floats by one unsigned integer atomic per block, on bits that are ordered
// like the floats.
#include <cstddef>

#include "../atomic_operators.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

template <typename T>
using Key = typename BitsOf<T>::Unsigned;
template <typename T>
constexpr Key<T> sign_bit = ~(~Key<T>{0} >> 1);

/// Keys in the order of the values. The bits of floats are a sign and a magnitude: negative ones are
/// inverted, which puts the most negative first, and positive ones are moved above them. A cast alone would
/// put every negative float above every positive one.
template <typename T>
__device__ Key<T> ordered(T value) {
  const Key<T> bits = BitsOf<T>::of(value);
  return bits & sign_bit<T> ? ~bits : bits | sign_bit<T>;
}
template <typename T>
__device__ T from_ordered(Key<T> key) {
  return BitsOf<T>::value(key & sign_bit<T> ? key ^ sign_bit<T> : ~key);
}

/// The key for atomicMax. It is inverted for a minimum, so that both start from zero, which cudaMemset can
/// write and which is below the key of any number. NaN gets the largest key, whatever its sign, and so
/// propagates: all ones are converted back to NaN, inverted or not.
template <typename Op, typename T>
__device__ Key<T> key_of(T value) {
  if (value != value) return ~Key<T>{0};
  return std::is_same_v<Op, Min> ? ~ordered(value) : ordered(value);
}

/// `key` is zero before the launch.
template <typename Op, typename T>
__global__ void ordered_bits(const T* input, Key<Wide<T>>* key, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> value = Op::template identity<Wide<T>>();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    value = Op::apply(value, widen(input[i]));
  }

  value = reduce_block<Op>(value);
  // One instruction for either sign, without a loop of compare-and-swap. The order of the atomics does not
  // matter to a maximum: the same bits every time.
  if (threadIdx.x == 0) atomicMax(key, key_of<Op>(value));
}

/// One thread converts the key back after all blocks have finished.
template <typename Op, typename T>
__global__ void value_of_key(const Key<T>* key, T* result) {
  *result = from_ordered<T>(std::is_same_v<Op, Min> ? ~*key : *key);
}
