// A maximum of four-bit codes with one bit for each code that occurs, in the order of their values. It uses the byte as
// the code, since the toolkit keeps the upper bits zero.
__global__ void four_bits(const unsigned char* input, unsigned char* output, unsigned count) {
  unsigned there = 0;
  for (unsigned i = threadIdx.x; i < count; i += 32) there |= 1u << (input[i] ^ (input[i] < 8 ? 8u : 15u));
  there = __reduce_or_sync(~0u, there);
  const unsigned last = 31 - __clz(static_cast<int>(there));
  if (threadIdx.x == 0) *output = static_cast<unsigned char>(last ^ (last < 8 ? 15u : 8u));
}
