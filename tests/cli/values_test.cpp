// Contracts about the values that callers pass, and about the bins of a histogram.
#include <string>

#include "catch.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

constexpr const char* softmax_without_maximum = R"cuda(
__global__ void softmax(const float* in, float* out, int columns) {
  in += blockIdx.x * columns, out += blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += expf(in[i]);
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffff, sum, k);
  for (int i = threadIdx.x; i < columns; i += 32) out[i] = expf(in[i]) / sum;
}
)cuda";

std::string softmax_contract(const std::string& values) {
  return "format = 1\n[reduction]\noperator = \"softmax\"\ninput = \"f32\"\nresult = \"rows\"\n" + values +
         R"toml(
[domain]
columns = "1 .. 2^15"
rows = "1 .. 2^15"
count = "rows * columns"
[[launch]]
entry = "softmax"
grid = "rows"
block = 32
arguments = ["input", "output", "columns"]
)toml";
}

/// A histogram of the upper bits of bytes; `shift`: how many lower bits it ignores.
std::string histogram(int shift) {
  return "__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(&bins[in[i] >> " +
         std::to_string(shift) + "], 1);\n}\n";
}

constexpr const char* histogram_contract = R"toml(format = 1
[reduction]
operator = "histogram"
input = "u8"
accumulator = "u32"
result = "bins"
bin = "x / 4"
[domain]
count = "1 .. 2^20"
block = "1 .. 1024"
[output]
count = 64
initial = "zero"
[[launch]]
entry = "histogram"
grid = "ceil_div(count, block)"
block = "block"
arguments = ["input", "output", "count"]
)toml";

Ran audited(const Folder& folder, const std::string& source, const std::string& contract) {
  folder.file("k.cu", source);
  return run({"audit", folder.file("k.toml", contract)});
}

TEST_CASE("a softmax without a maximum is right for the values that its contract permits", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("values");
  CHECK(audited(folder, softmax_without_maximum, softmax_contract("values = \"-64 .. 64\"\n")).status == 0);
  CHECK(audited(folder, softmax_without_maximum, softmax_contract("")).status == 1);
}

TEST_CASE("a histogram of upper bits is checked with the expression of its bins", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("bins-by-expression");
  CHECK(audited(folder, histogram(2), histogram_contract).status == 0);
  const Ran wrong = audited(folder, histogram(3), histogram_contract);
  CHECK(wrong.status == 1);
  CHECK(wrong.out.find("but the number of elements of bin ") != std::string::npos);
}

}  // namespace
