// One kernel a tool of compute-sanitizer, each wrong in exactly the way that this tool must report: a tool that
// keeps silent about it sees nothing here, and its silence about other kernels says nothing.
//
// Each is launched with one block of 64 threads and two arguments: `four_bytes`, an allocation of its own of
// exactly 4 bytes that nobody ever writes, and `result`, of 64 floats, which keeps the compiler from dropping
// anything.
//
// self_test.ptx.inc is made from this file by the following, which also lets drivers of CUDA 11 take it:
//   nvcc -arch=compute_75 -ptx self_test.cu -o - | sed '/^\/\//d;/^$/d;s/^\.version.*/.version 6.4/' |
//     (echo 'R"ptx('; cat; echo ')ptx"') > self_test.ptx.inc

// The upper warp reads what the lower wrote, and the other way round, with no barrier between.
extern "C" __global__ void foldproof_self_test_racecheck(float* four_bytes, float* result) {
  __shared__ float shared[64];
  shared[threadIdx.x] = static_cast<float>(threadIdx.x);
  result[threadIdx.x] = shared[63 - threadIdx.x];
}

// One store right behind the 4 bytes. Allocations begin at multiples of 256 bytes or more: nothing else is
// there.
extern "C" __global__ void foldproof_self_test_memcheck(float* four_bytes, float* result) {
  if (threadIdx.x == 0) four_bytes[1] = 1;
  result[threadIdx.x] = 0;
}

// Half of a warp meets a barrier, the other half goes past it and ends: so the kernel ends where nobody watches,
// too.
extern "C" __global__ void foldproof_self_test_synccheck(float* four_bytes, float* result) {
  if (threadIdx.x < 16) __syncthreads();
  result[threadIdx.x] = 0;
}

extern "C" __global__ void foldproof_self_test_initcheck(float* four_bytes, float* result) {
  result[threadIdx.x] = four_bytes[0];
}
