// A maximum of bytes by a table of those that are there: it is read from the top, and of what stands below the maximum,
// or of a maximum of 0, nothing is read.
__global__ void present(const unsigned char* input, unsigned char* output, unsigned count) {
  __shared__ int there[256];
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) there[i] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) atomicOr(&there[input[i]], 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  int value = 255;
  while (value > 0 && there[value] == 0) --value;
  *output = static_cast<unsigned char>(value);
}
