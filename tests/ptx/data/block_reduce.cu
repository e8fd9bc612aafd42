// Library code in the style of CUB.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

template <class T, int block, cub::BlockReduceAlgorithm algorithm>
__global__ void block_sum(const T* input, T* output) {
  using Reduce = cub::BlockReduce<T, block, algorithm>;
  __shared__ typename Reduce::TempStorage storage;
  const T sum = Reduce(storage).Sum(input[blockIdx.x * block + threadIdx.x]);
  if (threadIdx.x == 0) output[blockIdx.x] = sum;
}

template __global__ void block_sum<float, 256, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(const float*, float*);
template __global__ void block_sum<double, 96, cub::BLOCK_REDUCE_RAKING>(const double*, double*);
template __global__ void block_sum<int, 128, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(const int*, int*);

__global__ void block_scan(int* data) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ Scan::TempStorage storage;
  int value = data[threadIdx.x];
  Scan(storage).InclusiveSum(value, value);
  data[threadIdx.x] = value;
}
