// D35: __shfl_down_sync leaves the total in lane 0; the other lanes hold partial sums. Here the function
// claims the total for all of them, as its contract says. Also seen after block reductions of libraries, which
// return the result in thread 0 only. Fixed by __shfl_xor_sync, or by a __shfl_sync from lane 0 at the end.
__device__ float warp_total(float value) {
  for (unsigned step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;  // finding: wrong-value, input-not-used, input-used-twice
}
