// Faults of kernels like those of correct/filled_rows.cu.

// Without the barrier before s[0] is used again.
template <int threads>
__global__ void token_softmax(const float* x, float* y, int n) {
  __shared__ float s[threads];
  int i = blockIdx.x * threads + threadIdx.x, t = threadIdx.x;
  s[t] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int d = threads / 2; d > 0; d /= 2) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  float e = i < n ? expf(x[i] - s[0]) : 0;
  s[t] = e;
  __syncthreads();
  for (int d = threads / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (i < n) y[i] = e / s[0];
}
template __global__ void token_softmax<128>(const float*, float*, int);

// Reads groups of four past the end.
__global__ void dot_groups(const float* a, const float* b, float* y, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  float x = 0;
  if (i < n) {
    float4 p = *(const float4*)&a[i], q = *(const float4*)&b[i];
    x = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  for (int k = 16; k > 0; k /= 2) x += __shfl_down_sync(0xffffffff, x, k);
  if (threadIdx.x % 32 == 0) atomicAdd(y, x);
}

__global__ void histogram_groups(const int* a, int* histogram, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  int4 x = *(const int4*)&a[i];
  atomicAdd(&histogram[x.x], 1);
  atomicAdd(&histogram[x.y], 1);
  atomicAdd(&histogram[x.z], 1);
  atomicAdd(&histogram[x.w], 1);
}

// Without the barrier after the bins are cleared.
__global__ void histogram_of_bytes(const unsigned char* data, int n, unsigned* histogram) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&histogram[i], s[i]);
}

// Some elements are counted with a plain addition.
__global__ void histogram_lost(const int* a, int* histogram, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) histogram[a[i]] += 1;
}
