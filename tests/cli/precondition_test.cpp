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

Audited audited(const Folder& folder, const std::string& text, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"audit", folder.file("k.cu", text), "--cases", "8"});
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
  CHECK(begins(ran.warnings, "do not align the input"));
}
