// What a guess must not do: invent numbers, leave outputs unchecked, limit itself to inputs that fit.
#include <string>

#include "catch.h"
#include "cli/judged.h"
#include "nvcc.h"

using namespace foldproof::test;

TEST_CASE("a number that decides what the result is cannot be guessed, unless it is a factor",
          "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("inventions");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void scaled_sum(const float* in, float* out, int n, float alpha) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < n; ++i) total += in[i];
  *out = alpha * total;
}
__global__ void sum_scaled_twice(const float* in, float* out, int n, float alpha) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < n; ++i) total += alpha * in[i];
  *out = alpha * total;
}
__global__ void update_sum(const float* in, float* out, int n, float alpha, float beta) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < n; ++i) total += in[i];
  *out = alpha * total + beta * *out;
}
__global__ void sum_between(const float* in, float* out, int begin, int end) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = begin; i < end; ++i) total += in[i];
  *out = total;
}
__global__ void min_from(const float* in, float* out, int n, float start) {
  if (threadIdx.x > 0) return;
  float least = start;
  for (int i = 0; i < n; ++i) least = fminf(least, in[i]);
  *out = least;
}
__constant__ int length;
__global__ void sum_of_length(const float* in, float* out) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < length; ++i) total += in[i];
  *out = total;
}
// The number of columns is also the distance between rows.
__global__ void column_means(const float* in, float* out, int rows, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  float total = 0;
  for (int r = 0; r < rows; ++r) total += in[r * n + column];
  out[column] = total / rows;
}
__global__ void strided_sum(const float* in, float* out, int n, int incx) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < n; ++i) total += in[i * incx];
  *out = total;
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(ran.status == 3);
  CHECK(kernels["scaled_sum"].verdict == "clean");
  CHECK(has(kernels["scaled_sum"].notes, " = 1, blocks"));
  CHECK(kernels["sum_scaled_twice"].verdict == "no-fit");
  CHECK(has(kernels["sum_scaled_twice"].reason,
            "the result depends on \"alpha\", whose value cannot be guessed"));
  CHECK(kernels["update_sum"].verdict == "no-fit");
  CHECK(kernels["sum_between"].verdict == "no-fit");
  CHECK(kernels["min_from"].verdict == "no-fit");
  CHECK(has(kernels["sum_of_length"].reason, "it reads the variable length, which only the host sets"));
  CHECK(kernels["column_means"].verdict == "clean");
  CHECK(has(kernels["column_means"].notes, "mean:columns"));
  CHECK(kernels["strided_sum"].verdict == "clean");
}

TEST_CASE("a distance between elements is understood only if twice as much leaves the input", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("distances");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void row_sums(const float* in, float* out, int rows, int cols, int ld) {
  if (threadIdx.x > 0) return;
  float v = 0;
  for (int i = 0; i < cols; ++i) v += in[blockIdx.x * ld + i];
  out[blockIdx.x] = v;
}
__global__ void ignoring_row_sums(const float* in, float* out, int rows, int cols, int ld) {
  if (threadIdx.x > 0) return;
  float v = 0;
  for (int i = 0; i < cols; ++i) v += in[blockIdx.x * cols + i];
  out[blockIdx.x] = v;
}
// The distance is in bytes.
__global__ void pitched_row_sums(const float* in, size_t pitch, float* out, int rows, int cols) {
  if (threadIdx.x > 0) return;
  const float* row = (const float*)((const char*)in + blockIdx.x * pitch);
  float v = 0;
  for (int i = 0; i < cols; ++i) v += row[i];
  out[blockIdx.x] = v;
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels["row_sums"].verdict == "clean");
  CHECK(kernels["ignoring_row_sums"].verdict == "no-fit");
  CHECK(kernels["pitched_row_sums"].verdict == "no-fit");
}

TEST_CASE("a name alone does not make a kernel wrong, but an index beyond the input does", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("names");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void sum_even(const int* in, int* out, int n) {
  if (threadIdx.x > 0) return;
  int v = 0;
  for (int i = 0; i < n; ++i) v += in[i] % 2 == 0 ? in[i] : 0;
  *out = v;
}
__global__ void sum_and_max(const float* in, float* out, int n) {
  if (threadIdx.x > 0) return;
  float v = 0, most = -INFINITY;
  for (int i = 0; i < n; ++i) v += in[i], most = fmaxf(most, in[i]);
  out[0] = v;
  out[1] = most;
}
__global__ void sum_until(const float* in, float* out, int last) {
  if (threadIdx.x > 0) return;
  float v = 0;
  for (int i = 0; i <= last; ++i) v += in[i];
  *out = v;
}
__global__ void sum_beyond(const float* in, float* out, int n) {
  if (threadIdx.x > 0) return;
  float v = 0;
  for (int i = 0; i <= n; ++i) v += in[i];
  *out = v;
}
__global__ void sum_ahead(const float* in, float* out, int n) {
  if (threadIdx.x > 0) return;
  float v = 0, next = n > 0 ? in[0] : 0;
  for (int i = 0; i < n; ++i) {
    const float current = next;
    next = in[i + 1];
    v += current;
  }
  *out = v;
}
__global__ void sum_few(const float* in, float* out, unsigned short n) {
  if (threadIdx.x > 0) return;
  float v = 0;
  for (int i = 0; i < n; ++i) v += in[i];
  *out = v;
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels["sum_even"].verdict == "no-fit");
  CHECK(kernels["sum_and_max"].verdict == "no-fit");
  CHECK(kernels["sum_until"].verdict == "clean");
  CHECK(kernels["sum_beyond"].verdict == "findings");
  CHECK(kernels["sum_ahead"].verdict == "findings");
  CHECK(kernels["sum_few"].verdict == "clean");
}

TEST_CASE("a guess is not limited to the few elements that a wrong kernel gets right", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("limits");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__device__ float of_warp(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}
__global__ void norm(const float* in, float* out, int n) {  // loses the tail
  float v = 0;
  for (int i = threadIdx.x; i < n / 32 * 32; i += 32) v += in[i] * in[i];
  v = of_warp(v);
  if (threadIdx.x == 0) *out = sqrtf(v);
}
__global__ void scan(const int* in, int* out, int n) {  // the carry is lost
  int carry = 0;
  for (int begin = 0; begin < n; begin += 32) {
    const int i = begin + threadIdx.x;
    int v = i < n ? in[i] : 0;
    for (int k = 1; k < 32; k *= 2) {
      const int other = __shfl_up_sync(~0u, v, k);
      if (threadIdx.x >= k) v += other;
    }
    if (i < n) out[i] = carry + v;
    carry = __shfl_sync(~0u, v, 31);
  }
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels["norm"].verdict == "findings");
  CHECK(kernels["scan"].verdict == "findings");
}

TEST_CASE("a guess that only ordinary elements confirm does not make a kernel wrong", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("special");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void total_of_numbers(const float* in, float* out, int n) {  // skips NaN
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += isnan(in[i]) ? 0 : in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) *out = v;
}
__global__ void clamped(const int* in, int* out, int n) {
  long long v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) *out = v > 0x7fffffff ? 0x7fffffff : v < -0x7fffffff ? -0x7fffffff : v;
}
// A threshold, and a count of what exceeds it, which no reference contract has.
__global__ void count_above(const float* in, unsigned* out, int n, float threshold) {
  unsigned v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += in[i] > threshold;
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) *out = v;
}
// Blocks add their shares of the mean.
__global__ void mean(const float* in, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v / n);
}
// The first element becomes the minimum, but what else is in order was not checked.
__global__ void bubbles(int* data, int n) {
  for (int round = 0; round < n; ++round) {
    const int i = 2 * threadIdx.x + round % 2;
    for (int k = i; k + 1 < n; k += 2 * blockDim.x)
      if (data[k] > data[k + 1]) {
        const int larger = data[k];
        data[k] = data[k + 1];
        data[k + 1] = larger;
      }
    __syncthreads();
  }
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 3);
  CHECK(has(judged(ran)["bubbles"].reason, "only one of the elements that it leaves there is known"));
  auto kernels = judged(ran);
  CHECK(kernels["total_of_numbers"].verdict == "no-fit");
  CHECK(kernels["clamped"].verdict == "no-fit");
  CHECK(kernels["count_above"].verdict == "no-fit");
  CHECK(has(kernels["mean"].notes, "blocks of 1 to 1024 threads, a multiple of 32"));
}

TEST_CASE("what a name says besides the operator is unknown", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("interior");
  const auto kernels = judged(run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
template <class Value>
__device__ void add_interior(const float* in, float* out, int n, Value value) {
  float v = 0;
  for (int i = threadIdx.x + 1; i < n - 1; i += 32) v += value(in[i]);
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) *out = v;
}
__global__ void sum_interior(const float* in, float* out, int n) {
  add_interior(in, out, n, [](float x) { return x; });
}
__global__ void sumsq_interior(const float* in, float* out, int n) {
  add_interior(in, out, n, [](float x) { return x * x; });
}
__global__ void warp_sum(const float* in, float* out, int n) {
  add_interior(in, out, n, [](float x) { return x; });
}
)cuda")}));
  CHECK(kernels.at("sum_interior").verdict == "no-fit");
  CHECK(kernels.at("sumsq_interior").verdict == "no-fit");
  CHECK(kernels.at("warp_sum").verdict == "findings");
}

TEST_CASE("a kernel that forgets a square or a root is not another operator", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("forgets");
  const auto kernels = judged(run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
template <class Value>
__device__ float added(const float* in, int n, Value value) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += value(in[i]);
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}
__device__ float plain(float x) { return x; }
__device__ float squared(float x) { return x * x; }
#define KERNEL(name, value) \
  __global__ void name(const float* in, float* out, int n) { *out = added(in, n, value); }
KERNEL(sqnorm, plain)
KERNEL(norm2, plain)
KERNEL(l2sq, plain)
KERNEL(grad_norm, plain)
KERNEL(nrm2, plain)
KERNEL(snrm2, squared)
KERNEL(rowL2, squared)
KERNEL(l2sq_of_all, squared)
__global__ void sum_and_sq(const float* in, int n, float* sum, float* sq) {
  *sum = added(in, n, plain), *sq = added(in, n, plain);
}
__global__ void sum_and_squares(const float* in, int n, float* sum, float* sq) {
  *sum = added(in, n, plain), *sq = added(in, n, squared);
}
)cuda")}));
  for (const char* wrong : {"sqnorm", "norm2", "l2sq", "grad_norm", "nrm2", "snrm2", "rowL2", "sum_and_sq"}) {
    INFO(wrong);
    CHECK(kernels.at(wrong).verdict != "clean");
  }
  CHECK(has(kernels.at("l2sq_of_all").notes, "operator sum-of-squares"));
  CHECK(has(kernels.at("sum_and_squares").notes, "sum in \\\"sum\\\""));
}

TEST_CASE("the name of an output says what it holds if that of the kernel does not", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("output-names");
  const auto kernels = judged(run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
template <class Fold>
__device__ float folded(const float* in, int n, float v, Fold fold) {
  for (int i = threadIdx.x; i < n; i += 32) v = fold(v, in[i]);
  for (int k = 16; k > 0; k /= 2) v = fold(v, __shfl_xor_sync(~0u, v, k));
  return v;
}
__device__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ float added(float a, float b) { return a + b; }
__global__ void compute(const float* in, float* maxval, int n) { *maxval = folded(in, n, -INFINITY, larger); }
__global__ void compute_2(const float* in, float* minimum, int n) { *minimum = folded(in, n, -INFINITY, larger); }
__global__ void compute_3(const float* in, float* product, int n) { *product = folded(in, n, 0.f, added); }
__global__ void compute_4(const float* in, float* avg, int n) { *avg = folded(in, n, 0.f, added); }
)cuda")}));
  CHECK(has(kernels.at("compute").notes, "operator max"));
  for (const char* wrong : {"compute_2", "compute_3", "compute_4"}) {
    INFO(wrong);
    CHECK(kernels.at(wrong).verdict != "clean");
  }
}
