// Which PTX is used again and where it is kept; like compile.cpp with real runs of nvcc.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>

#include "base/child.h"
#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "compiled.h"
#include "contracts/compile.h"
#include "contracts/nvcc/toolkit.h"
#include "contracts/signature.h"
#include "nvcc.h"
#include "workshop.h"

using namespace foldproof;
namespace fs = std::filesystem;

namespace {

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

TEST_CASE("a program in a build tree keeps its PTX next to itself") {
  const Workshop workshop;
  workshop.write("CMakeCache.txt", "");
  CHECK(ptx_folder_of(workshop.path() / "foldproof") == workshop.path() / "ptx");
}

TEST_CASE("an installed program keeps its PTX in the user's cache") {
  const Workshop workshop;
  CHECK(ptx_folder_of(workshop.path() / "bin" / "foldproof") == user_cache() / "ptx");
}
