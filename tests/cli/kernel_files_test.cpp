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
