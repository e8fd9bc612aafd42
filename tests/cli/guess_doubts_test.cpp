// What does not contradict a guess for certain, and what names say about special elements and sizes.
#include <string>

#include "catch.h"
#include "cli/judged.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

const std::string extrema = R"cuda(
template <class Value>
__device__ void reduce(const float* in, float* out, int n, float initial, Value better) {
  float v = initial;
  for (int i = threadIdx.x; i < n; i += 32) v = better(v, in[i]);
  for (int k = 16; k > 0; k /= 2) v = better(v, __shfl_xor_sync(~0u, v, k));
  if (threadIdx.x == 0) *out = v;
}
struct Larger {
  __device__ float operator()(float a, float b) { return fmaxf(a, b); }
};
__global__ void __launch_bounds__(32) max_relu(const float* in, float* out, int n) { reduce(in, out, n, 0.0f, Larger()); }
__global__ void __launch_bounds__(32) warp_max(const float* in, float* out, int n) { reduce(in, out, n, 0.0f, Larger()); }
// Loses the last element of more than 64.
__global__ void __launch_bounds__(32) max_relu_short(const float* in, float* out, int n) {
  reduce(in, out, n > 64 ? n - 1 : n, -INFINITY, Larger());
}
)cuda";

}  // namespace

TEST_CASE("wrong values alone are warnings unless the name says what a kernel computes", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("relu");
  const RanJson ran = run_json({"audit", folder.file("k.cu", extrema)});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels["max_relu"].errors.empty());
  CHECK(has(kernels["max_relu"].reason, "some results contradict the guess"));
  CHECK(has(kernels["warp_max"].errors, "wrong-value"));
  CHECK(has(kernels["max_relu_short"].errors, "input-not-used"));
  CHECK(run({"audit", folder.path("k.cu"), "--entry", "max_relu"}).status == 3);
}

TEST_CASE("a race in a trial run is shown even if no contract fits", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("race");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__global__ void harmonic(const float* in, float* out, int n) {
  __shared__ float s[128];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 128) v += in[i] * (i + 3);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    if (n < 200) __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(ran.status == 3);
  CHECK(kernel.at("verdict") == "no-fit");
  const auto& finding = kernel.at("findings").at(0);
  CHECK(finding.at("kind") == "shared-race");
  CHECK(finding.at("severity") == "warning");
  CHECK(has(std::string(finding.at("message")), "in a trial run with guessed arguments: "));
  CHECK(finding.at("line") == 9);
}

TEST_CASE("a name may say what happens with NaN and equal elements", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("nans");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__device__ float total(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}
__global__ void __launch_bounds__(32) nansum(const float* in, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += isnan(in[i]) ? 0 : in[i];
  v = total(v);
  if (threadIdx.x == 0) *out = v;
}
__global__ void __launch_bounds__(32) nansum_wrong(const float* in, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += in[i];
  v = total(v);
  if (threadIdx.x == 0) *out = v;
}
__global__ void __launch_bounds__(32) nanmean(const float* in, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += in[i];
  v = total(v);
  if (threadIdx.x == 0) *out = v / n;
}
// Returns the last of several equal elements.
__global__ void argmax_first(const float* in, int* out, int n) {
  if (threadIdx.x > 0) return;
  int best = 0;
  for (int i = 1; i < n; ++i)
    if (in[i] >= in[best]) best = i;
  *out = best;
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  CHECK(kernels["nansum"].errors.empty());
  CHECK(kernels["nansum"].reason.empty());
  CHECK(kernels["nansum"].verdict != "no-fit");
  CHECK_FALSE(kernels["nansum_wrong"].reason.empty());
  CHECK(kernels["nanmean"].verdict == "no-fit");
  CHECK_FALSE(kernels["argmax_first"].reason.empty());
}

TEST_CASE("callers may launch an instance with the argument true only for some sizes", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("special");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
template <class T, unsigned block, bool is_full>
__global__ void reduce(const T* in, T* out, unsigned n) {
  __shared__ T s[block];
  T v = 0;
  for (unsigned i = blockIdx.x * 2 * block + threadIdx.x; i < n; i += 2 * block * gridDim.x) {
    v += in[i];
    if (is_full || i + block < n) v += in[i + block];
  }
  s[threadIdx.x] = v;
  __syncthreads();
  for (unsigned k = block / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
template __global__ void reduce<float, 128, true>(const float*, float*, unsigned);
template __global__ void reduce<float, 128, false>(const float*, float*, unsigned);
)cuda")});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
  const auto& findings = ran.json.at("kernels").at(0).at("findings");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].at("severity") == "warning");
  CHECK(std::string(findings[0].at("message"))
            .starts_with(
                "if callers pass a number of elements that is not a multiple of 256: a read of 4 bytes"));
  CHECK(ran.json.at("kernels").at(1).at("verdict") == "clean");
}

TEST_CASE("a mean is found beside a standard deviation", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("std");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__global__ void __launch_bounds__(32) mean_and_std(const float* in, float* mean, float* std, int n) {
  float v = 0, d = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  v /= n;
  for (int i = threadIdx.x; i < n; i += 32) d += (in[i] - v) * (in[i] - v);
  for (int k = 16; k > 0; k /= 2) d += __shfl_xor_sync(~0u, d, k);
  if (threadIdx.x == 0) *mean = v, *std = sqrtf(d / n);
}
)cuda")});
  INFO(ran.json.dump() << ran.err);
  const auto kernel = judged(ran)["mean_and_std"];
  CHECK(kernel.errors.empty());
  CHECK(has(kernel.notes, "operator std:whole, mean in"));
}

TEST_CASE("whether a variance is that of a sample is found", "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("variance");
  const RanJson ran = run_json({"audit", folder.file("k.cu", R"cuda(
__device__ float total(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}
__device__ float deviations(const float* row, int columns) {
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += 32) sum += row[c];
  const float mean = total(sum) / columns;
  for (int c = threadIdx.x; c < columns; c += 32) squares += (row[c] - mean) * (row[c] - mean);
  return total(squares);
}
#define STATISTIC(name, result) \
  __global__ void __launch_bounds__(32) name(const float* x, float* out, int columns) { \
    const float d = deviations(x + (size_t)blockIdx.x * columns, columns); \
    if (threadIdx.x == 0) out[blockIdx.x] = result; \
  }
STATISTIC(row_variance, d / columns)
STATISTIC(row_var_sample, d / (columns - 1))
STATISTIC(row_std, sqrtf(d / max(columns - 1, 1)))
STATISTIC(row_var_wrong, d / (columns + 1))
)cuda")});
  INFO(ran.json.dump() << ran.err);
  auto kernels = judged(ran);
  for (const char* right : {"row_variance", "row_var_sample", "row_std"}) {
    CAPTURE(right);
    CHECK(kernels[right].errors.empty());
    CHECK(kernels[right].verdict != "no-fit");
  }
  CHECK(has(kernels["row_var_sample"].notes, "operator variance:rows,correction=1"));
  CHECK(has(kernels["row_std"].notes, "operator std:rows,correction=1"));
  CHECK(kernels["row_var_wrong"].verdict == "no-fit");
}
