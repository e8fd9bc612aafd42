// Kernels without a contract that no guess fits: verdict, status, and what `init` writes for them.
#include <filesystem>

#include "base/files.h"
#include "catch.h"
#include "cli/add_one.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// A source with a kernel that is guessed to be a sum, and one that no reference contract explains.
const std::string two_kernels = R"cuda(
__global__ void sum(const float* in, float* out, int n) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < n; ++i) total += in[i];
  *out = total;
}
__global__ void combine(const float* a, const float* b, float* out, int n) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < n; ++i) total += a[i] * b[i] * b[i];
  *out = total;
}
)cuda";

const nlohmann::json& kernel_of(const RanJson& ran, const std::string& entry) {
  for (const nlohmann::json& kernel : ran.json.at("kernels"))
    if (kernel.at("entry") == entry) return kernel;
  throw std::runtime_error("no kernel " + entry);
}

}  // namespace

TEST_CASE("a kernel that no guess fits has its own verdict, and the audit does not pass", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("no-fit");
  const std::string source = folder.file("k.cu", two_kernels);
  const RanJson ran = run_json({"audit", source, "--cases", "8"});
  CHECK(ran.status == 3);
  CHECK(kernel_of(ran, "sum").at("verdict") == "clean");
  CHECK(kernel_of(ran, "combine").at("verdict") == "no-fit");
  CHECK(kernel_of(ran, "combine").at("reason") ==
        "no contract can be guessed for this kernel, since it reads more than one input; use --as to "
        "specify what the kernel computes, "
        "or complete the contract that `foldproof init` writes");
  CHECK(kernel_of(ran, "combine").at("cases") == 0);
  CHECK(run({"audit", source, "--cases", "8"}).out.find("1 clean, 1 with no matching contract") !=
        std::string::npos);
  CHECK(run({"audit", source, "--cases", "8", "--entry", "sum"}).status == 0);
  CHECK(run({"audit", source, "--cases", "8", "--entry", "combine"}).status == 3);
  // What the user says is checked.
  CHECK(run({"audit", source, "--cases", "8", "--entry", "combine", "--as", "dot"}).status == 1);
}

TEST_CASE("the reason names what contradicts the kernel's name, if that explains most results", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("no-fit-near");
  // The exponentials overflow or vanish, since the largest element is not subtracted.
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void fused_softmax(const float* in, float* out, int rows, int columns) {
  const float* x = in + blockIdx.x * columns;
  float total = 0;
  for (int i = 0; i < columns; ++i) total += expf(x[i]);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = expf(x[i]) / total;
}
)cuda");
  const RanJson ran = run_json({"audit", source, "--cases", "8"});
  CHECK(ran.status == 3);
  const std::string reason = kernel_of(ran, "fused_softmax").at("reason");
  CHECK(reason.find("for example, with the operator softmax: in output ") != std::string::npos);
  CHECK(reason.find(" but the exact softmax is about ") != std::string::npos);
}

TEST_CASE("a read of shared memory that was never written is a warning if every trial run shows one",
          "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("no-fit-undefined");
  const std::string source = folder.file("k.cu", R"cuda(
__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  return v;
}
__global__ void total(const float* in, float* out, int n) {
  __shared__ float sums[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) v = warp_sum(sums[threadIdx.x]);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
void launch(const float* in, float* out, int n) { total<<<(n + 255) / 256, 256>>>(in, out, n); }
)cuda");
  const RanJson ran = run_json({"audit", source, "--cases", "8"});
  CHECK(ran.status == 3);
  const nlohmann::json& kernel = kernel_of(ran, "total");
  REQUIRE(kernel.at("findings").size() == 1);
  CHECK(kernel.at("findings").at(0).at("kind") == "uninitialized-read");
  CHECK(kernel.at("findings").at(0).at("severity") == "warning");
}

TEST_CASE("a race in every trial run is an error, although the name leaves open what is computed", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("no-fit-race");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void norm2(const float* x, float* out, int n) {
  __shared__ float part[128];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 128) s += x[i] * x[i];
  part[threadIdx.x] = s;
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < 128; ++i) total += part[i];
  *out = sqrtf(total);
}
void launch(const float* x, float* out, int n) { norm2<<<1, 128>>>(x, out, n); }
)cuda");
  const RanJson ran = run_json({"audit", source, "--cases", "8"});
  CHECK(ran.status == 1);
  const nlohmann::json& kernel = kernel_of(ran, "norm2");
  CHECK(kernel.at("verdict") == "findings");
  CHECK(kernel.at("findings").at(0).at("kind") == "shared-race");
  CHECK(kernel.at("findings").at(0).at("severity") == "error");
}

TEST_CASE(
    "a reference contract that does not fit has the verdict no-fit; a parameter that no kernel has is an "
    "error",
    "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("no-fit-as");
  const std::string source = folder.file("k.cu", two_kernels);
  const RanJson ran = run_json({"audit", source, "--entry", "sum", "--as", "dot"});
  CHECK(ran.status == 3);
  CHECK(kernel_of(ran, "sum")
            .at("reason")
            .get<std::string>()
            .starts_with("dot does not fit this kernel, since "));
  const RanJson wrong = run_json({"audit", source, "--as", "sum", "--map", "x=samples"});
  CHECK(wrong.status == 2);
  CHECK(wrong.json.at("error").at("message").get<std::string>().find("has no parameter \"samples\"") !=
        std::string::npos);
}

TEST_CASE("init writes a contract for each kernel, with a question mark for what it cannot guess", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("no-fit-init");
  const std::string source = folder.file("k.cu", two_kernels);
  CHECK(run({"init", source, "--output", folder.path("one.toml")}).status == 2);  // several kernels
  const RanJson ran = run_json({"init", source});
  REQUIRE(ran.status == 0);
  const nlohmann::json& contracts = ran.json.at("contracts");
  REQUIRE(contracts.size() == 2);
  CHECK(contracts.at(0).at("contract") == folder.path("k.sum.toml"));
  CHECK(contracts.at(0).at("is_complete") == true);
  CHECK(contracts.at(1).at("contract") == folder.path("k.combine.toml"));
  CHECK(contracts.at(1).at("is_complete") == false);
  CHECK(foldproof::read_text_file(folder.path("k.combine.toml"), 1 << 20)
            .find("# parameters: float const* a, float const* b, float* out, int n\n") != std::string::npos);
  const RanJson unfinished = run_json({"audit", folder.path("k.combine.toml")});
  CHECK(unfinished.status == 2);
  CHECK(unfinished.json.at("error").at("message").get<std::string>().find(" is still \"?\"; replace it: ") !=
        std::string::npos);
  CHECK(run({"init", source}).status == 2);  // the files exist
  CHECK(run({"init", source, "--force"}).status == 0);
}

TEST_CASE("init writes the flags of the command line, so that the audit it names compiles the source",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("init-flags");
  std::filesystem::create_directory(folder.path("include"));
  std::filesystem::create_directory(folder.path("kernels"));
  folder.file("include/lib.h", "#define FIRST FIRST_VALUE\n");
  folder.file("kernels/k.cu",
              "#include \"lib.h\"\n" + replaced(two_kernels, "float total = 0", "float total = FIRST"));
  const How there{.folder = folder.path()};
  const RanJson written = run_json({"init", "kernels/k.cu", "--entry", "sum", "-I", "include", "-D",
                                    "FIRST_VALUE=0", "--output", "kernels/k.toml"},
                                   there);
  REQUIRE(written.status == 0);
  CHECK(foldproof::read_text_file(folder.path("kernels/k.toml"), 1 << 20)
            .find("\"-DFIRST_VALUE=0\", \"-I../include\"") != std::string::npos);
  CHECK(run({"audit", "kernels/k.toml", "--cases", "4"}, there).status == 0);
}

TEST_CASE("the command that init prints has the options that a contract cannot have", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("init-options");
  folder.file("k.cu", two_kernels);
  const Ran written = run({"init", "k.cu", "--entry", "sum", "--arch", "compute_80", "--nvcc", "--ftz=true",
                           "--output", "k.toml"},
                          {.folder = folder.path()});
  CHECK(written.out.find("then run: foldproof audit k.cu --nvcc --ftz=true\n") != std::string::npos);
  CHECK(foldproof::read_text_file(folder.path("k.toml"), 1 << 20).find("arch = \"compute_80\"") !=
        std::string::npos);
}

TEST_CASE("other verbs skip a kernel that no guess fits, or say why they cannot run it", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("no-fit-verbs");
  const std::string source = folder.file("k.cu", two_kernels);
  const Ran mutated = run({"mutate", source, "--cases", "4"});
  CHECK(mutated.status == 0);
  CHECK(mutated.out.find("combine") == std::string::npos);
  CHECK(run({"tree", source}).status == 0);
  const RanJson tree = run_json({"tree", source, "--entry", "combine"});
  CHECK(tree.status == 2);
  CHECK(tree.json.at("error").at("message").get<std::string>().find("it reads more than one input") !=
        std::string::npos);
}
