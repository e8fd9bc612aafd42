// Which kernel --entry selects, among overloads, template instances and namespaces, and with which contract.
#include <tuple>

#include "catch.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

const std::string ptx_header = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::string all_replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// One thread sums the elements from `first` on, which is wrong unless that is 0: NAME(const float* input,
/// float* output, TYPE count).
std::string sum_entry(const std::string& lowered, const std::string& type, int first) {
  const std::string text = R"(.visible .entry NAME(.param .u64 input, .param .u64 output, .param .TYPE count)
.reqntid 1
{
  .reg .pred %end;
  .reg .f32 %sum, %element;
  .reg .b64 %at, %output;
  .reg .TYPE %count, %i;
  ld.param.u64 %at, [input];
  ld.param.u64 %output, [output];
  ld.param.TYPE %count, [count];
  mov.f32 %sum, 0f00000000;
  mov.TYPE %i, FIRST;
again:
  setp.ge.TYPE %end, %i, %count;
  @%end bra store;
  ld.global.f32 %element, [%at];
  add.rn.f32 %sum, %sum, %element;
  add.s64 %at, %at, 4;
  add.TYPE %i, %i, 1;
  bra again;
store:
  st.global.f32 [%output], %sum;
  ret;
}
)";
  return all_replaced(all_replaced(all_replaced(text, "NAME", lowered), "TYPE", type), "FIRST",
                      std::to_string(first));
}

std::string right_entry(const std::string& lowered) { return sum_entry(lowered, "u64", 0); }
std::string wrong_entry(const std::string& lowered) { return sum_entry(lowered, "u64", 1); }

/// A contract for a sum_entry() in k.ptx.
std::string contract_for(const std::string& entry) {
  return all_replaced(R"(format = 1
id = "written"
[source]
path = "k.ptx"
[reduction]
operator = "sum"
input = "f32"
[domain]
count = "1 .. 1000"
block = "1"
grid = "1"
[[launch]]
entry = "ENTRY"
grid = "grid"
block = "block"
arguments = ["input", "output", "count"]
)",
                      "ENTRY", entry);
}

/// The message of an audit that is refused.
std::string refusal(const RanJson& ran) {
  INFO(ran.json.dump());
  REQUIRE(ran.status == 2);
  return ran.json.at("error").at("message");
}

/// The case that replays the first finding.
std::string stored_case(const nlohmann::json& kernel) {
  const std::string replay = kernel.at("findings").at(0).at("replay");
  return replay.substr(replay.rfind(' ') + 1);
}

}  // namespace

TEST_CASE("--entry selects a kernel, with a guessed contract if the one next to the source is for another",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  const auto kernel = [](const std::string& name, const std::string& end) {
    return "__global__ void " + name + "(const float* in, float* out, int n) {\n" +
           "  float sum = 0;  if (threadIdx.x > 0) return;\n  for (int i = 0; i < " + end +
           "; ++i) sum += in[i];\n  *out = sum;\n}\n";
  };
  const std::string source = folder.file("two.cu", kernel("sum_a", "n") + kernel("sum_b", "n + 1"));
  const std::string contract = folder.file("two.toml", R"(format = 1
[reduction]
operator = "sum"
input = "f32"
[domain]
count = "0 .. 1000"
[[launch]]
entry = "sum_a"
grid = 1
block = 1
arguments = ["input", "output", "count"]
)");
  const RanJson with_contract = run_json({"audit", source, "--entry", "sum_a"});
  CHECK(with_contract.status == 0);
  CHECK(with_contract.json.at("kernels").at(0).at("kernel").get<std::string>().find("two") == 0);
  const RanJson guessed = run_json({"audit", source, "--entry", "sum_b", "--cases", "8"});
  CHECK(guessed.status == 1);
  REQUIRE(guessed.json.at("kernels").size() == 1);
  const auto& finding = guessed.json.at("kernels").at(0).at("findings").at(0);
  CHECK(finding.at("line") == 8);
  CHECK(run({"replay", stored_case(guessed.json.at("kernels").at(0))}).status == 1);
  for (const std::string& chosen : {contract, folder.path().string()}) {
    const RanJson refused = run_json({"audit", chosen, "--entry", "sum_b"});
    CHECK(refused.status == 2);
    CHECK(refused.json.at("error").at("message").get<std::string>().find("the kernel \"sum_b\"") !=
          std::string::npos);
  }
}

TEST_CASE("overloads are guessed and run as themselves") {
  const Folder folder;
  const std::string source =
      folder.file("k.ptx", ptx_header + right_entry("_Z3sumPKfPfm") + sum_entry("_Z3sumPKfPfj", "u32", 1));
  const std::string right = "sum(float const*, float*, unsigned long)",
                    wrong = "sum(float const*, float*, unsigned int)";
  const RanJson all = run_json({"audit", source, "--cases", "8"});
  CHECK(all.status == 1);
  REQUIRE(all.json.at("kernels").size() == 2);
  for (const auto& kernel : all.json.at("kernels"))
    CHECK(kernel.at("verdict") == (kernel.at("entry") == right ? "clean" : "findings"));

  for (const std::string& entry :
       {std::string("_Z3sumPKfPfj"), std::string("sum(const float*, float*, unsigned)"), wrong}) {
    INFO(entry);
    const RanJson ran = run_json({"audit", source, "--entry", entry, "--cases", "8"});
    CHECK(ran.status == 1);
    REQUIRE(ran.json.at("kernels").size() == 1);
    CHECK(ran.json.at("kernels").at(0).at("entry") == wrong);
    CHECK(run({"replay", stored_case(ran.json.at("kernels").at(0))}).status == 1);
  }
  CHECK(refusal(run_json({"audit", source, "--entry", "sum"})).find(right + ", " + wrong) !=
        std::string::npos);
  CHECK(refusal(run_json({"audit", source, "--entry", "sum(int)"})).find("\"sum(int)\"") !=
        std::string::npos);
}

TEST_CASE("overloads of a source are compiled by their parameters", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  const auto overload = [](const std::string& count, const std::string& end) {
    return "__global__ void sum(const float* in, float* out, " + count + " n) {\n" +
           "  if (threadIdx.x != 0) return;\n  float sum = 0;\n" + "  for (" + count + " i = 0; i < " + end +
           "; ++i) sum += in[i];\n  *out = sum;\n}\n";
  };
  const std::string source = folder.file("k.cu", overload("unsigned", "n") + overload("size_t", "n + 1"));
  const std::string right = "sum(float const*, float*, unsigned int)",
                    wrong = "sum(float const*, float*, unsigned long)";
  const RanJson all = run_json({"audit", source, "--cases", "8"});
  CHECK(all.status == 1);
  REQUIRE(all.json.at("kernels").size() == 2);
  for (const auto& kernel : all.json.at("kernels"))
    CHECK(kernel.at("verdict") == (kernel.at("entry") == right ? "clean" : "findings"));
  for (const char* entry : {"sum(const float*, float*, size_t)", "_Z3sumPKfPfm"}) {
    INFO(entry);
    const RanJson ran = run_json({"audit", source, "--entry", entry, "--cases", "8"});
    CHECK(ran.status == 1);
    CHECK(ran.json.at("kernels").at(0).at("entry") == wrong);
  }
  CHECK(refusal(run_json({"audit", source, "--entry", "sum"})).find("\"sum\"") != std::string::npos);
}

TEST_CASE("template instances whose arguments differ only in type are distinguished") {
  const Folder folder;
  const std::string source = folder.file(
      "k.ptx", ptx_header + right_entry("_Z3sumILi1EEvPKfPfm") + wrong_entry("_Z3sumILl1EEvPKfPfm"));
  const auto audit = [&](const std::string& entry) {
    return run({"audit", source, "--entry", entry, "--cases", "8"}).status;
  };
  CHECK(audit("sum<1>") == 0);
  CHECK(audit("sum<1L>") == 1);
  CHECK(audit("_Z3sumILl1EEvPKfPfm") == 1);
  CHECK(audit("sum") == 2);
}

TEST_CASE("a contract is not used for a kernel of another namespace") {
  const Folder folder;
  const std::string global = "_Z3sumPKfPfm", good = "_ZN4good3sumEPKfPfm";
  for (const auto& [right, in_contract, wrong, wished] :
       {std::tuple{good, "good::sum", global, "sum"}, std::tuple{global, "sum", good, "good::sum"}}) {
    INFO(wished);
    const std::string source = folder.file("k.ptx", ptx_header + right_entry(right) + wrong_entry(wrong));
    folder.file("k.toml", contract_for(in_contract));
    const RanJson ran = run_json({"audit", source, "--entry", wished, "--cases", "8"});
    CHECK(ran.status == 1);
    CHECK(ran.json.at("kernels").at(0).at("entry") == wished);
    const RanJson with_contract = run_json({"audit", source, "--entry", in_contract, "--cases", "8"});
    CHECK(with_contract.status == 0);
    CHECK(with_contract.json.at("kernels").at(0).at("id") == "written");
  }
}

TEST_CASE("a name without template arguments selects a contract that has them, unless another has none") {
  const Folder folder;
  folder.file("k.ptx", ptx_header + right_entry("_Z3sumPKfPfm") + right_entry("_Z3sumIfEvPKfPfm"));
  folder.file("instance.toml", contract_for("sum<float>"));
  const auto entries = [&](const std::string& entry) {
    std::vector<std::string> found;
    const RanJson ran = run_json({"audit", folder.path().string(), "--entry", entry, "--cases", "1"});
    for (const auto& kernel : ran.json.at("kernels")) found.push_back(kernel.at("entry"));
    return found;
  };
  CHECK(entries("::sum") == std::vector<std::string>{"sum<float>"});
  folder.file("plain.toml", contract_for("sum"));
  CHECK(entries("sum") == std::vector<std::string>{"sum"});
  CHECK(entries("sum< float >") == std::vector<std::string>{"sum<float>"});
  CHECK(entries("sum(float const*, float*, unsigned long)").empty());
  CHECK(entries("float").empty());
}

TEST_CASE("a case of a guessed kernel is replayed for that kernel, whatever contract is next to the source") {
  const Folder folder;
  const std::string source =
      folder.file("k.ptx", ptx_header + wrong_entry("_Z3sumPKfPfm") + right_entry("_ZN4good3sumEPKfPfm"));
  const RanJson audited = run_json({"audit", source, "--entry", "sum", "--cases", "8"});
  REQUIRE(audited.status == 1);
  const std::string file = stored_case(audited.json.at("kernels").at(0));
  for (const std::string entry : {"good::sum", "sum"}) {
    folder.file("k.toml", contract_for(entry));
    const RanJson replayed = run_json({"replay", file});
    CHECK(replayed.status == 1);
    CHECK(replayed.json.at("kernels").at(0).at("entry") == "sum");
    CHECK(replayed.json.at("kernels").at(0).at("id") == "sum");
  }
  folder.file("k.ptx", ptx_header + right_entry("_ZN4good3sumEPKfPfm"));
  CHECK(refusal(run_json({"replay", file}))
            .find("has no kernel \"sum\"; it has changed since the case was stored") != std::string::npos);
}

TEST_CASE("--entry with a template selects its instances, and empty kernels of headers are ignored",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("entry-template");
  folder.file("library.h",
              "namespace library { template <class T> __global__ void empty() {} }\n"
              "template __global__ void library::empty<void>();\n");
  const std::string source = folder.file("k.cu", R"cuda(
#include "library.h"
template <int B>
__global__ void total(const float* in, float* out, int n) {
  __shared__ float part[B];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += B) s += in[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int d = B / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}
void launch(const float* in, float* out, int n) { total<64><<<1, 64>>>(in, out, n); }
)cuda");
  for (const std::vector<std::string>& choice : {std::vector<std::string>{}, {"--entry", "total"}}) {
    std::vector<std::string> words{"audit", source, "--cases", "8"};
    words.insert(words.end(), choice.begin(), choice.end());
    const RanJson ran = run_json(words);
    CHECK(ran.status == 0);
    REQUIRE(ran.json.at("kernels").size() == 1);
    CHECK(ran.json.at("kernels").at(0).at("entry") == "total<64>");
  }
}

TEST_CASE("a kernel of a header that only calls a function is not ignored", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("entry-call");
  folder.file(
      "library.h",
      "namespace library {\n__device__ int counter;\n__device__ __noinline__ void count() { ++counter; }\n"
      "template <class T> __global__ void calls() { count(); }\n}\n"
      "template __global__ void library::calls<void>();\n");
  const std::string source =
      folder.file("k.cu",
                  "#include \"library.h\"\n__global__ void total(const float* in, float* out, "
                  "int n) {\n  float s = 0;\n  for (int i = 0; i < n; ++i) s += in[i];\n"
                  "  if (threadIdx.x == 0) *out = s;\n}\n");
  CHECK(run_json({"audit", source, "--cases", "4"}).json.at("kernels").size() == 2);
}
