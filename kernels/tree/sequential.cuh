// The tree with sequential addressing: A5, and the last step of A6, A10 and A12.
#pragma once

/// Folds one value per thread; thread 0 returns the total. blockDim.x is a power of two, and `slots` has that
/// many elements, which may be reused immediately.
template <typename Op, typename T>
__device__ T reduce_sequential(T value, T* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    // Neighbouring threads touch neighbouring slots, so there are no bank conflicts; the working threads are
    // the first ones, so only the last warp ever diverges. A block that is not a power of two would lose the
    // odd slot of a round: see any_block.cu.
    if (thread < half) slots[thread] = Op::apply(slots[thread], slots[thread + half]);
    // After the last round too: a second call may not overwrite a slot that thread 0 still reads.
    __syncthreads();
  }
  return slots[thread];
}
