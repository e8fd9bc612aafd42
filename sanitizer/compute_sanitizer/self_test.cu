// One kernel per tool of compute-sanitizer, with exactly the defect that this tool must report. A tool that
// does not report it cannot see anything in this environment, so its silence about other kernels is
// meaningless.
//
// Each kernel is launched with one block of 64 threads and two arguments: `four_bytes`, its own allocation of
// exactly 4 bytes that is never written, and `result`, 64 floats, which keeps the compiler from removing
// code.
//
// self_test.ptx.inc is generated from this file as follows; the version is lowered for drivers of CUDA 11:
//   nvcc -arch=compute_75 -ptx self_test.cu -o - | sed '/^\/\//d;/^$/d;s/^\.version.*/.version 6.4/' |
//     (echo 'R"ptx('; cat; echo ')ptx"') > self_test.ptx.inc

// The upper warp reads what the lower warp wrote and vice versa, without a barrier in between.
extern "C" __global__ void foldproof_self_test_racecheck(float* four_bytes, float* result) {
  __shared__ float shared[64];
  shared[threadIdx.x] = static_cast<float>(threadIdx.x);
  result[threadIdx.x] = shared[63 - threadIdx.x];
}

// One store just past the 4 bytes. Allocations begin at multiples of 256 bytes or more, so nothing else is
// there.
extern "C" __global__ void foldproof_self_test_memcheck(float* four_bytes, float* result) {
  if (threadIdx.x == 0) four_bytes[1] = 1;
  result[threadIdx.x] = 0;
}

// Half of a warp waits at a barrier, the other half passes it and exits. The kernel therefore also terminates
// without synccheck.
extern "C" __global__ void foldproof_self_test_synccheck(float* four_bytes, float* result) {
  if (threadIdx.x < 16) __syncthreads();
  result[threadIdx.x] = 0;
}

extern "C" __global__ void foldproof_self_test_initcheck(float* four_bytes, float* result) {
  result[threadIdx.x] = four_bytes[0];
}
