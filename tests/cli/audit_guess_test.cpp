// Contracts that are guessed or written by `init`, and kernels that no contract launches.
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "catch.h"
#include "cli/add_one.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// Whether the kernel is clean but for preconditions, which are warnings.
bool has_no_error(const nlohmann::json& kernel) {
  const std::string verdict = kernel.at("verdict");
  return (verdict == "clean" || verdict == "findings") &&
         std::ranges::all_of(kernel.at("findings"), [](const nlohmann::json& finding) {
           return finding.at("severity") == "warning";
         });
}

}  // namespace

TEST_CASE("blocks that cause out-of-bounds accesses are excluded from a guess if the limit is a usual one",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("block");
  const std::string body = R"(
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  s[0][threadIdx.x AT] = 0;
  s[1][threadIdx.x AT] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 0; k < blockDim.x; ++k) v += k == 0 ? 0 : s[1][k AT];
    *out = v;
  }
}
)";
  const auto kernel = [&](const std::string& head, const std::string& at) {
    std::string text = body;
    for (auto found = text.find("AT"); found != std::string::npos; found = text.find("AT"))
      text.replace(found, 2, at);
    return "__global__ void block_sum(const float* in, float* out, int n) {\n" + head + text;
  };
  const std::string half = folder.file("half.cu", kernel("__shared__ float s[2][128];", ""));
  const RanJson smaller = run_json({"audit", half});
  CHECK(smaller.status == 0);
  const std::string notes = smaller.json.at("kernels").at(0).at("notes").dump();
  INFO(notes);
  CHECK(notes.find("blocks of 1 to 128 threads") != std::string::npos);
  // An index that is too large by one is out of bounds for blocks of 256 threads; at most 255 is not a usual
  // limit.
  const std::string off = folder.file("off.cu", kernel("__shared__ float s[2][256];", "+ 1"));
  CHECK(run_json({"audit", off}).status == 1);
}

TEST_CASE("an audit names the kernels of a source that no contract launches, and fails for them if strict") {
  const AddOne folder;
  folder.file("add_one.ptx", std::string(add_one_ptx) + ".visible .entry other()\n{\n\tret;\n}\n");
  const auto audit = [&](const std::string& audited, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"audit", folder.path(audited), "--cases", "2"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_json(arguments);
  };
  const auto not_audited = [](const RanJson& ran) { return ran.json.at("kernels").at(0).at("not_audited"); };
  const nlohmann::json other = {"no contract launches other; to audit it, pass --entry \"other\""};
  for (const char* const audited : {"add_one.ptx", "."}) {
    CHECK(not_audited(audit(audited)) == other);
    CHECK(audit(audited).status == 0);
    CHECK(audit(audited, {"--strict"}).status == 3);
  }
  const RanJson single = audit("add_one.toml", {"--strict"});
  CHECK(not_audited(single).empty());
  CHECK(single.status == 0);
}

TEST_CASE("a strict audit requires a contract, and the report names its file") {
  const AddOne folder;
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "2"});
  CHECK(ran.json.at("kernels").at(0).at("contract") == folder.path("add_one.toml"));
  std::filesystem::remove(folder.path("add_one.toml"));
  const RanJson guessed = run_json({"audit", folder.path("add_one.ptx"), "--as", "max", "--cases", "2"});
  CHECK(guessed.json.at("kernels").at(0).at("contract").is_null());
  const Ran strict = run({"audit", folder.path("add_one.ptx"), "--cases", "2", "--strict"});
  CHECK(strict.status == 3);
  CHECK(strict.err.find("--strict requires a contract") != std::string::npos);
}

TEST_CASE("a named source is audited with every contract of its folder that names it") {
  const AddOne folder;
  folder.file("add_one.ptx",
              std::string(add_one_ptx) +
                  replaced(add_one_ptx.substr(add_one_ptx.find(".visible")), "add_one(", "other("));
  folder.file("second.toml", replaced(replaced(add_one_contract, "id = \"add_one\"", "id = \"second\""),
                                      "entry = \"add_one\"", "entry = \"other\""));
  folder.file("third.toml", replaced(add_one_contract, "path = \"add_one.ptx\"", "path = \"third.ptx\""));
  const RanJson ran = run_json({"audit", folder.path("add_one.ptx"), "--cases", "2"});
  REQUIRE(ran.json.at("kernels").size() == 2);
  CHECK(ran.json.at("kernels").at(0).at("id") == "add_one");
  CHECK(ran.json.at("kernels").at(1).at("id") == "second");
  CHECK(ran.json.dump().find("no contract launches") == std::string::npos);
}

TEST_CASE("of many kernels that a contract does not launch, the report names three") {
  const AddOne folder;
  std::string ptx = add_one_ptx;
  for (int k = 0; k < 1000; ++k) ptx += ".visible .entry other" + std::to_string(k) + "()\n{\n\tret;\n}\n";
  folder.file("add_one.ptx", ptx);
  const RanJson ran = run_json({"audit", folder.path("add_one.ptx"), "--cases", "2"});
  CHECK(ran.json.at("kernels").at(0).at("not_audited") ==
        nlohmann::json{"no contract launches other0, other1, other2 and 997 more; to audit one of them, pass "
                       "--entry \"other0\""});
}

TEST_CASE("init does not replace a source that has the name of a contract") {
  const Folder folder;
  const std::string source = folder.file("sum.toml", "__global__ void sum() {}\n");
  const RanJson ran = run_json({"init", source, "--force"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("would overwrite it") !=
        std::string::npos);
  CHECK(foldproof::read_text_file(source, 1000) == "__global__ void sum() {}\n");
}

TEST_CASE("a missing contract is guessed, and init writes the guess to a file", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("guess");
  const std::string source = folder.file("wrong.cu", "");
  std::filesystem::copy_file(source_file("examples/wrong.cu"), source,
                             std::filesystem::copy_options::overwrite_existing);
  const RanJson guessed = run_json({"audit", source});
  CHECK(guessed.status == 1);
  const auto& kernel = guessed.json.at("kernels").at(0);
  CHECK_FALSE(kernel.at("notes").empty());
  CHECK(kernel.at("findings").at(0).at("kind") == "out-of-bounds");
  CHECK(kernel.at("findings").at(0).at("line") == 13);

  CHECK(run({"init", source}).status == 0);
  CHECK(std::filesystem::exists(folder.path("wrong.toml")));
  CHECK(run_json({"audit", source}).json.at("kernels").at(0).at("findings").at(0).at("line") == 13);
  const RanJson again = run_json({"init", source});
  CHECK(again.status == 2);
  CHECK(again.json.at("error").at("message").get<std::string>().find("--force") != std::string::npos);
  CHECK(again.json.at("error").at("message").get<std::string>().find("--output") != std::string::npos);
  CHECK(run({"init", source, "--force"}).status == 0);
  CHECK(run({"init", source, "--output", folder.path("second.toml")}).status == 0);
  CHECK(foldproof::read_text_file(folder.path("second.toml"), 1 << 20).find("path = \"wrong.cu\"") !=
        std::string::npos);
  std::filesystem::create_directory(folder.path("below"));
  CHECK(run({"init", source, "--output", folder.path("below/third.toml")}).status == 2);
}

TEST_CASE("trial runs show what a kernel computes, whatever the names say", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("trial");
  const std::string source = folder.file("k.cu", R"cuda(
#include <cooperative_groups.h>
// Blocks leave their sums in the output; the first block adds them.
__global__ void grid_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  float total = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) total += in[i];
  s[threadIdx.x] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 256; ++k) total += s[k];
    out[blockIdx.x] = total;
  }
  cooperative_groups::this_grid().sync();
  if (threadIdx.x > 0 || blockIdx.x > 0) return;
  for (int k = 1; k < gridDim.x; ++k) total += out[k];
  out[0] = total;
}
// The output comes first, and nothing is const.
__global__ void sum(float* a, float* b, unsigned n) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (unsigned i = 0; i < n; ++i) total += b[i];
  *a = total;
}
// Each thread reads two elements, and callers ensure that there are as many.
__global__ void add_pairs(const float* in, float* out) {
  __shared__ float s[128];
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = in[i] + in[i + 128];
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
// A dot product, although the name does not say so.
__global__ void combine(const float* x, const float* y, float* z, int n) {
  if (threadIdx.x > 0) return;
  float total = 0;
  for (int i = 0; i < n; ++i) total += x[i] * y[i];
  *z = total;
}
// N rows of C columns, although N often is the number of columns.
__global__ void softmax(float* out, const float* in, int N, int C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N) return;
  float largest = -INFINITY, total = 0;
  for (int c = 0; c < C; ++c) largest = fmaxf(largest, in[row * C + c]);
  for (int c = 0; c < C; ++c) total += expf(in[row * C + c] - largest);
  for (int c = 0; c < C; ++c) out[row * C + c] = expf(in[row * C + c] - largest) / total;
}
)cuda");
  const RanJson ran = run_json({"audit", source, "--cases", "12"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
  std::map<std::string, std::string> notes;
  for (const auto& kernel : ran.json.at("kernels")) {
    CHECK(has_no_error(kernel));
    notes[kernel.at("entry")] = kernel.at("notes").dump();
  }
  const auto says = [&](const std::string& entry, const std::string& words) {
    return notes.at(entry).find(words) != std::string::npos;
  };
  CHECK(says("sum", "input \\\"b\\\", output \\\"a\\\", operator sum"));
  CHECK(says("grid_sum", "an output that also holds one partial result per block"));
  CHECK(says("add_pairs", "2 elements per thread"));
  CHECK(says("combine", "operator dot:whole"));
  CHECK(says("softmax", "a matrix of \\\"N\\\" rows and \\\"C\\\" columns"));
}

TEST_CASE("a lost tail is a finding, not a guess about the callers", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("tail");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
)cuda");
  const RanJson ran = run_json({"audit", source, "--cases", "12"});
  CHECK(ran.status == 1);
  CHECK(ran.json.at("kernels").at(0).at("findings").at(0).at("kind") == "out-of-bounds");
}

TEST_CASE("a trial neither hides a fault nor invents one", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("trial-faults");
  const std::string source = folder.file("k.cu", R"cuda(
__device__ float of_block(float v, float* s) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (unsigned k = 1; threadIdx.x == 0 && k < blockDim.x; ++k) v += s[k];
  return v;
}
// For blocks of up to 128 threads, which its name does not say.
__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float s[2][128];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  s[0][threadIdx.x] = 0;
  v = of_block(v, s[1]);
  if (threadIdx.x == 0) *out = v;
}
// A second output has an element for each block.
__global__ void reduce_parts(const float* in, float* out, float* parts, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = of_block(i < n ? in[i] : 0.0f, s);
  if (threadIdx.x > 0) return;
  parts[blockIdx.x] = v;
  atomicAdd(out, v);
}
// An index is too large by one, which twice the shared memory would hide. Callers may pass more, too.
__global__ void shifted_sum(const float* in, float* out, int n) {
  extern __shared__ float d[];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  v = of_block(v, d + 1);
  if (threadIdx.x == 0) *out = v;
}
// It does not divide, so it is a wrong mean, and not a sum.
__global__ void mean(const float* in, float* out, int n) {
  __shared__ float s[256];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  v = of_block(v, s);
  if (threadIdx.x == 0) *out = v;
}
// Nothing says what it does.
__global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
  __syncthreads();
  if (threadIdx.x < n) out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
)cuda");
  const RanJson ran = run_json({"audit", source, "--cases", "12"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 1);
  std::map<std::string, std::string> verdicts;
  for (const auto& kernel : ran.json.at("kernels"))
    verdicts[kernel.at("entry")] =
        kernel.at("verdict") == "findings" && has_no_error(kernel) ? "warnings" : kernel.at("verdict");
  CHECK(verdicts == std::map<std::string, std::string>{{"reduce", "warnings"},
                                                       {"reduce_parts", "warnings"},
                                                       {"shifted_sum", "no-fit"},
                                                       {"mean", "findings"},
                                                       {"transpose_padded", "no-fit"}});
}
