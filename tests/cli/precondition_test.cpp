// What an audit without a contract finds out about launches: for which blocks and addresses a kernel is
// right.
#include <algorithm>
#include <string>

#include "base/files.h"
#include "catch.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// A sum by a tree in shared memory. `barrier`: after each step. `elements`: of the array.
std::string tree_sum(const std::string& barrier = "__syncthreads();", const std::string& elements = "1024") {
  return "__global__ void sum(const float* in, float* out, int n) {\n  __shared__ float s[" + elements +
         R"cuda(];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    )cuda" +
         barrier + "\n  }\n  if (threadIdx.x == 0) *out = s[0];\n}\n";
}

/// A sum that warps reduce with shuffles, so that a block must consist of whole warps.
const std::string sum_of_warps = R"cuda(
__global__ void sum(const float* in, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
)cuda";

struct Audited {
  int status = 0;
  std::vector<std::string> warnings, errors;  ///< messages
  std::string notes;
};

Audited audited(const Folder& folder, const std::string& text, std::vector<std::string> options = {},
                const std::string& cases = "8") {
  options.insert(options.begin(), {"audit", folder.file("k.cu", text), "--cases", cases});
  const RanJson ran = run_json(options);
  INFO(ran.json.dump() << ran.err);
  REQUIRE(ran.json.at("kernels").size() == 1);
  const auto& kernel = ran.json.at("kernels").at(0);
  Audited result{ran.status, {}, {}, kernel.at("notes").dump()};
  for (const auto& finding : kernel.at("findings"))
    (finding.at("severity") == "error" ? result.errors : result.warnings).push_back(finding.at("message"));
  return result;
}

bool begins(const std::vector<std::string>& messages, const std::string& condition) {
  return std::ranges::any_of(messages, [&](const std::string& message) {
    return message.starts_with("if callers " + condition + ": ");
  });
}

}  // namespace

TEST_CASE("a block for which a kernel is wrong is a warning that names the condition", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("block");
  const Audited tree = audited(folder, tree_sum());
  CHECK(tree.status == 0);
  CHECK(tree.errors.empty());
  CHECK(begins(tree.warnings, "launch blocks whose size is not a power of two"));
  CHECK(tree.notes.find("blocks of 1 to 1024 threads, a power of two") != std::string::npos);
  CHECK(audited(folder, tree_sum(), {"--fail-on", "warning"}).status == 1);

  const Audited warps = audited(folder, sum_of_warps);
  CHECK(warps.errors.empty());
  CHECK(begins(warps.warnings, "launch blocks whose size is not a multiple of 32"));

  const Audited small = audited(folder, tree_sum("__syncthreads();", "128"));
  CHECK(small.errors.empty());
  CHECK(begins(small.warnings, "launch blocks of 256 or more threads"));
}

TEST_CASE("init writes the blocks for which a kernel is right", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("block-init");
  const auto domain = [&](const std::string& text) {
    CHECK(run({"init", folder.file("k.cu", text), "--force"}).status == 0);
    return foldproof::read_text_file(folder.path("k.toml"), 1 << 20);
  };
  const std::string tree = domain(tree_sum());
  CHECK(tree.find("log2_block = \"0 .. 10\"") != std::string::npos);
  CHECK(tree.find("block = \"2 ^ log2_block\"") != std::string::npos);
  CHECK(tree.find("# if callers launch blocks whose size is not a power of two: ") != std::string::npos);
  CHECK(run({"audit", folder.path("k.cu"), "--cases", "8"}).status == 0);
  const std::string warps = domain(sum_of_warps);
  CHECK(warps.find("warps = \"1 .. 32\"") != std::string::npos);
  CHECK(warps.find("block = \"warps * 32\"") != std::string::npos);
}

TEST_CASE("what happens with every block is an error, and so is a race in every block of several warps",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("every-block");
  const Audited race = audited(folder, tree_sum(""));
  CHECK(race.status == 1);
  CHECK_FALSE(race.errors.empty());
  std::string off_by_one = tree_sum();
  off_by_one.replace(off_by_one.find("half > 0"), 8, "half > 1");
  CHECK(audited(folder, off_by_one).status == 1);
}

TEST_CASE("within the launches of the source a finding is an error", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("launches");
  const auto with_launch = [](const std::string& block) {
    return sum_of_warps + "void run(const float* x, float* y) { const int threads = " + block +
           "; sum<<<4, threads>>>(x, y, 1000); }\n";
  };
  CHECK(audited(folder, with_launch("48")).status == 1);
  const Audited right = audited(folder, with_launch("64"));
  CHECK(right.status == 0);
  CHECK(begins(right.warnings, "launch blocks whose size is not a multiple of 32"));
}

TEST_CASE("a block size that a template argument says is not a precondition", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("template-block");
  const Audited ran = audited(folder, R"cuda(
template <int B> __global__ void sum(const float* in, float* out, int n) {
  __shared__ float s[B];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += B) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int half = B / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}
template __global__ void sum<128>(const float*, float*, int);
)cuda");
  CHECK(ran.status == 0);
  CHECK(ran.warnings.empty());
  CHECK(ran.notes.find("blocks of 128 threads") != std::string::npos);
}

TEST_CASE("an input that must be aligned is a precondition", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("alignment");
  const Audited ran = audited(folder, R"cuda(
__global__ void sum(const float* in, float* out, int n) {
  if (threadIdx.x > 0 || blockIdx.x > 0) return;
  float v = 0;
  for (int i = 0; i < n / 4; ++i) {
    const float4 x = reinterpret_cast<const float4*>(in)[i];
    v += x.x + x.y + x.z + x.w;
  }
  for (int i = n / 4 * 4; i < n; ++i) v += in[i];
  *out = v;
}
)cuda");
  CHECK(ran.status == 0);
  CHECK(begins(ran.warnings, "pass an unaligned input"));
}

namespace {

/// A sum by a tree in shared memory, of the elements at first, first + stride and so on for each thread.
std::string tree_sum_of(const std::string& first, const std::string& stride, const std::string& last_step) {
  return R"cuda(
__global__ void sum(const float* in, float* out, int n) {
  __shared__ float s[64];
  float v = 0;
  for (int i = )cuda" +
         first + "; i < n; i += " + stride + R"cuda() v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) )cuda" +
         last_step + ";\n}\n";
}

std::string with_launch(const std::string& kernel, const std::string& grid) {
  return kernel + "void run(const float* x, float* y, int n, int* counter) { sum<<<" + grid +
         ", 64>>>(x, y, n); }\n";
}

}  // namespace

TEST_CASE("a kernel that is right with as many blocks as the source launches is right", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("grid");
  const std::string first = "blockIdx.x * 64 + threadIdx.x";
  const Audited one = audited(folder, with_launch(tree_sum_of(first, "64", "*out = s[0]"), "1"));
  CHECK(one.status == 0);
  CHECK(begins(one.warnings, "launch 2 blocks"));

  const Audited eight =
      audited(folder, with_launch(tree_sum_of(first, "8 * 64", "out[blockIdx.x] = s[0]"), "8"));
  CHECK(eight.status == 0);
  CHECK(begins(eight.warnings, "launch 9 blocks"));
  CHECK(eight.notes.find("a grid of 8 blocks, as in a launch found in the source") != std::string::npos);

  // The source does not say how many it launches.
  CHECK(audited(folder, tree_sum_of(first, "8 * 64", "out[blockIdx.x] = s[0]")).status == 1);
}

TEST_CASE("blocks that repeat the work of the first are an error if the source launches them",
          "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("repeated");
  const std::string kernel = tree_sum_of("threadIdx.x", "64", "atomicAdd(out, s[0])");
  const Audited repeated = audited(folder, with_launch(kernel, "8"));
  CHECK(repeated.status == 1);
  CHECK_FALSE(repeated.errors.empty());
  CHECK(audited(folder, with_launch(kernel, "1")).warnings.size() == 1);  // about the size of blocks
  const Audited open = audited(folder, with_launch(kernel, "(n + 63) / 64"));
  CHECK(open.status == 1);  // as soon as there are more than 64 elements
  const Audited unknown = audited(folder, with_launch(kernel, "*counter"));
  CHECK(unknown.status == 0);
  CHECK(begins(unknown.warnings, "launch 2 blocks"));
}

TEST_CASE("more blocks than the source launches are a precondition if they are too many", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("ticket");
  // The last block adds up one partial result per thread.
  const std::string kernel = R"cuda(
__device__ int done;
__global__ void sum(const float* in, volatile float* part, float* out, int n) {
  __shared__ bool is_last;
  float v = 0;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = v;
    __threadfence();
    is_last = atomicAdd(&done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  v = threadIdx.x < gridDim.x ? part[threadIdx.x] : 0;
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) {
    *out = v;
    done = 0;
  }
}
)cuda";
  const auto launch = [&](const std::string& grid) {
    return kernel + "void run(float* x, float* p, float* y, int n) { sum<<<" + grid +
           ", 32>>>(x, p, y, n); }\n";
  };
  const Audited few = audited(folder, launch("16"));
  CHECK(few.status == 0);
  CHECK(begins(few.warnings, "launch grids of more than 32 blocks"));
  CHECK(audited(folder, launch("n / 32"), {}, "40").status == 1);
  CHECK(audited(folder, launch("64"), {}, "40").status == 1);

  std::string one_for_each = kernel;
  const auto loop = one_for_each.find("for (int i = "), body = one_for_each.find(" v += in[i];");
  one_for_each.replace(loop, body - loop, "const int i = blockIdx.x * 32 + threadIdx.x; if (i < n)");
  const Audited exact = audited(folder, one_for_each + launch("16").substr(kernel.size()));
  CHECK(exact.status == 0);
}

TEST_CASE("rows may be counted along y, and blocks have the dimensions of the source", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("axes");
  const Audited rows = audited(folder, R"cuda(
__global__ void rowSum(const float* in, float* out, int cols) {
  float v = 0;
  for (int i = threadIdx.x; i < cols; i += 32) v += in[blockIdx.y * cols + i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) out[blockIdx.y] = v;
}
void run(float* x, float* y, int rows, int cols) { rowSum<<<dim3(1, rows), 32>>>(x, y, cols); }
)cuda");
  CHECK(rows.status == 0);
  CHECK(rows.notes.find("a grid along y") != std::string::npos);

  const Audited warps = audited(folder, R"cuda(
__global__ void rowSum(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= rows) return;
  float v = 0;
  for (int i = threadIdx.x; i < cols; i += 32) v += in[row * cols + i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) out[row] = v;
}
void run(float* x, float* y, int r, int c) { rowSum<<<(r + 3) / 4, dim3(32, 4)>>>(x, y, r, c); }
)cuda");
  CHECK(warps.status == 0);
  CHECK(warps.warnings.empty());
  CHECK(warps.notes.find("blocks of 32 x 4 threads") != std::string::npos);
}

TEST_CASE("a launch of the source that certainly loses elements is an error, and others are warnings",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("wrong-grid");
  const auto with_grid = [](const std::string& grid, const std::string& count = "n") {
    return R"cuda(
__global__ void sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  float v = i < n ? in[i] : 0;
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
void run(const float* x, float* y, int n, int other) {
  const int blocks = )cuda" +
           grid + ";\n  sum<<<blocks, 64>>>(x, y, " + count + ");\n}\n";
  };
  CHECK(audited(folder, with_grid("(n + 63) / 64")).errors.empty());
  CHECK(audited(folder, with_grid("n / 64 + 1")).errors.empty());
  const Audited lost = audited(folder, with_grid("1000 / 64", "1000"));
  CHECK(lost.status == 1);
  CHECK(lost.notes.find("1000 elements and a grid of 15 blocks, as in a launch") != std::string::npos);
  // Callers may pass only multiples of 64, and another launch may be for the other elements.
  const Audited open = audited(folder, with_grid("n / 64"));
  CHECK(open.errors.empty());
  CHECK(begins(open.warnings,
               "launch 15 blocks for 1000 elements (\"(n / 64)\" in a launch found in the source)"));
  const std::string rest = "void rest(float* x, float* y) { sum<<<1, 64>>>(x + 960, y, 40); }";
  CHECK(audited(folder, with_grid("1000 / 64", "1000") + rest).errors.empty());
  CHECK(audited(folder, with_grid("1024 / 64", "1024")).errors.empty());
  CHECK(audited(folder, with_grid("other / 64")).errors.empty());
  // The number of elements may be limited elsewhere, unless it is a constant.
  CHECK(audited(folder, with_grid("2")).errors.empty());
  CHECK(audited(folder, with_grid("2", "1000")).status == 1);
}

TEST_CASE("a launch of the source with too little shared memory is an error", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("wrong-memory");
  std::string kernel = tree_sum("__syncthreads();", "");
  kernel.insert(kernel.find("__shared__"), "extern ");
  const auto with_memory = [&](const std::string& memory) {
    return kernel + "void run(const float* x, float* y, int n) { sum<<<1, 256" + memory + ">>>(x, y, n); }\n";
  };
  CHECK(audited(folder, with_memory(", 256 * sizeof(float)")).errors.empty());
  CHECK(audited(folder, with_memory(", n")).errors.empty());
  CHECK(audited(folder, with_memory(", 128 * sizeof(float)")).status == 1);
  CHECK(audited(folder, with_memory("")).status == 1);
}

TEST_CASE("an array in shared memory that is too small for the launch is an error", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("array");
  const auto block_max = [](const std::string& launch) {
    return R"cuda(
__global__ void block_max(const float* in, float* out, int n) {
  __shared__ float s[128];
  float v = -INFINITY;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = fmaxf(v, in[i]);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
)cuda" + launch;
  };
  const Audited too_small = audited(
      folder, block_max("void run(const float* a, float* b, int n) { block_max<<<64, 256>>>(a, b, n); }"));
  REQUIRE_FALSE(too_small.errors.empty());
  CHECK(too_small.errors.front().starts_with("a write of 4 bytes in shared memory begins just past the end"));
  CHECK(audited(folder, block_max("")).errors.empty());
}

TEST_CASE("a histogram in shared memory whose bins are data is not an array that is too small", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("bins");
  CHECK(audited(folder, R"cuda(
__global__ void count_codes(const int* codes, int* bins, int n) {
  __shared__ int s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&s[codes[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
void run(const int* codes, int* bins, int n) { count_codes<<<1, 256>>>(codes, bins, n); }
)cuda")
            .errors.empty());
}

TEST_CASE("a lost part of a warp is seen in results that are rounded to 16 bits", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("half");
  const Audited audit = audited(folder, R"cuda(
#include <cuda_fp16.h>
__global__ void rms_norm(const __half* x, __half* y, int rows, int columns, float epsilon) {
  __shared__ float sums[32];
  x += (size_t)blockIdx.x * columns, y += (size_t)blockIdx.x * columns;
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) v += __half2float(x[c]) * __half2float(x[c]);
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  float total = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) total += sums[w];
  const float scale = rsqrtf(total / columns + epsilon);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[c] = __float2half(__half2float(x[c]) * scale);
}
void run(const __half* x, __half* y, int rows, int columns) { rms_norm<<<rows, 1024>>>(x, y, rows, columns, 1e-6f); }
)cuda");
  CHECK(audit.errors.empty());
  CHECK(begins(audit.warnings, "launch blocks whose size is not a multiple of 32"));
  CHECK(audit.notes.find("accumulator f32") != std::string::npos);
}
