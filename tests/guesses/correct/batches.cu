// Sizes of tensors: a batch of sequences of rows, and a batch of images with channels.
template <int threads>
__device__ float block_sum(float x) {
  __shared__ float shared[threads];
  shared[threadIdx.x] = x;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  return shared[0];
}

// One block for each output of the layer.
__global__ void bias_gradient(const float* dout, float* dbias, int B, int T, int OC) {
  float s = 0;
  for (int i = threadIdx.x; i < B * T; i += 128) s += dout[i * OC + blockIdx.x];
  s = block_sum<128>(s);
  if (threadIdx.x == 0) dbias[blockIdx.x] = s;
}

// One block for each channel.
__global__ void channel_sum(const float* x, float* sums, int batch, int channels, int spatial) {
  float s = 0;
  for (int i = threadIdx.x; i < batch * spatial; i += 128)
    s += x[(i / spatial * channels + blockIdx.x) * spatial + i % spatial];
  s = block_sum<128>(s);
  if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

void launch(const float* x, float* y, int b, int t, int c) {
  bias_gradient<<<c, 128>>>(x, y, b, t, c);
  channel_sum<<<c, 128>>>(x, y, b, c, t);
}
