// A maximum of bytes with a table of the values that occur: it is read from the top, and neither entries below the
// maximum nor the entry of 0 are read.
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
