// Kernels that are compiled with --use_fast_math: subnormal numbers are flushed, and divisions and roots are
// approximate. Their results are checked all the same.
#include <string>

#include "catch.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// A warp for each row.
constexpr const char* norms = R"cuda(
__device__ float total(float x) {
  for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(0xffffffff, x, k);
  return x;
}
__device__ float sum(const float* x, int n, float mean, bool squares, int step) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += step) s += squares ? (x[i] - mean) * (x[i] - mean) : x[i];
  return total(s);
}
template <bool is_layer, int step>
__global__ void norm(const float* in, float* out, int columns) {
  in += blockIdx.x * columns, out += blockIdx.x * columns;
  const float mean = is_layer ? sum(in, columns, 0, false, 32) / columns : 0;
  const float variance = sum(in, columns, mean, true, step) / columns;
  for (int i = threadIdx.x; i < columns; i += 32) out[i] = (in[i] - mean) / sqrtf(variance + 1e-5f);
}
template __global__ void norm<true, 32>(const float*, float*, int);
)cuda";

RanJson audited_norm(const std::string& op, const std::string& entry) {
  const Folder folder("fast-math-" + op);
  folder.file("k.cu", norms);
  return run_json(
      {"audit",
       folder.file("k.toml",
                   "format = 1\n[source]\nflags = [\"--use_fast_math\"]\n[reduction]\noperator = \"" + op +
                       "\"\ninput = \"f32\"\nresult = \"rows\"\nepsilon = \"1e-5\"\n[domain]\n"
                       "columns = \"1 .. 2^10\"\nrows = \"1 .. 2^10\"\n"
                       "count = \"rows * columns\"\n[[launch]]\nentry = \"" +
                       entry +
                       "\"\ngrid = \"rows\"\nblock = 32\n"
                       "arguments = [\"input\", \"output\", \"columns\"]\n")});
}

TEST_CASE("normalizations that are compiled with --use_fast_math are checked by bounds", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  for (const auto& [op, entry] :
       {std::pair{"layer-norm", "norm<true, 32>"}, {"rms-norm", "norm<false, 32>"}}) {
    const RanJson right = audited_norm(op, entry);
    CHECK(right.status == 0);
    CHECK(right.json.at("kernels").at(0).at("checked_by").at("bound") > 20);
  }
  CHECK(audited_norm("layer-norm", "norm<true, 33>").status == 1);  // one element of 33 is lost
}

}  // namespace
