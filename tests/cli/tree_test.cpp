// foldproof tree: the order in which a kernel combines its input; and audit's findings about lost elements.
#include <fstream>
#include <sstream>

#include "catch.h"
#include "cli/add_one.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// warp_sum(const float* x, float* total, unsigned count): lane t has x[t], and halves are folded onto each
/// other. `first` is the first stride of the fold: 16, or less to lose lanes.
std::string warp_sum(int first) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry warp_sum(.param .u64 warp_sum_param_0, .param .u64 warp_sum_param_1, .param .u32 warp_sum_param_2)
{
  .reg .pred %p<4>;
  .reg .b32 %r<6>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [warp_sum_param_0];
  ld.param.u64 %rd2, [warp_sum_param_1];
  ld.param.u32 %r1, [warp_sum_param_2];
  mov.u32 %r2, %tid.x;
  mov.f32 %f1, 0f00000000;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra $fold;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
$fold:
  mov.u32 %r3, )" +
         std::to_string(first) + R"(;
$next:
  mov.b32 %r4, %f1;
  shfl.sync.down.b32 %r5, %r4, %r3, 31, -1;
  mov.b32 %f2, %r5;
  add.rn.f32 %f1, %f1, %f2;
  shr.u32 %r3, %r3, 1;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra $next;
  setp.ne.u32 %p3, %r2, 0;
  @%p3 bra $done;
  st.global.f32 [%rd2], %f1;
$done:
  ret;
}
)";
}

std::string contract(const std::string& height) {
  return R"(format = 1
id = "W"
[source]
path = "warp_sum.ptx"
[reduction]
operator = "sum"
input = "f32"
[domain]
count = "0 .. 32"
[[launch]]
entry = "warp_sum"
grid = "1"
block = "32"
arguments = ["input", "output", "count"]
[claims]
deterministic = true
height = ")" +
         height + "\"\n";
}

/// The contract's path.
std::string kernel(const Folder& folder, int first, const std::string& height = "5") {
  folder.file("warp_sum.ptx", warp_sum(first));
  return folder.file("warp_sum.toml", contract(height));
}

}  // namespace

TEST_CASE("the summation tree of a kernel is shown with its height, its order and its bound") {
  const Folder folder;
  const RanJson ran = run_json({"tree", kernel(folder, 16), "--case", "count=32 equal seed=0"});
  REQUIRE(ran.status == 0);
  CHECK(ran.json.at("order") == "a strided fold of 32");
  CHECK(ran.json.at("height") == 5);
  CHECK(ran.json.at("additions") == 5);
  CHECK(ran.json.at("elements") == 32);
  CHECK(ran.json.at("replay_agrees") == true);
  CHECK(ran.json.at("tree").at(0).size() == 2);
}

TEST_CASE("a small tree is drawn with its elements, as text and to a file") {
  const Folder folder;
  const std::string svg = (folder.path() / "tree.svg").string();
  const Ran ran = run({"tree", kernel(folder, 16), "--case", "count=3 uniform seed=1", "--svg", svg});
  REQUIRE(ran.status == 0);
  CHECK(ran.out.find("+ ─┬─ + ─┬─ x0\n"
                     "   │     └─ x2\n"
                     "   └─ x1\n") != std::string::npos);
  std::ifstream file(svg);
  std::stringstream drawn;
  drawn << file.rdbuf();
  CHECK(drawn.str().find("</svg>") != std::string::npos);
}

TEST_CASE("a case that lacks a variable or is outside the domain has no tree") {
  const Folder folder;
  const std::string toml = kernel(folder, 16);
  for (const char* const text : {"uniform", "count=33 uniform"}) {
    const RanJson ran = run_json({"tree", toml, "--case", text});
    INFO(ran.json.dump());
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("count") != std::string::npos);
  }
}

TEST_CASE("a result that does not exist and a file that cannot be written are refused in one sentence") {
  const Folder folder;
  const std::string toml = kernel(folder, 16);
  const Ran result = run({"tree", toml, "--result", "1"});
  CHECK(result.status == 2);
  CHECK(result.err.find("there is no result 1") != std::string::npos);
  const Ran unwritable = run({"tree", toml, "--svg", (folder.path() / "none" / "tree.svg").string()});
  CHECK(unwritable.status == 2);
  CHECK(unwritable.err.find("cannot be written") != std::string::npos);
}

TEST_CASE("a drawing does not replace the contract or the source, not even through a symbolic link") {
  const Folder folder;
  const std::string toml = kernel(folder, 16), link = folder.path("link.svg");
  std::filesystem::create_symlink(toml, link);
  for (const std::string& svg : {toml, folder.path("warp_sum.ptx"), link}) {
    const Ran ran = run({"tree", toml, "--svg", svg});
    CHECK(ran.status == 2);
    CHECK(ran.err.find("would overwrite this file") != std::string::npos);
  }
}

TEST_CASE("an audit names the lost elements and describes how the kernel combines the others") {
  const Folder folder;
  const RanJson ran = run_json({"audit", kernel(folder, 8), "--cases", "16"});
  CHECK(ran.status == 1);
  const auto& report = ran.json.at("kernels").at(0);
  bool lost = false;
  for (const auto& finding : report.at("findings"))
    lost |= finding.at("kind") == "input-not-used" &&
            finding.at("message") == "element 16 is not part of the result; the input has 17 elements";
  CHECK(lost);
}

TEST_CASE("with several kernels, a lost element is attributed to the kernel that lost it", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  // One kernel computes partial sums of 32 elements, another one their total. The first begins in line 1, the
  // second in line 6.
  const std::string source = R"(__global__ void parts(const float* input, float* partials, unsigned count) {
  float total = 0;
  for (unsigned i = blockIdx.x * 32; i < count - LOST_1 && i < blockIdx.x * 32 + 32; ++i) total += input[i];
  partials[blockIdx.x] = total;
}
__global__ void total(const float* partials, float* output, unsigned count) {
  float total = 0;
  for (unsigned i = 0; i < count - LOST_2; ++i) total += partials[i];
  *output = total;
}
)";
  const std::string toml = R"toml(format = 1
[source]
flags = ["-DLOST_1=FIRST", "-DLOST_2=SECOND"]
[reduction]
operator = "sum"
input = "f32"
[domain]
count = "1 .. 2^20"
grid = "ceil_div(count, 32)"
[[buffer]]
name = "partials"
type = "f32"
count = "grid"
[[launch]]
entry = "parts"
grid = "grid"
block = 1
arguments = ["input", "partials", "count"]
[[launch]]
entry = "total"
grid = 1
block = 1
arguments = ["partials", "output", "grid"]
)toml";
  const auto line_of_loss = [&](const std::string& first, const std::string& second) {
    const Folder folder("two_kernels");
    folder.file("two.cu", source);
    const std::string contract =
        folder.file("two.toml", replaced(replaced(toml, "FIRST", first), "SECOND", second));
    const RanJson ran = run_json({"audit", contract, "--case", "count=70 grid=3 equal seed=0"});
    for (const auto& finding : ran.json.at("kernels").at(0).at("findings"))
      if (finding.at("kind") == "input-not-used") return finding.at("line").get<int>();
    return 0;
  };
  CHECK(line_of_loss("1", "0") == 1);
  CHECK(line_of_loss("0", "1") == 6);
  CHECK(line_of_loss("0", "0") == 0);
}

TEST_CASE("the case of a tree may have an offset that the domain contains") {
  const Folder folder;
  kernel(folder, 16);
  folder.file("warp_sum.toml", replaced(contract("5"), "[domain]\n", "[domain]\noffset = \"0 .. 3\"\n"));
  const RanJson ran =
      run_json({"tree", folder.path("warp_sum.toml"), "--case", "count=12 offset=1 uniform seed=5"});
  CHECK(ran.status == 0);
  CHECK(ran.json.at("elements") == 12);
}

TEST_CASE("a claimed height that is too small is a contract violation") {
  const Folder folder;
  const RanJson ran = run_json({"audit", kernel(folder, 16, "4"), "--cases", "16"});
  CHECK(ran.status == 1);
  const auto& finding = ran.json.at("kernels").at(0).at("findings").at(0);
  CHECK(finding.at("kind") == "contract-violation");
  CHECK(finding.at("message").get<std::string>().find("claims at most 4 additions per element") !=
        std::string::npos);
}

/// The same fold with another combination of %f1 and %f2, or of %r4 and %r5. Returns the contract's path.
std::string other_kernel(const Folder& folder, const std::string& combine, const std::string& identity,
                         const std::string& op, const std::string& input, const std::string& height) {
  std::string ptx = replaced(warp_sum(16), "add.rn.f32 %f1, %f1, %f2;", combine);
  folder.file("warp_sum.ptx", replaced(ptx, "mov.f32 %f1, 0f00000000;", "mov.f32 %f1, " + identity + ";"));
  const std::string text = replaced(contract(height), "operator = \"sum\"", "operator = \"" + op + "\"");
  return folder.file("warp_sum.toml", replaced(text, "input = \"f32\"", "input = \"" + input + "\""));
}

TEST_CASE("a claimed height of a bitwise operation is checked") {
  const Folder folder;
  const auto audited = [&](const std::string& height) {
    return run_json(
        {"audit",
         other_kernel(folder, "or.b32 %r4, %r4, %r5; mov.b32 %f1, %r4;", "0f00000000", "or", "u32", height),
         "--cases", "16"});
  };
  CHECK(audited("5").status == 0);
  const RanJson ran = audited("4");
  CHECK(ran.status == 1);
  CHECK(ran.json.at("kernels")
            .at(0)
            .at("findings")
            .at(0)
            .at("message")
            .get<std::string>()
            .find("claims at most 4 bitwise operations per element") != std::string::npos);
}

TEST_CASE("a note says that a claimed height was not checked if the combinations cannot be counted") {
  const Folder folder;
  const auto notes_of = [&](const std::string& combine) {
    const RanJson ran =
        run_json({"audit", other_kernel(folder, combine, "0fFF800000", "max", "f32", "5"), "--cases", "16"});
    CHECK(ran.status == 0);
    return ran.json.at("kernels").at(0).at("notes").dump();
  };
  const std::string note = "the claim \\\"height\\\" was not checked";
  CHECK(notes_of("setp.gt.f32 %p2, %f1, %f2; setp.gt.f32 %p3, %f1, 0f00000000; and.pred %p3, %p3, %p2;"
                 "or.pred %p2, %p2, %p3; selp.f32 %f1, %f1, %f2, %p2;")
            .find(note) != std::string::npos);
  CHECK(notes_of("max.NaN.f32 %f1, %f1, %f2;").find(note) == std::string::npos);
}

TEST_CASE("an audit reports which checker checked the values and in which order they were combined") {
  const Folder folder;
  const RanJson ran = run_json({"audit", kernel(folder, 16), "--cases", "40"});
  CHECK(ran.status == 0);
  const auto& report = ran.json.at("kernels").at(0);
  CHECK(report.at("tree").at("order") == "a strided fold of 32");
  CHECK(report.at("tree").at("height") == 5);
  CHECK(report.at("checked_by").at("tree").get<int>() > 0);
  CHECK(report.at("worst_checked_by") == "tree");
  CHECK(report.at("worst_error_over_bound").get<double>() <= 1);
}
