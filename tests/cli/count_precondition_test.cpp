// The numbers of elements for which a kernel without a contract is right.
#include <string>

#include "catch.h"
#include "cli/judged.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// Reads 256 elements at a time.
const std::string whole_blocks = R"cuda(
__device__ void add_blocks(const float* x, float* out, int n) {
  __shared__ float s[256];
  float v = 0;
  for (int i = 0; i < n; i += 256) v += x[i + threadIdx.x];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 128; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}
#define SUM(name) \
  __global__ void __launch_bounds__(256) sum_##name(const float* x, float* out, int n) { add_blocks(x, out, n); }
)cuda";

}  // namespace

TEST_CASE("if the source passes only multiples of a number, others are a matter of callers", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("multiples");
  const RanJson ran = run_json({"audit", folder.file("k.cu", whole_blocks + R"cuda(
SUM(a) SUM(b) SUM(c) SUM(d) SUM(e) SUM(f)
void launch(const float* x, float* out, int n, int tiles) {
  const int full = n & ~255;
  sum_a<<<1, 256>>>(x, out, 1 << 12);
  sum_b<<<1, 256>>>(x, out, tiles * 256);
  sum_c<<<1, 256>>>(x, out, (n + 255) / 256 * 256);
  sum_d<<<1, 256>>>(x, out, full);
  sum_e<<<1, 256>>>(x, out, n);
}
void launch_checked(const float* x, float* out, int size) {
  if (size % 256 == 0) sum_f<<<1, 256>>>(x, out, size);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  for (const char* right : {"sum_a", "sum_b", "sum_c", "sum_d", "sum_f"}) {
    CAPTURE(right);
    CHECK(kernels[right].errors.empty());
    CHECK(kernels[right].verdict == "findings");
    CHECK(has(kernels[right].notes, "a number of elements that is a multiple of 256"));
  }
  CHECK(has(kernels["sum_e"].errors, "out-of-bounds"));
}

TEST_CASE("the host may assert that a number of elements is a multiple", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("host-assert");
  const RanJson ran =
      run_json({"audit", "--cases", "8", folder.file("k.cu", "#include <cassert>\n" + whole_blocks + R"cuda(
SUM(asserted)
void launch(const float* x, float* out, int n) {
  assert(n % 256 == 0);
  sum_asserted<<<1, 256>>>(x, out, n);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(judged(ran)["sum_asserted"].errors.empty());
}

TEST_CASE("a kernel for powers of two is not one for multiples", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("powers");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__global__ void reduce(float* x, int n) {
  for (int k = n / 2; k > 0; k /= 2) {
    for (int i = threadIdx.x; i < k; i += blockDim.x) x[i] += x[i + k];
    __syncthreads();
  }
}
void launch(float* x) { reduce<<<1, 512>>>(x, 1024); }
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(judged(ran)["reduce"].errors.empty());
}

TEST_CASE("an assertion may limit the number of elements", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("asserted");
  const RanJson ran = run_json({"audit", folder.file("k.cu", "#include <cassert>\n" + whole_blocks + R"cuda(
__global__ void __launch_bounds__(256) sum(const float* x, float* out, int n) {
  assert(n % 256 == 0);
  add_blocks(x, out, n);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(judged(ran)["sum"].errors.empty());
  CHECK(has(judged(ran)["sum"].notes, "a number of elements that is a multiple of 256"));
}

TEST_CASE("what a block reads beyond the number of elements is shown", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("pairs");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__device__ void add_pairs(const float* x, float* out, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * 512 + threadIdx.x;
  s[threadIdx.x] = (i < n ? x[i] : 0) + x[i + 256];
  __syncthreads();
  for (int k = 128; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
__global__ void __launch_bounds__(256) sum_pairs(const float* x, float* out, int n) { add_pairs(x, out, n); }
__global__ void __launch_bounds__(256) sum_launched(const float* x, float* out, int n) { add_pairs(x, out, n); }
void launch(const float* x, float* out, int n) { sum_launched<<<(n + 511) / 512, 256>>>(x, out, n); }
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels["sum_pairs"].errors.empty());
  CHECK(has(kernels.at("sum_pairs").warnings,
            "if callers pass a number of elements that is not a multiple of 512: a read of"));
  CHECK(has(kernels["sum_launched"].errors, "out-of-bounds"));
}

TEST_CASE("a loop that keeps only the last element is not one element per thread", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("kept");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__device__ float total(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}
__global__ void __launch_bounds__(32) warp_sum(const float* x, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v = x[i];
  v = total(v);
  if (threadIdx.x == 0) *out = v;
}
__global__ void __launch_bounds__(32) grid_sum(const float* x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = x[i];
  v = total(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(has(judged(ran)["warp_sum"].errors, "input-not-used"));
  CHECK(has(judged(ran)["grid_sum"].errors, "input-not-used"));
}

TEST_CASE("columns for a constant number of threads are tried with smaller blocks", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("columns");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__global__ void column_sum(const double* x, double* out, int rows, int columns) {
  const int c = blockIdx.x * 256 + threadIdx.x;
  if (c >= columns) return;
  double v = 0;
  for (int r = 0; r < rows; ++r) v += x[(size_t)r * columns + c];
  out[c] = v;
}
void launch(const double* x, double* out, int rows, int columns) {
  column_sum<<<(columns + 255) / 256, 256>>>(x, out, rows, columns);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
  CHECK(judged(ran)["column_sum"].errors.empty());
}

TEST_CASE("threads may read several columns each without a loop", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("unrolled");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
template <int lost>
__device__ void add_row(const float* x, float* out, int columns) {
  float v = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int c = k * 32 + threadIdx.x;
    if (c < columns && k != lost) v += x[blockIdx.x * columns + c];
  }
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
__global__ void row_sum(const float* x, float* out, int rows, int columns) { add_row<-1>(x, out, columns); }
__global__ void third_lost(const float* x, float* out, int rows, int columns) { add_row<2>(x, out, columns); }
__global__ void last_lost(const float* x, float* out, int rows, int columns) { add_row<3>(x, out, columns); }
void launch(const float* x, float* out, int rows, int columns) {
  row_sum<<<rows, 32>>>(x, out, rows, columns);
  third_lost<<<rows, 32>>>(x, out, rows, columns);
  last_lost<<<rows, 32>>>(x, out, rows, columns);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels["row_sum"].errors.empty());
  CHECK(has(kernels["row_sum"].notes,
            "up to 4 columns per thread, since the kernel reads the last one of 128"));
  CHECK(has(kernels.at("row_sum").warnings, "if callers pass more than 128 columns"));
  CHECK(has(kernels["third_lost"].errors, "input-not-used"));
  CHECK(kernels["last_lost"].errors.empty());
  CHECK(has(kernels.at("last_lost").warnings, "if callers pass more than 96 columns"));
}

TEST_CASE("a launch may limit rows whose number the kernel does not read", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("clipped");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += 32) v += x[(size_t)blockIdx.x * columns + c];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
void launch(const float* x, float* out, int rows, int columns) {
  row_sum<<<min(rows, 256), 32>>>(x, out, rows, columns);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(judged(ran)["row_sum"].errors.empty());
  CHECK(has(judged(ran).at("row_sum").warnings, "if callers launch 256 blocks for 1000 rows"));
}

TEST_CASE("a host that rounds, or tests, a number of elements passes only multiples", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("rounded");
  const RanJson ran = run_json({"audit", folder.file("k.cu", whole_blocks + R"cuda(
SUM(rounded) SUM(half) SUM(tested) SUM(hardly) SUM(padded)
int roundup(int n, int k) { return (n + k - 1) / k * k; }
void launch(const float* x, float* out, int n) {
  if (x == nullptr || n % 256 != 0) return;
  sum_tested<<<1, 256>>>(x, out, n);
}
void launch_others(const float* x, float* out, int n) {
  sum_padded<<<1, 256>>>(x, out, roundup(n, 256));
  if (!(n % 128 == 0)) {
    return;
  }
  sum_hardly<<<1, 256>>>(x, out, n);
}
void launch_rounded(const float* x, float* out, int n) {
  n &= ~127;
  sum_half<<<1, 256>>>(x, out, n);
  n -= n % 256;
  sum_rounded<<<1, 256>>>(x, out, n);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  for (const char* right : {"sum_rounded", "sum_tested", "sum_padded"}) {
    CAPTURE(right);
    CHECK(kernels[right].errors.empty());
    CHECK(has(kernels[right].notes, "a number of elements that is a multiple of 256"));
  }
  CHECK(has(kernels["sum_half"].errors, "out-of-bounds"));
  CHECK(has(kernels["sum_hardly"].errors, "out-of-bounds"));
}

TEST_CASE("a host may compute the number of blocks and threads by loops and functions", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("computed");
  const std::string sum = R"cuda(
__global__ void sum(const float* x, float* out, int n) {
  __shared__ float s[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}
template <typename T>
constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
)cuda";
  const auto errors = [&](const std::string& launch) {
    const RanJson ran = run_json({"audit", "--cases", "16", folder.file("k.cu", sum + launch)});
    INFO(ran.json.dump() << ran.err);
    return judged(ran)["sum"].errors;
  };
  CHECK(
      errors("void f(float* x, float* o, int n) { int p = 1; while (p < n) p *= 2; sum<<<1, p>>>(x, o, n); }")
          .empty());
  CHECK(errors("void f(float* x, float* o, int n) { sum<<<ceil_div(n, 256), 256>>>(x, o, n); }").empty());
  CHECK(has(errors("void f(float* x, float* o) { sum<<<ceil_div(4096, 512), 256>>>(x, o, 4096); }"),
            "input-not-used"));
}

TEST_CASE("a kernel need not support more than its launches pass", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("most-launched");
  const std::string kernel = R"cuda(
__global__ void row_sum(const float* x, float* out, int rows, int cols) {
  __shared__ float row[1024];
  if (threadIdx.x != 0) return;
  float s = 0;
  for (int i = 0; i < cols; ++i) row[i] = x[blockIdx.x * cols + i];
  for (int i = 0; i < cols; ++i) s += row[i];
  out[blockIdx.x] = s;
}
)cuda";
  const auto judged_with = [&](const std::string& launch) {
    return judged(run_json({"audit", "--cases", "16", folder.file("k.cu", kernel + launch)}))["row_sum"];
  };
  const auto constant =
      judged_with("void f(float* x, float* o, int n) { row_sum<<<n, 32>>>(x, o, n, 1000); }");
  CHECK(constant.errors.empty());
  CHECK(has(constant.notes, "at most 1000 columns"));
  const auto guarded = judged_with(
      "void f(float* x, float* o, int n, int c) { if (c > 1024) return; row_sum<<<n, 32>>>(x, o, n, c); }");
  CHECK(guarded.errors.empty());
  const auto any =
      judged_with("void f(float* x, float* o, int n, int c) { row_sum<<<n, 32>>>(x, o, n, c); }");
  CHECK(has(any.errors, "out-of-bounds"));
}

TEST_CASE("a launch with a struct is examined if a list initializes it, and noted otherwise", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("struct-launches");
  const std::string kernel = R"cuda(
struct Dim { int rows, cols; };
__global__ void row_sum(const float* x, float* out, Dim d) {
  if (threadIdx.x != 0 || blockIdx.x >= d.rows) return;
  float s = 0;
  for (int i = 0; i < d.cols; ++i) s += x[blockIdx.x * d.cols + i];
  out[blockIdx.x] = s;
}
)cuda";
  const auto judged_with = [&](const std::string& launch) {
    return judged(run_json({"audit", "--cases", "16", folder.file("k.cu", kernel + launch)}))["row_sum"];
  };
  CHECK(has(judged_with("void f(float* x, float* o) { row_sum<<<4, 32>>>(x, o, Dim{100, 50}); }").errors,
            "input-not-used"));
  CHECK(judged_with("void f(float* x, float* o) { Dim d{100, 50}; row_sum<<<100, 32>>>(x, o, d); }")
            .errors.empty());
  const RanJson unknown = run_json(
      {"audit", "--cases", "16",
       folder.file("k.cu",
                   kernel + "void f(float* x, float* o, Dim d) { row_sum<<<d.rows, 32>>>(x, o, d); }")});
  CHECK(unknown.json.at("kernels").at(0).at("not_audited").dump().find("that passes a struct") !=
        std::string::npos);
}
