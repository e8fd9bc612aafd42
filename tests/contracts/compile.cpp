// Real runs of nvcc; only a few, because each takes half a second.
#include "contracts/compile.h"

#include <cstdlib>
#include <optional>

#include "base/files.h"
#include "catch.h"
#include "contracts/guess.h"
#include "contracts/signature.h"
#include "nvcc.h"
#include "workshop.h"

using namespace foldproof;
namespace fs = std::filesystem;

namespace {

CompileOptions options_in(const Workshop& workshop) {
  CompileOptions options;
  options.cache = workshop.path() / "ptx";
  return options;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// While it exists, temporary files of this process go to a folder that no other process uses.
class OwnTemporaryFolder {
 public:
  explicit OwnTemporaryFolder(const fs::path& folder) : before_(fs::temp_directory_path().string()) {
    fs::create_directory(folder);
    setenv("TMPDIR", folder.c_str(), 1);
  }
  OwnTemporaryFolder(const OwnTemporaryFolder&) = delete;
  OwnTemporaryFolder& operator=(const OwnTemporaryFolder&) = delete;
  ~OwnTemporaryFolder() { setenv("TMPDIR", before_.c_str(), 1); }

 private:
  std::string before_;
};

/// While it exists, nvcc cannot be found.
class WithoutNvcc {
 public:
  WithoutNvcc() {
    if (const char* variable = std::getenv("NVCC")) before_ = variable;
    setenv("NVCC", "/no/such/nvcc", 1);
  }
  WithoutNvcc(const WithoutNvcc&) = delete;
  WithoutNvcc& operator=(const WithoutNvcc&) = delete;
  ~WithoutNvcc() {
    if (before_)
      setenv("NVCC", before_->c_str(), 1);
    else
      unsetenv("NVCC");
  }

 private:
  std::optional<std::string> before_;
};

const std::string kernels = R"cuda(
#include "value.cuh"
namespace ns {
template <typename T, int B = 64>
__global__ void sum(const T* in, T* out, unsigned n) { out[0] = in[n] + T(B); }
}
namespace { __global__ void hidden(int* p) { *p = VALUE; } }
extern "C" __global__ void plain(int* p) { *p = 1; }
)cuda";

const std::string contract_text = R"toml(format = 1
types = { T = ["f32", "i32"] }
[domain]
count = 4
[[launch]]
entry = "ns::sum<{T}>"
grid = 1
block = 1
arguments = ["input", "output", "count"]
[[launch]]
entry = "hidden"
grid = 1
block = 1
arguments = ["output"]
[[launch]]
entry = "plain"
grid = 1
block = 1
arguments = ["output"]
)toml";

std::string lowered(const Contract& contract, std::size_t instance, std::size_t launch) {
  return contract.instances.at(instance).launches.at(launch).lowered;
}

}  // namespace

TEST_CASE("a contract's entries are instantiated, named by the compiler and cached by content", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  workshop.write("value.cuh", "#define VALUE 7\n");
  Contract contract = workshop.load(contract_text, kernels);
  const OwnTemporaryFolder temporary(workshop.path() / "tmp");
  const auto first = compile_contract(contract, options_in(workshop));

  CHECK(lowered(contract, 0, 0) == "_ZN2ns3sumIfLi64EEEvPKT_PS1_j");
  CHECK(lowered(contract, 1, 0) == "_ZN2ns3sumIiLi64EEEvPKT_PS1_j");
  CHECK(lowered(contract, 0, 1).find("6hiddenEPi") != std::string::npos);
  CHECK(lowered(contract, 0, 2) == "plain");
  CHECK(entries_of(first->ptx.module()).size() == 4);
  CHECK(first->name() == (workshop.path() / "k.cu").string());
  CHECK(first->ptx.text().find("_entry_") == std::string::npos);
  CHECK(first->ptx.text().find(".loc") != std::string::npos);
  CHECK(files_in(workshop.path() / "ptx") == 2);
  CHECK(files_in(workshop.path() / "tmp") == 0);

  SECTION("the same again needs no nvcc") {
    const WithoutNvcc without;
    Contract again = workshop.load(contract_text, kernels);
    CHECK(compile_contract(again, options_in(workshop))->ptx.text() == first->ptx.text());
    CHECK(lowered(again, 0, 1) == lowered(contract, 0, 1));
  }
  SECTION("the same again is refused with an nvcc that is named and not there") {
    CompileOptions wrong = options_in(workshop);
    wrong.nvcc = "/no/such/nvcc";
    CHECK(error_of([&] { compile_contract(contract, wrong); }) ==
          "--nvcc names \"/no/such/nvcc\", which is not a program on this machine");
  }
  SECTION("a changed header is compiled again") {
    workshop.write("value.cuh", "#define VALUE 4711\n");
    CHECK(compile_contract(contract, options_in(workshop))->ptx.text().find("4711") != std::string::npos);
  }
  SECTION("without nvcc what is not cached cannot be compiled") {
    const WithoutNvcc without;
    CompileOptions other = options_in(workshop);
    other.flags = {"-DOTHER"};
    CHECK(error_of([&] { compile_contract(contract, other); }) ==
          "the variable NVCC names \"/no/such/nvcc\", which is not a program on this machine");
  }
}

TEST_CASE("a source cannot make another kernel stand for an entry", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const std::string source =
      "__global__ void wrong(float* x) { x[1] = 0; }\n__global__ void right(float* x) { x[0] = 0; }\n";
  const std::string toml =
      "format = 1\n[domain]\ncount = 1\n[[buffer]]\nname = \"x\"\ntype = \"f32\"\ncount = 1\n"
      "[[launch]]\nentry = \"wrong\"\ngrid = 1\nblock = 1\narguments = [\"x\"]\n";
  const Workshop workshop;
  Contract global =
      workshop.load(toml, source + "namespace z { __device__ void* foldproof_entry_0 = (void*)(&right); }\n");
  compile_contract(global, options_in(workshop));
  CHECK(lowered(global, 0, 0) == "_Z5wrongPf");
  Contract macro = workshop.load(toml, source + "#define wrong right\n");
  CHECK(error_of([&] {
          compile_contract(macro, options_in(workshop));
        }).find("\"wrong\" stands for the kernel \"right\"; write that name") != std::string::npos);
}

TEST_CASE("a host program is cached like PTX, and a second compilation needs no nvcc", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const char* const text =
      "format = 1\n[domain]\ncount = 1\n[[buffer]]\nname = \"x\"\ntype = \"f32\"\ncount = 1\n"
      "[[launch]]\nentry = \"clear\"\nhost = true\narguments = [\"x\"]\n";
  const char* const source =
      "#include <cuda_runtime.h>\nvoid clear(float* x) { cudaMemset(x, 0, sizeof *x); }\n";
  Contract contract = workshop.load(text, source);
  compile_contract(contract, options_in(workshop));
  const WithoutNvcc without;
  Contract again = workshop.load(text, source);
  CHECK(error_of([&] { compile_contract(again, options_in(workshop)); }).empty());
}

TEST_CASE("an entry that does not exist is refused at its launch with the names of those that do", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  workshop.write("value.cuh", "#define VALUE 7\n");
  std::string wrong = contract_text;
  wrong.replace(wrong.find("\"plain\""), 7, "\"plane\"");
  Contract contract = workshop.load(wrong, kernels);
  const std::string error = error_of([&] { compile_contract(contract, options_in(workshop)); });
  CHECK(error.starts_with("k.toml:16:10: the entry \"plane\" does not exist in "));
  CHECK(error.find("(it declares ns::sum, hidden, plain): identifier \"plane\" is undefined") !=
        std::string::npos);
}

TEST_CASE("a source that does not compile is refused in one sentence with its position", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const fs::path source = workshop.write("k.cu", "__global__ void k(int* p) {\n  *p = nothing;\n}\n");
  CHECK(error_of([&] { compile_source(source, {}, {}, options_in(workshop)); }) ==
        "k.cu:2:8: nvcc cannot compile this: identifier \"nothing\" is undefined");
  CHECK(error_of([&] { compile_source(source, {}, {"--what"}, options_in(workshop)); }) ==
        "k.cu: nvcc cannot compile this: Unknown option '--what'");
}

TEST_CASE("a missing source and an invalid architecture are refused before nvcc runs") {
  CompileOptions options;
  CHECK(error_of([&] { compile_source("/no/such/file.cu", {}, {}, options); }) ==
        "file.cu: the file does not exist");
  const Workshop workshop;
  options.arch = "compute_90; rm";
  CHECK(error_of([&] { compile_source(workshop.write("k.cu", ""), {}, {}, options); }) ==
        "unknown architecture \"compute_90; rm\"; write one such as compute_90");
}

TEST_CASE("a program in a build tree keeps its PTX next to itself") {
  const Workshop workshop;
  workshop.write("CMakeCache.txt", "");
  CHECK(ptx_folder_of(workshop.path() / "foldproof") == workshop.path() / "ptx");
}

TEST_CASE("an installed program keeps its PTX in the user's cache") {
  const Workshop workshop;
  CHECK(ptx_folder_of(workshop.path() / "bin" / "foldproof") == user_cache() / "ptx");
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
  CHECK(error_of([&] { compile_contract(wrong, {}); }).find("(it has ns::sum<float, 64>)") !=
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
