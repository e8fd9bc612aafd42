// How kernels without a contract are launched: blocks and grids with several dimensions.
#include <string>

#include "catch.h"
#include "cli/judged.h"
#include "nvcc.h"

using namespace foldproof::test;

TEST_CASE("blocks with two dimensions are tried", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("two-dimensions");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void sum(const float* in, float* out, int n) {
  __shared__ float s[8][32];
  float v = 0;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < n; i += 256) v += in[i];
  s[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int k = 1; k < 8; ++k) v += s[k][threadIdx.x];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) *out = v;
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
  CHECK(has(judged(ran)["sum"].notes, "blocks of 32 x 8 threads"));
}

TEST_CASE("a grid along several axes is that of the launch, if it depends on the arguments alone",
          "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("two-axes");
  const auto column_sums = [&](const std::string& grid) {
    const std::string text = R"cuda(
__global__ void col_sum(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, begin = blockIdx.y * 64;
  if (c >= cols) return;
  float total = 0;
  for (int r = begin; r < min(begin + 64, rows); ++r) total += in[r * cols + c];
  atomicAdd(out + c, total);
}
void run(const float* x, float* y, int rows, int cols, int strip) { col_sum<<<)cuda";
    return judged(run_json({"audit", folder.file("k.cu", text + grid + ", 256>>>(x, y, rows, cols); }\n")}))
        .at("col_sum");
  };
  const Judged open = column_sums("dim3((cols + 255) / 256, (rows + strip - 1) / strip)");
  CHECK(open.verdict == "no-fit");
  CHECK(has(open.reason, "the number of blocks along y is unknown"));
  const Judged computed = column_sums("dim3((cols + 255) / 256, (rows + 63) / 64)");
  CHECK(computed.verdict == "clean");
  CHECK(has(computed.notes, "a grid of ( columns + 255 ) / 256 x ( rows + 63 ) / 64 x 1 blocks"));
  CHECK(column_sums("dim3((cols + 255) / 256, (rows + 127) / 128)").verdict == "findings");
  // More than 64 rows are lost.
  CHECK(column_sums("dim3((cols + 255) / 256, 1)").verdict == "findings");
}

TEST_CASE("a block for each row of a matrix does not mean several elements per thread", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("triangle");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void upper_triangle(const float* a, float* parts, int n) {
  float total = 0;
  for (int c = blockIdx.x + threadIdx.x; c < n; c += 64) total += a[blockIdx.x * n + c];
  for (int k = 16; k > 0; k /= 2) total += __shfl_xor_sync(~0u, total, k);
  __shared__ float halves[2];
  if (threadIdx.x % 32 == 0) halves[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x == 0) parts[blockIdx.x] = halves[0] + halves[1];
}
void run(const float* a, float* parts, int n) { upper_triangle<<<n, 64>>>(a, parts, n); }
)cuda")});
  const Judged triangle = judged(ran).at("upper_triangle");
  CHECK(triangle.verdict == "no-fit");
  CHECK(has(triangle.reason, "the source launches 4096 blocks"));
}

TEST_CASE("a kernel whose blocks read other rows of a matrix is not a sum that reads beyond its input",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("square");
  const auto kernels = judged(run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__device__ void add_to(float* out, float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
__global__ void square_sum_of_all(const float* a, int n, float* out) {
  float v = 0;
  for (int c = threadIdx.x; c < n; c += blockDim.x) v += a[(size_t)blockIdx.x * n + c];
  add_to(out, v);
}
__global__ void sum_without_bounds(const float* a, int n, float* out) {
  add_to(out, a[blockIdx.x * blockDim.x + threadIdx.x]);
}
)cuda")}));
  CHECK(kernels.at("square_sum_of_all").verdict == "no-fit");
  CHECK(kernels.at("sum_without_bounds").verdict == "findings");
}

TEST_CASE("a matrix that may be stored by columns does not make a kernel wrong", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("by-columns");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void colSum(const float* a, float* out, int rows, int cols) {
  float total = 0;
  for (int r = threadIdx.x; r < rows; r += 32) total += a[(size_t)blockIdx.x * rows + r];
  for (int k = 16; k > 0; k /= 2) total += __shfl_xor_sync(~0u, total, k);
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}
void run(const float* a, float* out, int rows, int cols) { colSum<<<cols, 32>>>(a, out, rows, cols); }
)cuda")});
  CHECK(judged(ran).at("colSum").verdict == "no-fit");
}

TEST_CASE("a loop that strides along one axis does not make the grid along another arbitrary", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("strips");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void col_sum(const float* a, float* out, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float total = 0;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) total += a[(size_t)r * cols + c];
  atomicAdd(out + c, total);
}
void run(const float* a, float* out, int rows, int cols) {
  col_sum<<<dim3((cols + 127) / 128, 8), 128>>>(a, out, rows, cols);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(judged(ran).at("col_sum").verdict == "clean");
}

TEST_CASE("launches with too few blocks are seen for any nonzero element and for segments", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("few-blocks");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void any_nonzero(const int* x, int* flag, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (__syncthreads_or(i < n && x[i] != 0) && threadIdx.x == 0) atomicExch(flag, 1);
}
__global__ void segment_sum(const float* x, const int* offsets, float* out, int segments) {
  const int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (s >= segments) return;
  float total = 0;
  for (int i = offsets[s] + threadIdx.x % 32; i < offsets[s + 1]; i += 32) total += x[i];
  for (int k = 16; k > 0; k /= 2) total += __shfl_xor_sync(~0u, total, k);
  if (threadIdx.x % 32 == 0) out[s] = total;
}
void run(const int* a, int* flag, int n, const float* x, const int* offsets, float* out, int segments) {
  any_nonzero<<<n / 256, 256>>>(a, flag, n);
  segment_sum<<<(segments + 127) / 128, 128>>>(x, offsets, out, segments);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels.at("any_nonzero").errors.empty());
  CHECK(has(kernels.at("any_nonzero").warnings, "if callers launch 3 blocks for 1000 elements"));
  CHECK(kernels.at("segment_sum").errors.empty());
  CHECK(has(kernels.at("segment_sum").warnings, "if callers launch 1 block for 128 segments"));
}

TEST_CASE("blocks may have a thread for each column, rounded up to whole warps", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("rounded-blocks");
  const RanJson ran = run_json({"audit", "--cases", "16", folder.file("k.cu", R"cuda(
__global__ void row_max(const float* x, float* out, int columns) {
  __shared__ float warps[32];
  const int t = threadIdx.x;
  float v = t < columns ? x[blockIdx.x * columns + t] : -INFINITY;
  for (int k = 16; k > 0; k /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, k));
  if (t % 32 == 0) warps[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) v = fmaxf(v, warps[w]);
  if (t == 0) out[blockIdx.x] = v;
}
void run(const float* x, float* out, int rows, int columns) {
  row_max<<<rows, (columns + 31) / 32 * 32>>>(x, out, columns);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(judged(ran).at("row_max").errors.empty());
  CHECK(has(judged(ran).at("row_max").warnings, "if callers do not launch blocks of"));
}

TEST_CASE("an error behind a warning shows that a launch has too few blocks", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("behind-warning");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
// For blocks along y; the launch has threads along x, which all write the same value.
__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  const int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  float v = 0;
  for (int c = 0; c < columns; ++c) v += x[r * columns + c];
  out[r] = v;
}
void run(const float* x, float* out, int rows, int columns) {
  row_sum<<<(rows + 255) / 256, 256>>>(x, out, rows, columns);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(has(judged(ran).at("row_sum").warnings, "if callers launch 1 block for 256 rows"));
}

TEST_CASE("a number of threads for each column may be larger than that of the columns", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("rounded-blocks");
  const std::string sum = R"cuda(
__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  s[t] = t < columns ? x[blockIdx.x * columns + t] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
int power_of_two(int n);
void run(const float* x, float* out, int rows, int columns) {
  const int t = power_of_two(columns);
  row_sum<<<rows, t, t * sizeof(float)>>>(x, out, rows, columns);
}
)cuda";
  const auto judgement = [&](const std::string& more) {
    const RanJson ran = run_json({"audit", "--cases", "16", folder.file("k.cu", sum + more)});
    INFO(ran.json.dump() << ran.err);
    return judged(ran).at("row_sum");
  };
  const auto unknown = judgement("");
  CHECK(unknown.errors.empty());
  CHECK(has(unknown.warnings, "if callers launch blocks whose size is not a power of two"));
  const auto known = judgement("int power_of_two(int n) { int p = 1; while (p < n) p *= 2; return p; }");
  CHECK(known.errors.empty());
  CHECK(has(known.warnings, "if callers do not launch blocks of \"2 ^ log2_ceil(columns)\" threads"));
}

TEST_CASE("an audit names the launches whose sizes could not be determined", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("unknown-launch");
  const RanJson ran = run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__global__ void sum(const float* in, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) *out = v;
}
struct Config { int blocks, threads; };
Config tune(int n);
void known(const float* in, float* out, int n) { sum<<<1, 32>>>(in, out, n); }
void unknown(const float* in, float* out, int n) {
  Config c = tune(n);
  sum<<<c.blocks, c.threads>>>(in, out, n);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  const nlohmann::json not_audited = ran.json.at("kernels").at(0).at("not_audited");
  REQUIRE(not_audited.size() == 1);
  CHECK(has(not_audited.at(0), "the launch <<<c.blocks, c.threads>>> could not be determined"));
}
