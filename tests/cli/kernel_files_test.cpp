// Which files of an audited folder have kernels that no contract covers.
#include <filesystem>

#include "catch.h"
#include "cli/add_one.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

nlohmann::json files_not_covered(const Folder& folder, const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments{"audit", folder.path().string(), "--cases", "2"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const RanJson ran = run_json(arguments);
  INFO(ran.json.dump());
  CHECK(ran.status == 0);
  return ran.json.at("sources_without_contract");
}

/// The contract of AddOne, for a kernel in the file NAME.cu.
std::string contract_for(const std::string& name, const std::string& entry) {
  return replaced(replaced(replaced(add_one_contract, "add_one.ptx", name + ".cu"), "id = \"add_one\"",
                           "id = \"" + name + "\""),
                  "entry = \"add_one\"", "entry = \"" + entry + "\"");
}

struct AddOneOfSource : Folder {
  explicit AddOneOfSource(const std::string& code, const std::string& entry = "add_one") {
    add("add_one", code, entry);
  }
  void add(const std::string& name, const std::string& code, const std::string& entry) {
    file(name + ".cu", code);
    file(name + ".toml", contract_for(name, entry));
  }
};

const std::string add_one_cu =
    "__global__ void add_one(int* data, int count) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < count) data[i] += 1;\n"
    "}\n";
const std::string other_kernel = "__global__ void other(float* x) { *x = 0; }\n";

std::string template_of(const std::string& name) {
  return "template <typename T>\n" + replaced(replaced(add_one_cu, "add_one", name), "int*", "T*");
}

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
  folder.file("used.cuh", template_of("add_any"));
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

TEST_CASE("a file that is included once for each kernel is covered if each is audited", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const AddOneOfSource folder("#define NAME add_one\n#include \"any.inc\"\n");
  folder.file("any.inc", replaced(add_one_cu, "add_one", "NAME"));
  CHECK(files_not_covered(folder).empty());
}

TEST_CASE("a macro that only the conditions of another file test changes its kernels", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const AddOneOfSource folder(replaced(add_one_cu, "+= 1", "+=\n#ifdef FAST\n 2\n#else\n 1\n#endif\n"));
  const std::string fast = folder.file("fast.cu", "#define FAST\n#include \"add_one.cu\"\n");
  CHECK(files_not_covered(folder) == nlohmann::json{fast});
}

TEST_CASE("a word that begins like a directive is none") {
  const AddOne folder;
  folder.file("config.h", "# includes nothing\n#include_next <config.h>\n#include CONFIG\nint x;\n");
  CHECK(files_not_covered(folder).empty());
}

TEST_CASE("kernels that nothing separates are found in linear time") {
  const AddOne folder;
  std::string unseparated = "#define K __global__\n", nested;
  for (int k = 0; k < 100'000; ++k) unseparated += "K a() ", nested += "K(";
  const nlohmann::json files{folder.file("a.cu", unseparated),
                             folder.file("b.cu", "#define K __global__\n" + nested + "K void f() {}")};
  CHECK(files_not_covered(folder) == files);
}

TEST_CASE("a file that cannot be read may have kernels") {
  const AddOne folder;
  const std::string large = folder.file("large.cuh", "");
  std::filesystem::resize_file(large, (std::uintmax_t{64} << 20) + 1);
  CHECK(files_not_covered(folder) == nlohmann::json{large});
}

TEST_CASE("a source that makes something else of another one's kernels does not cover them", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const std::string changed =
      "#pragma push_macro(\"__global__\")\n#undef __global__\n"
      "#define __global__ __device__\n#include \"other.cu\"\n"
      "#pragma pop_macro(\"__global__\")\n";
  const std::string renamed = "#define third(...) unused(__VA_ARGS__)\n#include \"third.cu\"\n#undef third\n";
  const AddOneOfSource folder(changed + renamed + add_one_cu);
  const nlohmann::json files{folder.file("other.cu", other_kernel),
                             folder.file("third.cu",
                                         "__global__ void third(float* x);\n"
                                         "__global__ void third(float* x) { *x = 0; }\n")};
  CHECK(files_not_covered(folder) == files);
}

TEST_CASE("an instance in a source that does not read a header does not cover its template", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  AddOneOfSource folder("#include \"one.cuh\"\n", "add_any<int>");
  folder.file("one.cuh", template_of("add_any"));
  folder.add("second", "#include \"another.cuh\"\n" + add_one_cu, "add_one");
  const std::string another = folder.file("another.cuh", template_of("add_any"));
  CHECK(files_not_covered(folder) == nlohmann::json{another});
}

TEST_CASE("sources that are not compiled in this run cover the headers that they include", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  AddOneOfSource folder("#include \"one.cuh\"\n", "add_any<int>");
  folder.file("one.cuh", template_of("add_any"));
  folder.add("second", add_one_cu, "add_one");
  CHECK(files_not_covered(folder, {"--only", "second"}).empty());
}

TEST_CASE("files of an include folder may make a source one with kernels") {
  const AddOne folder;
  const Folder library;
  library.file("impl.def", other_kernel);
  library.file("macros.h", "#define KERNEL __global__\n");
  const nlohmann::json files{
      folder.file("a.cu", "#include <impl.def>\n"),
      folder.file("b.cu", "#include \"macros.h\"\nKERNEL void b(float* x) { *x = 0; }\n"),
      folder.file("c.cu", "DEFINED void c(float* x) { *x = 0; }\n")};
  CHECK(files_not_covered(folder, {"-I", library.path().string(), "-D", "DEFINED=__global__"}) == files);
}

TEST_CASE("a macro declares kernels only in files that see it, and only with a body") {
  const AddOne folder;
  folder.file("macros.h",
              "#define GLOBAL __global__\n#define DECLARE(name) __global__ void name(float* x)\n"
              "#define DEFINE(name) __global__ void name(float* x) { *x = 0; }\n");
  folder.file("log.h", "enum class Scope { LOCAL, GLOBAL };\n");
  folder.file("declared.h",
              "#include \"macros.h\"\nGLOBAL void one(float* x);\nDECLARE(two);\n"
              "extern template GLOBAL void three<int>(float*);\n");
  const std::string defined = folder.file("defined.h", "#include \"macros.h\"\nDEFINE(two)\n");
  CHECK(files_not_covered(folder) == nlohmann::json{defined});
}

TEST_CASE("a template that begins with a macro needs an instance", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const AddOneOfSource folder("#include \"other.cuh\"\n" + add_one_cu);
  folder.file("macros.h", "#define KERNEL __global__\n");
  const std::string other = folder.file(
      "other.cuh", "#include \"macros.h\"\ntemplate <class T> KERNEL void other(T* x) { *x = 0; }\n");
  CHECK(files_not_covered(folder) == nlohmann::json{other});
}

TEST_CASE("the kernels in the toolkit's own headers need no contract", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const AddOneOfSource folder("#include <cub/util_device.cuh>\n" + add_one_cu);
  CHECK(run({"audit", folder.path().string(), "--cases", "2", "--strict"}).status == 0);
  const AddOneOfSource another("namespace cub { __global__ void EmptyKernel() {} }\n" + add_one_cu);
  CHECK(run({"audit", another.path().string(), "--cases", "2", "--strict"}).status == 3);
}

TEST_CASE("a macro that only a compilation database defines, itself or in a file, may declare kernels",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const AddOneOfSource folder(add_one_cu);
  folder.file("forced.h", "#define FORCED __global__\n");
  const auto command = [&](const std::string& file, const std::string& flags) {
    return nlohmann::json{
        {"directory", folder.path().string()}, {"file", file}, {"command", "nvcc " + flags + " -c " + file}};
  };
  folder.file("compile_commands.json",
              nlohmann::json{command("add_one.cu", ""), command("a.cu", "-DKERNEL=__global__"),
                             command("b.cu", "-include forced.h"), command("c.cu", "-Ione"),
                             command("d.cu", "-Itwo"), command("host.cpp", "-DNAME=\\\"x\\\""),
                             command("late.cpp", "--options-file missing.rsp")}
                  .dump());
  const nlohmann::json files{
      folder.file("a.cu", "KERNEL void a(float* x) { *x = 0; }\n"),
      folder.file("b.cu", "FORCED void b(float* x) { *x = 0; }\n"),
      folder.file("d.cu", "#include <config.h>\nSECOND void d(float* x) { *x = 0; }\n")};
  for (const auto& [name, text] : {std::pair("one", "\n"), {"two", "#define SECOND __global__\n"}}) {
    std::filesystem::create_directory(folder.path(name));
    folder.file(std::string(name) + "/config.h", text);
  }
  folder.file("c.cu", "#include <config.h>\n");
  CHECK(files_not_covered(folder, {"--compile-commands", folder.path().string()}) == files);
  CHECK(files_not_covered(folder) == nlohmann::json{files.back()});  // any config.h may be meant
}

TEST_CASE("an #include after a comment that a carriage return ends is one") {
  const AddOne folder;
  folder.file("kernels.def", other_kernel);
  const std::string including = folder.file("other.cu", "// a comment\r#include \"kernels.def\"\n");
  CHECK(files_not_covered(folder) == nlohmann::json{including});
}
