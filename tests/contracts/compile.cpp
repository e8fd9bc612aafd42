// Real runs of nvcc; only a few, because each takes half a second. Which kernel an entry names, and errors.
#include "contracts/compile.h"

#include <filesystem>

#include "base/files.h"
#include "catch.h"
#include "compiled.h"
#include "contracts/signature.h"
#include "current_folder.h"
#include "nvcc.h"
#include "workshop.h"

using namespace foldproof;
namespace fs = std::filesystem;

TEST_CASE("a source cannot make another kernel stand for an entry", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const std::string source =
      "__global__ void wrong(float* x) { x[1] = 0; }\n__global__ void right(float* x) { x[0] = 0; }\n";
  const Workshop workshop;
  Contract global = workshop.load(
      entry_wrong, source + "namespace z { __device__ void* foldproof_entry_0 = (void*)(&right); }\n");
  compile_contract(global, options_in(workshop));
  CHECK(lowered(global, 0, 0) == "_Z5wrongPf");
}

TEST_CASE("an entry that is a macro is refused, since launches in the source would start another kernel",
          "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  Contract contract = workshop.load(entry_wrong,
                                    "__global__ void wrong(float* x) { x[0] = 0; }\n#define wrong other\n"
                                    "__global__ void wrong(float* x) { x[1] = 0; }\n");
  CHECK(error_of([&] {
          compile_contract(contract, options_in(workshop));
        }).find("which is a macro at the end of the source") != std::string::npos);
}

TEST_CASE("a macro that counts its uses cannot make another kernel stand for an entry", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  Contract contract =
      workshop.load(entry_wrong,
                    "__global__ void wrong(float* x) { x[1] = 0; }\n"
                    "namespace good { __global__ void wrong(float* x) { x[0] = 0; } }\n"
                    "#define JOINED_(a, b) a##b\n#define JOINED(a, b) JOINED_(a, b)\n#define V0 void\n"
                    "#define V1 void*)(&good::wrong); static __device__ void* other = (void\n"
                    "#define void JOINED(V, __COUNTER__)\n");
  compile_contract(contract, options_in(workshop));
  CHECK(lowered(contract, 0, 0) == "_Z5wrongPf");
}

TEST_CASE("a file next to the source does not replace a header of the toolkit or of the system", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  Contract contract = workshop.load(entry_wrong, "__global__ void wrong(float* x) { x[1] = 0; }\n");
  const tests::CurrentFolder here(workshop.path());
  for (const char* header : {"cuda_runtime.h", "utility"})
    REQUIRE(write_file(workshop.path() / header, "#error\n"));
  compile_contract(contract, options_in(workshop));
  CHECK(lowered(contract, 0, 0) == "_Z5wrongPf");
  CompileOptions with_flags = options_in(workshop);
  with_flags.nvcc_flags = {"-w"};
  CHECK(error_of([&] { compile_contract(contract, with_flags); }).find("run foldproof in another folder") !=
        std::string::npos);
}

TEST_CASE("a kernel may share its name with other functions", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const std::string kernel = "__global__ void wrong(float* x) { x[0] = 0; }\n";
  Contract contract = workshop.load(
      entry_wrong,
      kernel + "float wrong(int x) { return x; }\n__device__ int wrong(char* x) { return *x; }\n");
  compile_contract(contract, options_in(workshop));
  CHECK(lowered(contract, 0, 0) == "_Z5wrongPf");
  Contract overloaded = workshop.load(entry_wrong, kernel + "__global__ void wrong(int* x) { x[0] = 0; }\n");
  CHECK(error_of([&] { compile_contract(overloaded, options_in(workshop)); }).find("is overloaded") !=
        std::string::npos);
}

TEST_CASE("a source cannot supply the kernel that calls a device function", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const char* const toml =
      "format = 1\n[source]\ncall = \"twice(x)\"\n[reduction]\noperator = \"sum\"\ninput = \"f32\"\n"
      "accumulator = \"f32\"\noutput = \"f32\"\n[domain]\ncount = \"1 .. 32\"\nblock = 32\ngrid = 1\n";
  const std::string function = "__device__ float twice(float x) { return x * 3; }\n";
  Contract plain = workshop.load(toml, function);
  CHECK(error_of([&] { compile_contract(plain, options_in(workshop)); }).empty());
  Contract planted = workshop.load(
      toml, function +
                "extern \"C\" __global__ void foldproof_call_0(const float*, float*, long long) {}\n"
                "#define foldproof_call_0 unused\n");
  CHECK_FALSE(error_of([&] { compile_contract(planted, options_in(workshop)); }).empty());
}

TEST_CASE("an entry that does not exist is refused at its launch with the names of those that do", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  workshop.write("value.cuh", "#define VALUE 7\n");
  std::string wrong = contract_text;
  wrong.replace(wrong.find("\"plain\""), 7, "\"plane\"");
  Contract contract = workshop.load(wrong, source_text);
  const std::string error = error_of([&] { compile_contract(contract, options_in(workshop)); });
  CHECK(error.starts_with("k.toml:16:10: the entry \"plane\" does not exist in "));
  CHECK(error.find("(it declares ns::sum, hidden, plain): identifier \"plane\" is undefined") !=
        std::string::npos);
}

TEST_CASE("a source that does not compile is refused in one sentence with its position", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const fs::path source = workshop.write("k.cu", "__global__ void k(int* p) {\n  *p = nothing;\n}\n");
  CHECK(error_of([&] { compile_source(source, {}, options_in(workshop)); }) ==
        "k.cu:2:8: nvcc cannot compile this: identifier \"nothing\" is undefined");
  CHECK(error_of([&] { compile_source(source, {"--what"}, options_in(workshop)); }) ==
        "k.cu: nvcc cannot compile this: Unknown option '--what'");
}

TEST_CASE("a file that is not text is refused before nvcc, which would take minutes, runs") {
  const Workshop workshop;
  const fs::path program = workshop.write("k.cu", std::string("\177ELF\0\0", 6));
  CHECK(error_of([&] { compile_source(program, {}, CompileOptions{}); }) ==
        "k.cu: the file contains a zero byte; a source is text");
}

TEST_CASE("a missing source and an invalid architecture are refused before nvcc runs") {
  CompileOptions options;
  CHECK(error_of([&] { compile_source("/no/such/file.cu", {}, options); }) ==
        "file.cu: the file does not exist");
  const Workshop workshop;
  options.arch = "compute_90; rm";
  CHECK(error_of([&] { compile_source(workshop.write("k.cu", ""), {}, options); }) ==
        "unknown architecture \"compute_90; rm\"; write one such as compute_90");
}

TEST_CASE("a .ptx file is used unchanged, and its entries are matched by spelling") {
  const Workshop workshop;
  const std::string ptx =
      ".version 8.0\n.target sm_90\n.visible .entry _ZN2ns3sumIfLi64EEEvPKT_PS1_j(\n)\n{\nret;\n}\n";
  workshop.write("k.ptx", ptx);
  const auto toml = [](const std::string& entry) {
    return "format = 1\n[source]\npath = \"k.ptx\"\n[domain]\ncount = 1\n[[launch]]\nentry = \"" + entry +
           "\"\ngrid = 1\nblock = 1\n";
  };
  Contract contract = workshop.load(toml("ns::sum<float, 64>"));
  CHECK(compile_contract(contract, {})->ptx.text() == ptx);
  CHECK(lowered(contract, 0, 0) == "_ZN2ns3sumIfLi64EEEvPKT_PS1_j");

  Contract wrong = workshop.load(toml("ns::max"));
  CHECK(error_of([&] {
          compile_contract(wrong, {});
        }).find("which contains: ns::sum<float, 64>(float const*, float*, unsigned int)") !=
        std::string::npos);
}

TEST_CASE("a device function is wrapped in a kernel that calls it twice", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const std::string function = R"cuda(
template <typename T> struct Scratch { T totals[32]; };
template <typename T> __device__ T warp_sum(Scratch<T>& scratch, T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x == 0) scratch.totals[0] = value;
  return value;
}
)cuda";
  Contract contract = workshop.load(
      "format = 1\ntypes = { T = [\"f32\", \"i32\"] }\n[source]\ncall = \"warp_sum<{T}>(temp, x)\"\n"
      "temp = \"Scratch<{T}>\"\n[reduction]\noperator = \"sum\"\ninput = \"{T}\"\n[domain]\nblock = 32\n",
      function);
  const auto image = compile_contract(contract, options_in(workshop));
  REQUIRE(entries_of(image->ptx.module()).size() == 2);
  CHECK(lowered(contract, 1, 0) == "foldproof_call_1");
  const std::string& ptx = image->ptx.text();
  const std::string kernel = ptx.substr(ptx.find(".entry foldproof_call_0("));
  const std::string body = kernel.substr(0, kernel.find("\n}"));
  std::size_t shuffles = 0;
  for (std::size_t at = body.find("shfl.sync"); at != std::string::npos; at = body.find("shfl.sync", at + 1))
    ++shuffles;
  CHECK(shuffles == 10);
  CHECK(body.find("bar.sync") != std::string::npos);
}
