// Dynamic shared memory as an array of T.
#pragma once

/// The dynamic shared memory of the block. A template cannot declare `extern __shared__ T slots[]` itself:
/// its second instantiation would give the one symbol a second type.
template <typename T>
__device__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char dynamic_shared_bytes[];
  return reinterpret_cast<T*>(dynamic_shared_bytes);
}
