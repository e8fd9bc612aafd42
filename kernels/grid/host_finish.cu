// C2: the blocks write partial results, and the host folds them.
#include <cstddef>
#include <vector>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../tree/coarsened.cuh"
#include "../warp/block_shuffle.cuh"

template <typename Op, typename T>
__global__ void host_finish(const T* input, Wide<T>* partials, std::size_t count) {
  // The loop makes the number of partials the caller's choice, so that the host folds a few hundred for any
  // count.
  const Wide<T> value = fold_grid_stride<Op>(input, count);

  const Wide<T> total = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

/// The host's part: `total` starts as the identity, and `fold` combines two values. It needs no second launch and
/// no atomic, but the device waits while the host folds: useful if the host needs the result immediately anyway.
template <typename T, typename Fold>
cudaError_t fold_on_host(const T* device_partials, std::size_t blocks, T& total, Fold fold) {
  std::vector<T> partials(blocks);
  // The copy waits for the kernel, and it reports a failed kernel.
  const cudaError_t error =
      cudaMemcpy(partials.data(), device_partials, blocks * sizeof(T), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return error;
  for (const T& partial : partials) total = fold(total, partial);
  return cudaSuccess;
}
