// Shared-memory trees: static and dynamic shared memory, every element type, an unrolled volatile tail.

template <class T, int block>
__device__ T tree(const T* input, unsigned count) {
  __shared__ T tile[block];
  T sum = 0;
  for (unsigned i = blockIdx.x * block + threadIdx.x; i < count; i += gridDim.x * block) sum += input[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int stride = block / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
    __syncthreads();
  }
  return tile[0];
}

template <class T, int block>
__global__ void __launch_bounds__(block, 2) sum(const T* __restrict__ input, T* output, unsigned count) {
  const T total = tree<T, block>(input, count);
  if (threadIdx.x == 0) output[blockIdx.x] = total;
}

template __global__ void sum<float, 256>(const float*, float*, unsigned);
template __global__ void sum<double, 128>(const double*, double*, unsigned);
template __global__ void sum<int, 256>(const int*, int*, unsigned);
template __global__ void sum<long long, 64>(const long long*, long long*, unsigned);
template __global__ void sum<unsigned char, 64>(const unsigned char*, unsigned char*, unsigned);
template __global__ void sum<short, 64>(const short*, short*, unsigned);

extern __shared__ float dynamic[];

__global__ void sum_dynamic(const float4* input, float* output) {
  const float4 v = input[blockIdx.x * blockDim.x + threadIdx.x];
  dynamic[threadIdx.x] = (v.x + v.y) + (v.z + v.w);
  for (unsigned stride = blockDim.x / 2; stride >= 32; stride >>= 1) {
    __syncthreads();
    if (threadIdx.x < stride) dynamic[threadIdx.x] += dynamic[threadIdx.x + stride];
  }
  if (threadIdx.x >= 32) return;
  volatile float* tail = dynamic;
  for (int stride = 16; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) tail[threadIdx.x] += tail[threadIdx.x + stride];
    __syncwarp();
  }
  if (threadIdx.x == 0) atomicAdd(output, tail[0]);
}

__global__ void sum_rows(const double* input, double* output, int columns) {
  __shared__ double tile[8][33];
  tile[threadIdx.y][threadIdx.x] = input[(blockIdx.x * 8 + threadIdx.y) * columns + threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int i = 0; i < 32; ++i) sum += tile[threadIdx.y][i];
  atomicAdd(&output[blockIdx.x * 8 + threadIdx.y], sum);
}

__device__ unsigned ticket;

__global__ void last_block(const float* input, volatile float* partials, float* output, unsigned count) {
  __shared__ bool is_last;
  const float total = tree<float, 128>(input, count);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = total;
    __threadfence();
    is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partials[i];
  *output = sum;
}
