// The code around nvcc that runs without it: parsing its output, the unit that it compiles, the cache.
#include <fmt/format.h>

#include <thread>

#include "catch.h"
#include "contracts/compile_commands.h"
#include "contracts/nvcc/cache.h"
#include "contracts/nvcc/toolkit.h"
#include "contracts/nvcc/unit.h"
#include "workshop.h"

using namespace foldproof;
namespace fs = std::filesystem;

TEST_CASE("the first error of the front end has its file, line and sentence") {
  const Diagnostic error = first_error(
      "/x/k.cu(4): warning #177-D: function \"f\" was declared but never referenced\n"
      "/x/k.cu(12): error: identifier \"foo\" is undefined\n    foo = 1;\n    ^\n\n"
      "/x/k.cu(13): error: another\n2 errors detected in the compilation of \"/x/k.cu\".\n",
      2);
  CHECK(error.sentence == "identifier \"foo\" is undefined");
  CHECK(error.where == Position{"/x/k.cu", 12, 0});
}

TEST_CASE("the caret gives the column if the echoed line is the line of the file") {
  const Workshop workshop;
  const std::string file = workshop.write("k.cu", "int a;\nint x = ;\n").string();
  CHECK(
      first_error(file + "(2): error: expected an expression\n  int x = ;\n          ^\n", 2).where.column ==
      9);
  CHECK(
      first_error(file + "(1): error: expected an expression\n  int x = ;\n          ^\n", 2).where.column ==
      0);
}

TEST_CASE("errors of the host compiler and of nvcc itself are parsed") {
  CHECK(first_error("k.cu:1:10: fatal error: nope.h: No such file or directory\n", 1).where ==
        Position{"k.cu", 1, 10});
  CHECK(first_error("k.cu:1:2: error: #error hello\n", 1).sentence == "#error hello");
  CHECK(first_error("nvcc fatal   : Unknown option '--what'\n", 1).sentence == "Unknown option '--what'");
  CHECK(first_error("Killed\n", 137).sentence == "it exited with status 137 and printed: Killed");
  CHECK(first_error("", 1).sentence == "it exited with status 1 and printed nothing");
  CHECK(first_error(std::string(1 << 20, '('), 1).sentence.size() < 1100);
}

TEST_CASE("a missing host compiler is distinguished from a source that does not compile") {
  CHECK(complaint_about_host_compiler("gcc: No such file or directory\nnvcc fatal   : Failed to preprocess "
                                      "host compiler properties.\n") == "gcc: No such file or directory");
  CHECK_FALSE(complaint_about_host_compiler("k.cu:1:2: error: #error hello\n"));
}

TEST_CASE("the translation unit takes each entry's address under its own name") {
  const std::string unit = translation_unit("/x/k.cu", {"sum<float, 2>", "ns::max"}, "// appendix\n", "7f");
  CHECK(unit.starts_with("#include \"/x/k.cu\"\n"));
  CHECK(unit.find("// appendix\n") != std::string::npos);
  CHECK(unit.find("(void*)(&sum<float, 2>)") != std::string::npos);
  for (const char* macro : {"sum", "float", "ns", "max", "void", "appendix"})
    CHECK(unit.find(fmt::format("#undef {}\n", macro)) < unit.find("(void*)"));
  CHECK(entry_of_diagnostic("foldproof-generated/entry-1") == 1u);
  CHECK_FALSE(entry_of_diagnostic("/x/entry-1.cu").has_value());
  CHECK(error_of([] {
          translation_unit(
              "/x/k?"
              "?-.cu",
              {}, "", "7f");
        }).find("a trigraph") != std::string::npos);
  CHECK(error_of([] { translation_unit("/x/a\"b.cu", {}, "", "7f"); }).find("must not contain a quote") !=
        std::string::npos);
}

TEST_CASE("the definitions added by the translation unit are removed from the PTX") {
  const std::string header = ".version 9.0\n.target sm_90\n";
  const std::string definition = ".visible .entry _Z1fPi(\n\t.param .u64 _Z1fPi_param_0\n)\n{\n\tret;\n}\n";
  const UnitPtx unit = without_addresses(
      ptx::Source("k.cu", header + ".visible .entry _Z1fPi\n(\n\t.param .u64 _Z1fPi_param_0\n)\n;\n" +
                              ".global .align 8 .u64 foldproof_7f_entry_0 = _Z1fPi;\n" + definition),
      2, "7f");
  CHECK(unit.lowered == std::vector<std::string>{"_Z1fPi", ""});
  CHECK(unit.ptx == header + definition);
}

TEST_CASE("PTX whose debug information mentions the added globals keeps them") {
  const std::string text =
      ".version 9.0\n.target sm_90\n.global .align 8 .u64 foldproof_7f_entry_0 = f;\n"
      ".section .debug_info { foldproof_7f_entry_0 }\n";
  const UnitPtx unit = without_addresses(ptx::Source("k.cu", text), 1, "7f");
  CHECK(unit.ptx == text);
  CHECK(unit.lowered.at(0) == "f");
}

TEST_CASE("the cache finds what was kept under the same key") {
  const Workshop workshop;
  const PtxCache cache(workshop.path() / "ptx");
  const CachedPtx kept{{"_Z1fPi", ""}, "the ptx\n\nand more\n"};
  cache.keep("key", kept);
  const auto found = cache.find("key");
  REQUIRE(found.has_value());
  CHECK(found->lowered == kept.lowered);
  CHECK(found->ptx == kept.ptx);
  CHECK_FALSE(cache.find("other").has_value());
}

TEST_CASE("a cached file under the name of another key counts as absent") {
  const Workshop workshop;
  const PtxCache cache(workshop.path() / "ptx");
  cache.keep("key", {{}, "the ptx"});
  fs::copy_file(workshop.path() / "ptx/key.ptx", workshop.path() / "ptx/other.ptx");
  CHECK_FALSE(cache.find("other").has_value());
}

TEST_CASE("a damaged cache file counts as absent") {
  const Workshop workshop;
  const PtxCache cache(workshop.path() / "ptx");
  cache.keep("key", {{}, "the ptx"});
  REQUIRE(cache.find("key").has_value());
  for (const char* text : {"", "foldproof-ptx 1 0\n", "\n\n\n", "foldproof-ptx 1 "}) {
    workshop.write("ptx/key.ptx", text);
    CHECK_FALSE(cache.find("key").has_value());
  }
}

TEST_CASE("a cached file of another folder counts as absent") {
  const Workshop workshop;
  const PtxCache cache(workshop.path() / "ptx"), other(workshop.path() / "other");
  cache.keep("key", {{}, "x"});
  REQUIRE(cache.find("key").has_value());
  fs::copy_file(workshop.path() / "ptx/key.ptx", workshop.path() / "other/key.ptx");
  CHECK_FALSE(other.find("key").has_value());
}

TEST_CASE("concurrent readers and writers of one key never see a partial file") {
  const Workshop workshop;
  const PtxCache cache(workshop.path() / "ptx");
  const auto payload = [](int writer) { return std::string(200000, static_cast<char>('a' + writer)); };
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 20; ++i) cache.keep("key", {{}, payload(writer)});
    });
  std::size_t broken = 0;
  for (int i = 0; i < 50; ++i) {
    const auto found = cache.find("key");
    if (found && found->ptx != payload(found->ptx.at(0) - 'a')) ++broken;
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(broken == 0);
  REQUIRE(cache.find("key").has_value());
  CHECK(std::distance(fs::directory_iterator(workshop.path() / "ptx"), fs::directory_iterator()) == 2);
}

TEST_CASE("a cache that cannot be written is not an error") {
  CHECK_NOTHROW(PtxCache("/proc/nowhere").keep("key", {{}, "x"}));
}

TEST_CASE("a cache whose secret has other permissions, as in a checkout, is not trusted") {
  const Workshop workshop;
  const fs::path folder = workshop.path() / "ptx";
  PtxCache(folder).keep("key", {{}, "x"});
  REQUIRE(PtxCache(folder).find("key").has_value());
  fs::permissions(folder / "secret", fs::perms::owner_read | fs::perms::owner_write);
  CHECK_FALSE(PtxCache(folder).find("key").has_value());
  CHECK_FALSE(PtxCache(folder).find("key").has_value());
}

TEST_CASE("a damaged secret is removed, and the next process has a cache again") {
  const Workshop workshop;
  const fs::path folder = workshop.write("ptx/secret", "short").parent_path();
  const auto keeps = [&] {
    const PtxCache cache(folder);
    cache.keep("key", {{}, "x"});
    return cache.find("key").has_value();
  };
  CHECK_FALSE(keeps());
  CHECK(keeps());
}

TEST_CASE("a missing nvcc is reported with how to install it") {
  CHECK_FALSE(find_nvcc("/no/such/nvcc").has_value());
  CHECK(error_of([] { lack_nvcc("/no/such/nvcc"); }) ==
        "--nvcc names \"/no/such/nvcc\", which is not a program on this machine");
  if (std::getenv("NVCC") == nullptr) {
    CHECK_THROWS_AS(lack_nvcc(""), Unsupported);
    CHECK_THROWS_WITH(lack_nvcc(""),
                      Catch::Matchers::StartsWith("nvcc was not found; install the CUDA Toolkit"));
  }
  CHECK(error_of([] { nvcc_version("/bin/true"); }).find("does not report its version") != std::string::npos);
}

TEST_CASE("flags are read from the compilation database, with absolute folders") {
  const Workshop workshop;
  const fs::path source = workshop.write("src/k.cu", "");
  workshop.write("build/more.rsp", "-isystem ../third -DRSP");
  const std::string build = (workshop.path() / "build").string();
  workshop.write(
      "build/compile_commands.json", R"([{"directory": ")" + build +
                                         R"(", "file": "other.cu", "command": "nvcc -DOTHER other.cu"},
                     {"directory": ")" + build +
                                         R"(", "file": "../src/k.cu",
                      "command": "nvcc -DA=1 -I../include -I /abs --options-file more.rsp -std=gnu++17 -O3 -c k.cu -o k.o"}])");
  CHECK(flags_from_database(workshop.path() / "build", source) ==
        std::vector<std::string>{"-DA=1", "-I" + (workshop.path() / "include").string(), "-I/abs",
                                 "-isystem=" + (workshop.path() / "third").string(), "-DRSP", "-std=c++17",
                                 "-O3"});
  CHECK(error_of([&] {
          flags_from_database(workshop.path() / "build", "/x/none.cu");
        }).find("has no command for /x/none.cu") != std::string::npos);
}

TEST_CASE("the option files of one command are limited together") {
  const Workshop workshop;
  const fs::path source = workshop.write("k.cu", "");
  workshop.write("more.rsp", std::string(400'000, ' '));
  const auto error_for = [&](const std::string& files) {
    workshop.write("compile_commands.json", R"([{"directory": ")" + workshop.path().string() +
                                                R"(", "file": "k.cu", "command": "nvcc)" + files + "\"}]");
    return error_of([&] { flags_from_database(workshop.path(), source); });
  };
  CHECK(error_for(" -optf more.rsp -optf more.rsp").empty());
  CHECK(error_for(" -optf more.rsp -optf more.rsp -optf more.rsp")
            .find("have more than 1048576 bytes together") != std::string::npos);
}

TEST_CASE("a compilation database cannot run a command") {
  const Workshop workshop;
  const fs::path source = workshop.write("k.cu", "");
  const auto flags = [&](const std::string& words) {
    workshop.write("compile_commands.json", R"([{"directory": "/b", "file": ")" + source.string() +
                                                R"(", "arguments": [)" + words + "]}]");
    return flags_from_database(workshop.path(), source);
  };
  CHECK(flags(R"("nvcc", "-ccbin", "/tmp/evil", "-wrapper", "evil", "-DA")") ==
        std::vector<std::string>{"-DA"});
  CHECK(error_of([&] {
          flags(R"("nvcc", "-Xcompiler=-fplugin=/tmp/evil.so")");
        }).find("may change what is compiled") != std::string::npos);
  const std::string error = error_of([&] { flags("\"nvcc\", \"-DX=$(touch evil)\""); });
  CHECK(error.find("which a shell would interpret") != std::string::npos);
}

TEST_CASE("a broken compilation database is refused") {
  const Workshop workshop;
  const std::string deep(100000, '[');
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[1, {\"file\": 5}]"), deep}) {
    workshop.write("compile_commands.json", text);
    CHECK_FALSE(error_of([&] { flags_from_database(workshop.path(), "/x/k.cu"); }).empty());
  }
  CHECK(error_of([] { flags_from_database("/no/such/folder", "/x/k.cu"); }).find("the file does not exist") !=
        std::string::npos);
}
