// Which parameters and outputs a kernel without a contract has: sizes, groups, scratch memory, several
// results.
#include <string>

#include "catch.h"
#include "cli/judged.h"
#include "nvcc.h"

using namespace foldproof::test;

TEST_CASE("every output is checked, or the kernel has no contract that fits", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("outputs");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void range(const int* in, int n, int* low, int* high) {
  int least = 0x7fffffff, most = -0x7fffffff - 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    least = min(least, in[i]);
    most = max(most, in[i]);
  }
  atomicMin(low, least);
  atomicMax(high, most);
}
__global__ void wrong_range(const int* in, int n, int* low, int* high) {
  int most = -0x7fffffff - 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) most = max(most, in[i]);
  atomicMin(low, most);
  atomicMax(high, most);
}
)cuda");
  const RanJson ran = run_json({"audit", "--cases", "8", source});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels["range"].verdict == "clean");
  CHECK(has(kernels["range"].notes, "min in \\\"low\\\""));
  CHECK(kernels["wrong_range"].verdict == "no-fit");
  CHECK(has(kernels["wrong_range"].reason, "no guessed contract matches what the kernel stores to \"low\""));
  // init writes the second output, too.
  CHECK(run({"init", source, "--entry", "range", "--output", folder.path("k.toml")}).status == 0);
  CHECK(run({"audit", source, "--entry", "range", "--cases", "8"}).status == 0);
}

TEST_CASE("another output is checked with the blocks for which the kernel is right", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("output-and-block");
  const std::string source = folder.file("k.cu", R"cuda(
__device__ float total(float v, float* s) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 128; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  return s[0];
}
__global__ void row_var(const float* in, float* mean, float* var, int cols) {
  __shared__ float s[256];
  const float* row = in + (size_t)blockIdx.x * cols;
  float v = 0, squares = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) v += row[i];
  const float m = total(v, s) / cols;
  __syncthreads();
  for (int i = threadIdx.x; i < cols; i += blockDim.x) squares += (row[i] - m) * (row[i] - m);
  const float all = total(squares, s);
  if (threadIdx.x == 0) mean[blockIdx.x] = m, var[blockIdx.x] = all / cols;
}
)cuda");
  for (std::vector<std::string> options : {std::vector<std::string>{}, {"--as", "variance:rows"}}) {
    options.insert(options.begin(), {"audit", "--cases", "8", source});
    CHECK(has(judged(run_json(options)).at("row_var").notes, "mean in \\\"mean\\\""));
  }
}

TEST_CASE("--as finds the parameters and the initial contents of what it says", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("as-limits");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void has_one(const int* in, int* flag, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (in[i] != 0) atomicOr(flag, 1);
}
__global__ void has_all(const int* in, int* flag, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (in[i] == 0) atomicAnd(flag, 0);
}
__device__ float of_warp(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}
__global__ void normalize(float* x, const float* g, const float* b, int n, float eps) {
  float* row = x + (size_t)blockIdx.x * n;
  float v = 0, w = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += row[i];
  const float mean = of_warp(v) / n;
  for (int i = threadIdx.x; i < n; i += 32) w += (row[i] - mean) * (row[i] - mean);
  const float scale = rsqrtf(of_warp(w) / n + eps);
  for (int i = threadIdx.x; i < n; i += 32) row[i] = (row[i] - mean) * scale * g[i] + b[i];
}
// The positions come last.
__global__ void best(const float* in, float* value, int* index, int rows, int columns, int k) {
  if (threadIdx.x > 0) return;
  const float* row = in + (size_t)blockIdx.x * columns;
  int at = 0;
  for (int i = 1; i < columns; ++i)
    if (row[i] > row[at]) at = i;
  for (int i = 0; i < columns; ++i)
    if (isnan(row[i]) && !isnan(row[at])) at = i;
  value[blockIdx.x * k] = row[at];
  index[blockIdx.x * k] = at;
}
)cuda");
  const auto status = [&](const std::string& entry, std::vector<std::string> options) {
    options.insert(options.begin(), {"audit", source, "--cases", "8", "--entry", entry, "--as"});
    const RanJson ran = run_json(options);
    INFO(entry << ran.json.dump() << ran.err);
    CHECK(ran.status == 0);
  };
  status("has_one", {"any"});
  status("has_all", {"all"});
  status("normalize", {"layer-norm:rows"});
  status("normalize", {"layer-norm:rows", "--map", "x=x,y=x,weights=g,biases=b"});
  status("best", {"top-k:rows"});
}

TEST_CASE("the number of elements of a vector type may be that of its groups", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("groups");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void energy(const float2* z, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += z[i].x * z[i].x + z[i].y * z[i].y;
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) *out = v;
}
)cuda");
  const RanJson ran = run_json({"audit", "--cases", "8", source, "--as", "sum-of-squares"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
  CHECK(has(judged(ran).at("energy").notes, "number of groups"));
}

TEST_CASE("scratch memory in which blocks add with atomics holds the identity before each launch", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("accumulator");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void add_all(const int* in, int* out, int* total, unsigned* ticket, int n) {
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  atomicAdd(total, v);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(ticket, 1u) == gridDim.x - 1) {
    __threadfence();
    *out = atomicExch(total, 0);
    atomicExch(ticket, 0u);
  }
}
)cuda");
  const RanJson ran = run_json({"audit", "--cases", "8", source, "--as", "sum"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
}

TEST_CASE("scratch memory may hold several elements per block", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("scratch");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void mean_of_all(const double* in, double* out, double* parts, unsigned* ticket, int n) {
  __shared__ bool is_last;
  double v = 0;
  for (int i = blockIdx.x; i < n; i += gridDim.x) v += in[i];
  if (threadIdx.x == 0) {
    parts[2 * blockIdx.x] = v, parts[2 * blockIdx.x + 1] = 1;
    __threadfence();
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  __threadfence();
  v = 0;
  for (int b = 0; b < gridDim.x; ++b) v += parts[2 * b] * parts[2 * b + 1];
  *out = v / n;
  *ticket = 0;
}
)cuda");
  const RanJson ran = run_json({"audit", "--cases", "8", source, "--as", "mean"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
}

TEST_CASE("a number that is an option is not the number of rows", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("option");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void loss(const float* x, const int* labels, float* out, int cols, int ignore_index) {
  const float* row = x + (size_t)blockIdx.x * cols;
  const int label = labels[blockIdx.x];
  if (threadIdx.x != 0) return;
  float largest = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) largest = fmaxf(largest, row[c]);
  for (int c = 0; c < cols; ++c) sum += expf(row[c] - largest);
  out[blockIdx.x] = label == ignore_index ? 0 : largest + logf(sum) - row[label];
}
)cuda");
  const RanJson ran = run_json({"audit", "--cases", "24", source, "--as", "cross-entropy:rows"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
}

TEST_CASE("an output may consist of bool, but not what is reduced", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("bool");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void any_nonzero(const float* x, bool* y, int n) {
  bool found = false;
  for (int i = threadIdx.x; i < n; i += blockDim.x) found |= x[i] != 0;
  found = __syncthreads_or(found);
  if (threadIdx.x == 0) *y = found;
}
__global__ void any_true(const bool* x, bool* y, int n) {
  bool found = false;
  for (int i = threadIdx.x; i < n; i += blockDim.x) found |= x[i];
  found = __syncthreads_or(found);
  if (threadIdx.x == 0) *y = found;
}
)cuda");
  auto judged_kernels = judged(run_json({"audit", source, "--as", "any", "--cases", "8"}));
  CHECK(judged_kernels.at("any_nonzero").verdict == "clean");
  CHECK(judged_kernels.at("any_true").verdict == "no-fit");
}

TEST_CASE("a LayerNorm may also store the means and the reciprocals of the deviations", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("layer-norm");
  const auto audited =
      [&](const std::string& root) {
        return judged(run_json({"audit", "--cases", "8", folder.file("k.cu", R"cuda(
__device__ float total(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}
__global__ void layer_norm(const float* x, float* y, float* mean, float* rstd, int cols) {
  const float* row = x + (size_t)blockIdx.x * cols;
  float v = 0, squares = 0;
  for (int c = threadIdx.x; c < cols; c += 32) v += row[c];
  const float m = total(v) / cols;
  for (int c = threadIdx.x; c < cols; c += 32) squares += (row[c] - m) * (row[c] - m);
  const float variance = total(squares) / cols, r = 1 / sqrtf(variance + 1e-5f);
  for (int c = threadIdx.x; c < cols; c += 32) y[(size_t)blockIdx.x * cols + c] = (row[c] - m) * r;
  if (threadIdx.x == 0) mean[blockIdx.x] = m, rstd[blockIdx.x] = )cuda" + root + R"cuda(;
}
void run(const float* x, float* y, float* mean, float* rstd, int rows, int cols) {
  layer_norm<<<rows, 32>>>(x, y, mean, rstd, cols);
}
)cuda")}))
            .at("layer_norm");
      };
  const Judged right = audited("r");
  CHECK(has(right.notes, "mean in \\\"mean\\\""));
  CHECK(has(right.notes, "rstd in \\\"rstd\\\""));
  CHECK(audited("variance").verdict == "no-fit");
}

TEST_CASE("a matrix-vector product is found, with one factor per column", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("matrix-vector");
  const auto audited = [&](const std::string& partner) {
    const std::string kernel = R"cuda(
__global__ void gemv(const float* A, const float* x, float* y, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < cols; c += 32) sum += A[(size_t)row * cols + c] * x[)cuda" +
                               partner + R"cuda(];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
  if (lane == 0) y[row] = sum;
}
)cuda";
    return run_json({"audit", "--cases", "20", folder.file("k.cu", kernel), "--as", "dot:rows"});
  };
  const RanJson right = audited("c");
  INFO(right.json.dump() << right.err);
  CHECK(judged(right)["gemv"].errors.empty());
  CHECK(right.status == 0);
  const RanJson wrong = audited("cols - 1 - c");
  INFO(wrong.json.dump() << wrong.err);
  CHECK(wrong.status == 1);
}

TEST_CASE("the value next to an index is found although the index is wrong for some input", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("argmax");
  const auto source = [&](const std::string& initial) {
    return folder.file("k.cu", R"cuda(
__global__ void argmax(const float* x, int n, float* value, int* index) {
  float best = )cuda" + initial + R"cuda(;
  int at = 0x7fffffff;
  for (int i = threadIdx.x; i < n; i += 32)
    if (x[i] > best) best = x[i], at = i;
  for (int k = 16; k > 0; k /= 2) {
    const float other = __shfl_xor_sync(~0u, best, k);
    const int there = __shfl_xor_sync(~0u, at, k);
    if (other > best || (other == best && there < at)) best = other, at = there;
  }
  if (threadIdx.x == 0) *value = best, *index = at;
}
void run(const float* x, int n, float* value, int* index) { argmax<<<1, 32>>>(x, n, value, index); }
)cuda");
  };
  const Judged wrong = judged(run_json({"audit", "--cases", "20", source("0")})).at("argmax");
  CHECK(wrong.verdict == "findings");
  CHECK(has(wrong.errors, "wrong-value"));
  CHECK(has(wrong.notes, "max in \\\"value\\\""));
}

TEST_CASE("with --as, an output that nothing explains leaves the kernel unchecked", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("unexplained");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void sum(const int* x, int n, int* total, int* other) {
  int s = 0;
  for (int i = threadIdx.x; i < n; i += 32) s += x[i];
  for (int k = 16; k > 0; k /= 2) s += __shfl_xor_sync(~0u, s, k);
  if (threadIdx.x == 0) *total = s, *other = s * 7 + 3;
}
void run(const int* x, int n, int* total, int* other) { sum<<<1, 32>>>(x, n, total, other); }
)cuda");
  const RanJson ran = run_json({"audit", "--cases", "8", "--as", "sum", "--map", "y=2", source});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 3);
  CHECK(has(judged(ran).at("sum").reason, "no guessed contract matches what the kernel stores to \"other\""));
}

TEST_CASE("a dot product with partial results is found, whatever its operands are called", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("dot-partials");
  std::string code;
  for (const std::string name : {"B", "b", "weights"})
    code += "__global__ void dot_" + name + "(const float* a, const float* " + name +
            R"cuda(, float* sums, int n) {
  extern __shared__ float products[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  products[threadIdx.x] = i < n ? a[i] * )cuda" +
            name + R"cuda([i] : 0.0f;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) products[threadIdx.x] += products[threadIdx.x + s];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = products[0];
}
)cuda";
  auto kernels = judged(run_json({"audit", "--cases", "8", folder.file("k.cu", code)}));
  for (const std::string name : {"B", "b", "weights"}) {
    INFO(name);
    // The warning is about blocks whose size is not a power of two.
    CHECK(kernels["dot_" + name].verdict == "findings");
    CHECK(has(kernels["dot_" + name].notes, "second \\\"" + name));
  }
}

TEST_CASE("parameters are mapped by index, also after a struct, and its members by name", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("map");
  const std::string source = folder.file("k.cu", R"cuda(
struct Dim { int rows, width; };
__global__ void none() {}
__global__ void totals(Dim d, const float* x, float* out) {
  if (threadIdx.x != 0) return;
  float s = 0;
  for (int i = 0; i < d.width; ++i) s += x[blockIdx.x * d.width + i];
  out[blockIdx.x] = s;
}
)cuda");
  const auto audited = [&](const std::string& entry, const std::string& map) {
    return run({"audit", source, "--entry", entry, "--as", "sum:rows", "--map", map, "--cases", "8"});
  };
  CHECK(audited("totals", "x=1,y=2,rows=d.rows,columns=d.width").status == 0);
  const Ran whole = audited("totals", "rows=0");
  CHECK(whole.status == 2);
  CHECK_THAT(whole.err,
             foldproof::tests::contains_text("is a struct; name one of its members, such as d.rows"));
  const Ran none = audited("none", "x=0");
  CHECK(none.status == 2);
  CHECK_THAT(none.err, foldproof::tests::contains_text("it has 0 parameters"));
}
