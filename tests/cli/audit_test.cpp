// `audit` of a user's own sources: which instances it runs, and what it finds.
#include "catch.h"
#include "cli/add_one.h"
#include "cli/total_once.h"
#include "nvcc.h"

using namespace foldproof::test;

TEST_CASE("a clean kernel gives status 0 and the requested number of cases") {
  const AddOne folder;
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "7"});
  REQUIRE(ran.status == 0);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("id") == "add_one");
  CHECK(kernel.at("verdict") == "clean");
  CHECK(kernel.at("cases") == 7);
  CHECK(ran.json.at("seed") == "1");
}

TEST_CASE("a source, its contract and its folder all select the same kernel") {
  const AddOne folder;
  for (const std::string& path :
       {folder.path("add_one.ptx"), folder.path("add_one.toml"), folder.path().string()}) {
    const RanJson ran = run_json({"audit", path, "--cases", "1"});
    CHECK(ran.status == 0);
    CHECK(ran.json.at("kernels").size() == 1);
  }
}

TEST_CASE("an instruction that the device does not support gives status 3") {
  const Folder folder;
  folder.file("add_one.ptx", replaced(add_one_ptx, "add.s32 %r6, %r6, 1;", "addd.s32 %r6, %r6, 1;"));
  folder.file("add_one.toml", add_one_contract);
  const RanJson ran = run_json({"audit", folder.path("add_one.toml")});
  CHECK(ran.status == 3);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "unsupported");
  CHECK(kernel.at("reason").get<std::string>().find("addd") != std::string::npos);
}

TEST_CASE("the same seed gives the same report with one process and with two") {
  const AddOne folder(too_short);
  const auto audit = [&](const std::string& jobs) {
    const Folder store;
    auto json = run_json({"audit", folder.path().string(), "--seed", "5", "--jobs", jobs, "--store",
                          store.path().string()})
                    .json;
    for (auto& kernel : json.at("kernels")) {
      kernel.erase("seconds");
      for (auto& finding : kernel.at("findings")) finding.erase("replay");
    }
    return json;
  };
  CHECK(audit("1") == audit("2"));
}

TEST_CASE("shards partition the instances") {
  const Folder folder;
  folder.file("add_one.ptx", add_one_ptx);
  folder.file("add_one.toml",
              "types = { B = [32, 64, 96] }\n" + replaced(add_one_contract, "\"128\"", "\"{B}\""));
  const auto instances = [&](const std::string& shard) {
    std::vector<std::string> labels;
    const RanJson ran = run_json({"audit", folder.path().string(), "--cases", "1", "--shard", shard});
    for (const auto& kernel : ran.json.at("kernels")) labels.push_back(kernel.at("instance"));
    return labels;
  };
  CHECK(instances("1/2") == std::vector<std::string>{"B=32", "B=96"});
  CHECK(instances("2/2") == std::vector<std::string>{"B=64"});
}

namespace {

/// The audit of a segmented maximum. `if_empty`: what it does if a segment is empty; `claim`: of `empty`.
RanJson audit_segments(const std::string& if_empty, const std::string& claim) {
  const Folder folder;
  folder.file("segments.cu", R"cu(
__global__ void maxima(const int* in, int* out, unsigned segments, const unsigned* offsets) {
  const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  if (offsets[s] == offsets[s + 1]) { )cu" +
                                 if_empty + R"cu( return; }
  int most = in[offsets[s]];
  for (unsigned i = offsets[s]; i < offsets[s + 1]; ++i) most = max(most, in[i]);
  out[s] = most;
})cu");
  folder.file("segments.toml", R"toml(format = 1
[reduction]
operator = "max"
input = "i32"
result = "segments"
[domain]
block = "1 .. 128"
segments = "1 .. 20"
count = "0 .. 100"
[[operand]]
name = "offsets"
role = "offsets"
type = "u32"
[claims]
empty = ")toml" + claim + R"toml("
[[launch]]
entry = "maxima"
grid = "ceil_div(segments, block)"
block = "block"
arguments = ["input", "output", "segments", "offsets"]
)toml");
  return run_json({"audit", folder.path("segments.toml"), "--cases", "20"});
}

}  // namespace

TEST_CASE("the claim `empty` holds for empty segments", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  CHECK(audit_segments("", "untouched").status == 0);
  CHECK(audit_segments("", "unspecified").status == 0);
  CHECK(audit_segments("out[s] = 5;", "unspecified").status == 0);
  CHECK(audit_segments("out[s] = -2147483648;", "identity").status == 0);
  CHECK(audit_segments("", "identity").json.at("kernels").at(0).at("findings").at(0).at("kind") ==
        "wrong-value");
  CHECK(audit_segments("out[s] = 5;", "untouched").json.at("kernels").at(0).at("findings").at(0).at("kind") ==
        "contract-violation");
}

namespace {

/// The audit of a matrix-vector product, one thread per row. `partner`: of the element in row r and column k.
RanJson audit_product(const std::string& partner) {
  const Folder folder;
  folder.file("product.cu", R"cu(
__global__ void product(const float* a, const float* x, float* y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 0; k < columns; ++k) sum += a[(long long)r * columns + k] * x[)cu" +
                                partner + R"cu(];
  y[r] = sum;
})cu");
  folder.file("product.toml", R"toml(format = 1
[reduction]
operator = "dot"
input = "f32"
result = "rows"
[domain]
block = "1 .. 128"
columns = "1 .. 40"
rows = "1 .. 40"
count = "rows * columns"
[[operand]]
name = "x"
role = "second"
type = "f32"
count = "columns"
[[launch]]
entry = "product"
grid = "ceil_div(rows, block)"
block = "block"
arguments = ["input", "x", "output", "rows", "columns"]
)toml");
  return run_json({"audit", folder.path("product.toml"), "--cases", "20"});
}

}  // namespace

TEST_CASE("the second factor of a matrix-vector product has one value per column", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const RanJson right = audit_product("k");
  INFO(right.json.dump());
  CHECK(right.status == 0);
  const RanJson wrong = audit_product("columns - 1 - k");
  INFO(wrong.json.dump());
  CHECK(wrong.status == 1);
}

namespace {

/// The first finding of a sum of integers that also returns the least of them. `if_empty`: what it does
/// before it returns for an empty input; `again`: what it does before it stores the least.
std::string finding_with_least(const std::string& if_empty, const std::string& again,
                               const std::string& claims) {
  const Folder folder;
  folder.file("totals.cu", R"cu(
__global__ void totals(const int* in, int* out, int* least, unsigned n) {
  if (n == 0) { )cu" + if_empty +
                               R"cu( return; }
  int sum = 0, low = in[0];
  for (unsigned i = 0; i < n; ++i) sum += in[i];
  for (unsigned i = 1; i < n; ++i) low = min(low, in[i]);
  )cu" + again + R"cu(
  *out = sum;
  *least = low;
})cu");
  folder.file("totals.toml", R"toml(format = 1
[reduction]
operator = "sum"
input = "i32"
[domain]
count = "0 .. 100"
[[buffer]]
name = "least"
type = "i32"
count = 1
[[additional_output]]
buffer = "least"
operator = "min"
[claims]
empty = "untouched"
)toml" + claims + R"toml(
[[launch]]
entry = "totals"
grid = 1
block = 1
arguments = ["input", "output", "least", "count"]
)toml");
  const auto findings = run_json({"audit", folder.path("totals.toml"), "--cases", "20"})
                            .json.at("kernels")
                            .at(0)
                            .at("findings");
  return findings.empty() ? "" : findings.at(0).at("message").get<std::string>();
}

}  // namespace

TEST_CASE("claims hold for additional outputs", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const std::string again = "for (unsigned i = 0; i < n; ++i) low = min(low, in[i]);";
  CHECK(finding_with_least("", "", "height = \"count\"\nuses_every_input_once = true").empty());
  CHECK(finding_with_least("", again, "").empty());
  CHECK(finding_with_least("*least = 77;", "", "") ==
        "in the buffer \"least\", the kernel wrote output 0 for an empty input, although the contract claims "
        "that it leaves the outputs untouched if there are no elements");
  CHECK(finding_with_least("", again, "height = \"count\"").find("but in the buffer \"least\", element 0") !=
        std::string::npos);
  CHECK(finding_with_least("", again, "height = \"count\"\nuses_every_input_once = false")
            .find("but in the buffer \"least\", element 0") != std::string::npos);
  CHECK(finding_with_least("", again, "uses_every_input_once = true")
            .find("in the buffer \"least\", element 0") == 0);
}

TEST_CASE("a kernel that was tried only without elements is not clean") {
  const std::string groups = replaced(add_one_contract, "count = \"1 .. 1000\"",
                                      "groups = \"0 .. 1000\"\ncount = \"groups * 100000\"");
  const AddOne folder(replaced(groups, "\"ceil_div(count, block)\"", "\"max(1, ceil_div(count, block))\""));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml")});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "unchecked");
}

TEST_CASE("a kernel that writes its output only in the first call is reported") {
  const TotalOnce folder;
  check_finds_second_call(run_json({"audit", folder.path("total.toml")}));
}

TEST_CASE("a result that is never written is one finding, whatever the memory contains", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  folder.file("rows.cu", R"cu(#include <cuda_fp16.h>
__global__ void maxima(const __half* in, __half* out, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows / 2 * 2) return;
  __half most = in[r * columns];
  for (int k = 1; k < columns; ++k) most = __hmax_nan(most, in[r * columns + k]);
  out[r] = most;
})cu");
  folder.file("rows.toml", R"toml(format = 1
[reduction]
operator = "max"
input = "f16"
result = "rows"
[domain]
block = "1 .. 128"
rows = "1 .. 300"
columns = "1 .. 40"
count = "rows * columns"
[claims]
nan = "propagate"
uses_every_input_once = false
[[launch]]
entry = "maxima"
grid = "ceil_div(rows, block)"
block = "block"
arguments = ["input", "output", "rows", "columns"]
)toml");
  const RanJson ran = run_json({"audit", folder.path("rows.toml")});
  const nlohmann::json& findings = ran.json.at("kernels").at(0).at("findings");
  REQUIRE(findings.size() == 1);
  CHECK(findings.at(0).at("kind") == "wrong-value");
  CHECK(findings.at(0).at("message").get<std::string>().starts_with(
      "element 0 of the output was never written; the input is 0; a kernel that accumulates"));
  CHECK(findings.at(0).at("case").get<std::string>().starts_with("count=1 block=1 columns=1 rows=1 "));
}
