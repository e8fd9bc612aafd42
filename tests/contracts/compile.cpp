// Real runs of nvcc; only a few, because each takes half a second.
#include "contracts/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "contracts/guess.h"
#include "contracts/nvcc/toolkit.h"
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

/// The machine's nvcc, behind a script that counts its compilations and runs `before` first.
class LoggedNvcc {
 public:
  explicit LoggedNvcc(const Workshop& workshop, const std::string& before = "") : workshop_(workshop) {
    workshop.write("log", "");
    const fs::path script =
        workshop.write("logged-nvcc", fmt::format("#!/bin/sh\ncase \"$*\" in --version|*\" -E \"*) ;; *) "
                                                  "echo \"$*\" >> {} ;; esac\n{}\nexec {} \"$@\"\n",
                                                  log().string(), before, find_nvcc("").value().string()));
    fs::permissions(script, fs::perms::owner_all);
  }
  CompileOptions options() const {
    CompileOptions options = options_in(workshop_);
    options.nvcc = (workshop_.path() / "logged-nvcc").string();
    return options;
  }
  std::ptrdiff_t compilations() const { return std::ranges::count(read_text_file(log(), 1 << 20), '\n'); }

 private:
  fs::path log() const { return workshop_.path() / "log"; }

  const Workshop& workshop_;
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

const std::string source_text = R"cuda(
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
  Contract contract = workshop.load(contract_text, source_text);
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
  CHECK(files_in(workshop.path() / "ptx") == 3);  // a secret, the PTX, and a mark that the source has some
  CHECK(files_in(workshop.path() / "tmp") == 0);

  SECTION("the same again is not compiled") {
    const LoggedNvcc nvcc(workshop);
    Contract once = workshop.load(contract_text, source_text), again = once;
    const auto made = compile_contract(once, nvcc.options());
    CHECK(nvcc.compilations() == 1);  // by another compiler than the first
    CHECK(compile_contract(again, nvcc.options())->ptx.text() == made->ptx.text());
    CHECK(nvcc.compilations() == 1);
    CHECK(lowered(again, 0, 1) == lowered(once, 0, 1));
  }
  SECTION("a source is preprocessed only if the cache may have its PTX") {
    const LoggedNvcc nvcc(workshop, fmt::format("case \"$*\" in *\" -E \"*) echo >> {} ;; esac",
                                                workshop.write("preprocessed", "").string()));
    const auto preprocessed = [&] { return fs::file_size(workshop.path() / "preprocessed"); };
    Contract once = workshop.load(contract_text, source_text), again = once;
    compile_contract(once, nvcc.options());
    CHECK(preprocessed() == 0);
    compile_contract(again, nvcc.options());
    CHECK(preprocessed() == 1);
  }
  SECTION("a changed script in place of nvcc is another compiler") {
    compile_contract(contract, LoggedNvcc(workshop).options());
    const LoggedNvcc changed(workshop, "true");
    compile_contract(contract, changed.options());
    CHECK(changed.compilations() == 1);
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

const char* const entry_wrong =
    "format = 1\n[domain]\ncount = 1\n[[buffer]]\nname = \"x\"\ntype = \"f32\"\ncount = 1\n"
    "[[launch]]\nentry = \"wrong\"\ngrid = 1\nblock = 1\narguments = [\"x\"]\n";

TEST_CASE("a source cannot make another kernel stand for an entry", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const std::string source =
      "__global__ void wrong(float* x) { x[1] = 0; }\n__global__ void right(float* x) { x[0] = 0; }\n";
  const Workshop workshop;
  Contract global = workshop.load(
      entry_wrong, source + "namespace z { __device__ void* foldproof_entry_0 = (void*)(&right); }\n");
  compile_contract(global, options_in(workshop));
  CHECK(lowered(global, 0, 0) == "_Z5wrongPf");
  Contract macro = workshop.load(entry_wrong, source + "#define wrong right\n");
  compile_contract(macro, options_in(workshop));
  CHECK(lowered(macro, 0, 0) == "_Z5wrongPf");
}

TEST_CASE("a macro cannot make a kernel of another namespace stand for an entry", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  Contract contract = workshop.load(entry_wrong,
                                    "__global__ void wrong(float* x) { x[1] = 0; }\n"
                                    "namespace good { __global__ void wrong(float* x) { x[0] = 0; } }\n"
                                    "#define wrong good::wrong\n");
  compile_contract(contract, options_in(workshop));
  CHECK(lowered(contract, 0, 0) == "_Z5wrongPf");
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

TEST_CASE("cached PTX is not used once the compiler would read something else", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop outer;
  const OwnTemporaryFolder temporary(outer.path() / "tmp");
  const Workshop workshop;
  const auto compiled = [&](const char* source, std::vector<std::string> flags = {}) {
    Contract contract = workshop.load(entry_wrong, source);
    CompileOptions options = options_in(workshop);
    options.flags = std::move(flags);
    return compile_contract(contract, options)->ptx.text();
  };
  const auto reads = [](const std::string& ptx, const char* value) {
    return ptx.find(value) != std::string::npos;
  };
  SECTION("a file that the source asks for appears outside its folder") {
    const char* const source =
        "#if __has_include(\"below/../../flag.h\")\n#define VALUE 4711\n#else\n#define VALUE 4712\n#endif\n"
        "__global__ void wrong(float* x) { *(int*)x = VALUE; }\n";
    workshop.write("below/x", "");
    CHECK(reads(compiled(source), "4712"));
    outer.write("tmp/flag.h", "");
    CHECK(reads(compiled(source), "4711"));
  }
  SECTION("a header appears in an earlier folder, even in that of stored cases") {
    const char* const source = "#include <value.h>\n__global__ void wrong(float* x) { *(int*)x = VALUE; }\n";
    workshop.write("second/value.h", "#define VALUE 4711\n");
    fs::create_directories(workshop.path() / "foldproof-cases");
    const std::vector<std::string> flags{"-I" + (workshop.path() / "foldproof-cases").string(),
                                         "-I" + (workshop.path() / "second").string()};
    CHECK(reads(compiled(source, flags), "4711"));
    workshop.write("foldproof-cases/value.h", "#define VALUE 4712\n");
    CHECK(reads(compiled(source, flags), "4712"));
  }
  SECTION("a header whose name needs escapes changes") {
    const char* const source = "#include \"a\tb.h\"\n__global__ void wrong(float* x) { *(int*)x = VALUE; }\n";
    workshop.write("a", "");
    workshop.write("b.h", "");
    workshop.write("a\tb.h", "#define VALUE 4711\n");
    CHECK(reads(compiled(source), "4711"));
    workshop.write("a\tb.h", "#define VALUE 4712\n");
    CHECK(reads(compiled(source), "4712"));
  }
}

TEST_CASE("PTX is not cached if a file changed while nvcc ran, even if it changed back", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  workshop.write("value.h", "#define VALUE 4711\n");
  const std::string first = workshop.write("first.h", "#define VALUE 4711\n").string();
  const std::string other = workshop.write("other.h", "#define VALUE 4712\n").string();
  // A check before and after the compilation sees only the first header.
  const LoggedNvcc nvcc(
      workshop, fmt::format("case \"$*\" in *\" -E \"*) cp {0} {2} ;; *) cp {1} {2} ;; esac", first, other,
                            (workshop.path() / "value.h").string()));
  Contract contract = workshop.load(
      entry_wrong, "#include \"value.h\"\n__global__ void wrong(float* x) { *(int*)x = VALUE; }\n");
  CHECK(compile_contract(contract, nvcc.options())->ptx.text().find("4712") != std::string::npos);
  workshop.write("value.h", "#define VALUE 4711\n");
  CHECK(compile_contract(contract, options_in(workshop))->ptx.text().find("4711") != std::string::npos);
}

TEST_CASE("PTX is not cached if nvcc reads flags from a file", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  Contract contract =
      workshop.load(entry_wrong, "__global__ void wrong(float* x) { x[0] = x[0] * x[1] + x[2]; }\n");
  CompileOptions options = options_in(workshop);
  options.flags = {"--options-file", (workshop.path() / "flags.txt").string()};
  workshop.write("flags.txt", "-fmad=false");
  CHECK(compile_contract(contract, options)->ptx.text().find("fma.rn.f32") == std::string::npos);
  workshop.write("flags.txt", "-fmad=true");
  CHECK(compile_contract(contract, options)->ptx.text().find("fma.rn.f32") != std::string::npos);
}

TEST_CASE("a host program is built every time: a library that it links may have changed", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const char* const text =
      "format = 1\n[domain]\ncount = 1\n[[buffer]]\nname = \"x\"\ntype = \"f32\"\ncount = 1\n"
      "[[launch]]\nentry = \"clear\"\nhost = true\narguments = [\"x\"]\n";
  Contract contract =
      workshop.load(text, "void clear_by_library(float*);\nvoid clear(float* x) { clear_by_library(x); }\n");
  const fs::path library = workshop.path() / "library.o";
  CompileOptions options = options_in(workshop);
  options.flags = {library.string()};
  const auto program_with = [&](const std::string& statement) {
    const fs::path source =
        workshop.write("library.cpp", "void clear_by_library(float* x) { " + statement + " }");
    const ProcessResult built =
        run_process({"/usr/bin/env", "g++", "-c", source.string(), "-o", library.string()}, workshop.path());
    REQUIRE(built.status == 0);
    return compile_contract(contract, options)->program;
  };
  CHECK(program_with("*x = 1;") != program_with("*x = 2;"));
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

TEST_CASE("a missing source and an invalid architecture are refused before nvcc runs") {
  CompileOptions options;
  CHECK(error_of([&] { compile_source("/no/such/file.cu", {}, options); }) ==
        "file.cu: the file does not exist");
  const Workshop workshop;
  options.arch = "compute_90; rm";
  CHECK(error_of([&] { compile_source(workshop.write("k.cu", ""), {}, options); }) ==
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
