// Which files of an audited folder have kernels that no contract covers.
#include <filesystem>

#include "catch.h"
#include "cli/add_one.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

nlohmann::json files_not_covered(const Folder& folder) {
  const RanJson ran = run_json({"audit", folder.path().string(), "--cases", "2"});
  INFO(ran.json.dump());
  CHECK(ran.status == 0);
  return ran.json.at("sources_without_contract");
}

/// The contract of AddOne, for a kernel in the file add_one.cu.
struct AddOneOfSource : Folder {
  explicit AddOneOfSource(const std::string& code, const std::string& entry = "add_one") {
    file("add_one.cu", code);
    file("add_one.toml", replaced(replaced(add_one_contract, "add_one.ptx", "add_one.cu"),
                                  "entry = \"add_one\"", "entry = \"" + entry + "\""));
  }
};

const std::string add_one_cu =
    "__global__ void add_one(int* data, int count) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < count) data[i] += 1;\n"
    "}\n";
const std::string other_kernel = "__global__ void other(float* x) { *x = 0; }\n";

}  // namespace

TEST_CASE("the audit of a folder names the sources with kernels that no contract names") {
  const AddOne folder;
  const std::string lonely = folder.file("lonely.cu", "__global__ void lonely(float* x) { *x = 0; }\n");
  folder.file("main.cu", "// no __global__ here\nint main() {}\n");
  const std::string hidden =
      folder.file("macro.cu", "#define KERNEL __global__\nKERNEL void k(float* x) { *x = 0; }\n");
  const std::string including = folder.file("includes.cu", "#include \"kernels.cuh\"\n");
  const std::string header =
      folder.file("kernels.cuh", "#pragma once\n__global__ void k(float* x) { *x = 0; }\n");
  const std::string compiled = folder.file("other.ptx", ".version 8.3\n.visible .entry k() { ret; }\n");
  folder.file("text.ptx", "no kernel\n");
  const RanJson ran = run_json({"audit", folder.path().string(), "--cases", "2"});
  CHECK(ran.status == 0);
  CHECK(ran.json.at("sources_without_contract") ==
        nlohmann::json{including, header, lonely, hidden, compiled});
  CHECK(run({"audit", folder.path().string(), "--cases", "2"})
            .out.find("not audited: no contract covers all kernels of ") != std::string::npos);
  CHECK(run({"audit", folder.path().string(), "--cases", "2", "--strict"}).status == 3);
  CHECK(run_json({"audit", folder.path("add_one.toml"), "--cases", "2"})
            .json.at("sources_without_contract")
            .empty());
}

TEST_CASE("a file that has only its extension as a name is one with kernels") {
  const AddOne folder;
  const std::string nameless = folder.file(".cu", other_kernel);
  CHECK(files_not_covered(folder) == nlohmann::json{nameless});
}

TEST_CASE("kernels declared with an attribute, or after a comment that a carriage return ends, are kernels") {
  const AddOne folder;
  const std::string attribute =
      folder.file("attribute.cu", "__attribute__((global)) void other(float* x) { *x = 0; }\n");
  const std::string comment = folder.file("comment.cu", "// a comment\r" + other_kernel);
  CHECK(files_not_covered(folder) == nlohmann::json{attribute, comment});
}

TEST_CASE("a contract covers the headers that the compiler reads for it", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const AddOneOfSource folder("#include \"a kernel#1.cuh\"\n");
  folder.file("a kernel#1.cuh", add_one_cu);
  CHECK(files_not_covered(folder).empty());
  CHECK(files_not_covered(folder).empty());  // with PTX from the cache
}

TEST_CASE("a header that the compiler does not read is not covered", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const std::string skipped = "#if 0\n#include \"skipped.cu\"\n#endif\n";
  const std::string forged = "# 1 \"forged.cu\" 1\n# 9 \"add_one.cu\" 2\n";
  const AddOneOfSource folder(skipped + forged + add_one_cu);
  const nlohmann::json files{folder.file("forged.cu", other_kernel), folder.file("skipped.cu", other_kernel)};
  CHECK(files_not_covered(folder) == files);
}

TEST_CASE("a header whose template has no instance in any source is not covered", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  AddOneOfSource folder("#include \"used.cuh\"\n#include \"unused.cuh\"\n", "add_any<int>");
  folder.file("used.cuh",
              "template <typename T>\n" + replaced(replaced(add_one_cu, "add_one", "add_any"), "int*", "T*"));
  const std::string unused = folder.file("unused.cuh", "template <typename T>\n" + other_kernel);
  CHECK(files_not_covered(folder) == nlohmann::json{unused});
}

TEST_CASE("a file that only declares a kernel has none; one that instantiates a template does") {
  const AddOne folder;
  folder.file("main.cu", "__global__ void other(float* x);\nint main() { other<<<1, 1>>>(nullptr); }\n");
  const std::string instance = folder.file("instance.cu", "template __global__ void any<float>(float*);\n");
  CHECK(files_not_covered(folder) == nlohmann::json{instance});
}

TEST_CASE("a file whose kernels begin with a macro from another file has kernels") {
  const AddOne folder;
  std::filesystem::create_directory(folder.path("src"));
  folder.file("macros.h", "#define GLOBAL __global__\n#define KERNEL \\\n  GLOBAL void\n");
  const std::string user =
      folder.file("src/other.cu", "\xEF\xBB\xBF#include <macros.h>\nKERNEL other(float* x) {}\n");
  CHECK(files_not_covered(folder) == nlohmann::json{user});
}

TEST_CASE("a byte order mark does not hide an #include") {
  const AddOne folder;
  folder.file("kernels.def", other_kernel);
  const std::string including = folder.file("other.cu", "\xEF\xBB\xBF#include \"kernels.def\"\n");
  CHECK(files_not_covered(folder) == nlohmann::json{including});
}

TEST_CASE("a file that changes another file's kernels by macros has kernels of its own", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const AddOneOfSource folder("#ifndef STEP\n#define STEP 1\n#endif\n" +
                              replaced(add_one_cu, "+= 1", "+= STEP"));
  const std::string varied = folder.file("add_two.cu", "#define STEP 2\n#include \"add_one.cu\"\n");
  folder.file("main.cu", "#include \"add_one.cu\"\n#define STEP 3\nint main() {}\n");
  folder.file("unity.cu", "#define UNITY\n#include \"add_one.cu\"\n");
  CHECK(files_not_covered(folder) == nlohmann::json{varied});
}

TEST_CASE("a file that cannot be read may have kernels") {
  const AddOne folder;
  const std::string large = folder.file("large.cuh", "");
  std::filesystem::resize_file(large, (std::uintmax_t{64} << 20) + 1);
  CHECK(files_not_covered(folder) == nlohmann::json{large});
}
