// The same as bad_input_test.cpp for contracts, and for the sources that they and stored cases name.
#include <filesystem>

#include "catch.h"
#include "cli/add_one.h"
#include "cli/refused.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

const std::string good_kernel = R"(__global__ void total(const float* input, float* output, unsigned count) {
  float sum = 0;
  for (unsigned i = 0; i < count; ++i) sum += input[i];
  *output = sum;
}
)";

const std::string good_contract = R"(format = 1
id = "total"
[reduction]
operator = "sum"
input = "f32"
[domain]
count = "0 .. 1000"
block = "1"
grid = "1"
[[launch]]
entry = "total"
grid = "grid"
block = "block"
arguments = ["input", "output", "count"]
)";

/// A case for a kernel of AddOne.
std::string case_for(const std::string& contract, const std::string& entry = "") {
  return "format = 1\ncontract = \"" + contract + "\"\n" + entry +
         "instance = \"\"\nfinding = \"out-of-bounds\"\n[case]\ndistribution = \"zeros\"\nseed = \"0\"\n"
         "schedule = \"converging\"\noffset = 0\ncalls = 1\n[case.variables]\nblock = 128\ncount = 1\n"
         "grid = 1\n";
}

/// A folder with the folders `others`, which has the kernel add_one and its contract, and `mine/cases`.
struct OtherFolder : Folder {
  OtherFolder() {
    std::filesystem::create_directories(path("mine/cases"));
    std::filesystem::create_directory(path("others"));
    file("others/add_one.ptx", add_one_ptx);
    file("others/add_one.toml", add_one_contract);
  }
};

}  // namespace

TEST_CASE("a contract with an unknown key is refused with file, line and column") {
  const Folder folder;
  folder.file("total.cu", good_kernel);
  const std::string contract =
      folder.file("total.toml", replaced(good_contract, "input = \"f32\"", "input = \"f32\"\nimput = 1"));
  const RanJson ran = refused({"audit", contract}, "imput");
  const auto& error = ran.json.at("error");
  CHECK(error.at("file") == contract);
  CHECK(error.at("line") == 6);
  CHECK(error.at("column").is_number());
  CHECK(ran.err.find("6 | imput = 1") != std::string::npos);
}

TEST_CASE("a contract for another source is refused and accepted with its own", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  const std::string mine = folder.file("mine.cu", good_kernel);
  folder.file("total.cu", good_kernel);
  const std::string contract = folder.file("total.toml", good_contract);
  refused({"audit", mine, "--contract", contract}, "is for " + folder.path("total.cu") + ", not for");
  CHECK(run({"audit", folder.path("total.cu"), "--contract", contract, "--cases", "1"}).status == 0);
}

TEST_CASE("--contract is refused with a path that is not a source, which would seem to be audited") {
  const AddOne folder;
  const std::string contract = folder.path("add_one.toml");
  for (const std::string& path : {folder.path().string(), contract})
    for (const char* verb : {"audit", "mutate", "tree"})
      refused({verb, path, "--contract", contract}, "--contract applies to one source");
  refused({"audit", folder.path("nowhere.cu"), "--contract", contract}, "the file does not exist");
  CHECK(run({"audit", "--contract", contract, "--cases", "2"}).status == 0);
}

TEST_CASE("a header or a library is refused with what to audit instead", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  refused({"audit", folder.file("sum.cuh", "#pragma once\n")}, "audit a .cu file that includes this header");
  refused({"audit", folder.file("libsum.so", "")}, "nvcc -ptx -lineinfo");
}

TEST_CASE("a source is not audited by the contract next to it if that is for another source") {
  const AddOne folder;
  const std::string other = folder.file("other.ptx", add_one_ptx);
  folder.file("other.toml", add_one_contract);
  refused({"audit", other}, "this contract is for ");
}

TEST_CASE("a case that names a file outside the folder of its store is refused without --trust") {
  const OtherFolder folder;
  std::filesystem::create_symlink("../others/add_one.toml", folder.path("mine/link.toml"));
  for (const std::string& contract : {std::string("../../others/add_one.toml"), std::string("../link.toml"),
                                      folder.path("others/add_one.toml")}) {
    const std::string file = folder.file("mine/cases/case.toml", case_for(contract));
    const RanJson ran =
        refused({"replay", file}, "; run this command in a folder that contains it, or pass --trust");
    CHECK(ran.json.at("error").at("file") == file);
    CHECK(ran.json.at("error").at("line") == 2);
  }
  const std::string file = folder.file("mine/cases/case.toml", case_for("../../others/add_one.toml"));
  CHECK(run({"replay", file, "--trust"}).status == 0);
  CHECK(run({"replay", file}, {{}, folder.path().string()}).status == 0);  // below the current folder
  folder.file("mine/add_one.ptx", add_one_ptx);
  folder.file("mine/add_one.toml", add_one_contract);
  CHECK(run({"replay", folder.file("mine/cases/case.toml", case_for("../add_one.toml"))}).status == 0);
  CHECK(run({"replay", folder.file("mine/case.toml", case_for("add_one.toml"))}).status == 0);
}

TEST_CASE("a case that names another kind of file is refused, and the file is not quoted") {
  const AddOne folder;
  folder.file("secret", "password\n");
  const std::string file = folder.file("cases.toml", case_for("secret", "entry = \"sum\"\n"));
  const RanJson ran = refused({"replay", file}, "which is not a .toml, .cu or .ptx file; pass --trust");
  CHECK(ran.err.find("password") == std::string::npos);
  CHECK(ran.json.at("error").at("line") == 2);
  const std::string of_contract = case_for("add_one.toml", "entry = \"add_one\"\n");
  refused({"replay", folder.file("cases.toml", of_contract)}, "must name a source, not a contract");
}

TEST_CASE("a contract with a wrong type or a wrong value is refused") {
  const Folder folder;
  folder.file("total.cu", good_kernel);
  const auto with = [&](const std::string& from, const std::string& to) {
    return folder.file("total.toml", replaced(good_contract, from, to));
  };
  refused({"audit", with("format = 1", "format = \"one\"")}, "format");
  refused({"audit", with("operator = \"sum\"", "operator = \"median\"")}, "median");
  refused({"audit", with("input = \"f32\"", "input = \"f31\"")}, "f31");
  refused({"audit", with("grid = \"grid\"", "grid = \"2 ** 3\"")}, "");
  refused({"audit", with("[reduction]", "[reduction")}, "");
}

TEST_CASE("a contract whose sizes contradict each other is refused at its line, whichever case reveals it",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  folder.file("total.cu", good_kernel);
  const std::string rows = "columns = \"1 .. 9\"\nrows = \"1 .. 40\"\ncount = ";
  const auto with = [&](const std::string& count) {
    return folder.file("total.toml", replaced(replaced(good_contract, "count = \"0 .. 1000\"", rows + count),
                                              "input = \"f32\"", "input = \"f32\"\nresult = \"rows\""));
  };
  refused({"audit", with("\"rows + columns\"")}, "must be rows * columns");
  const RanJson late = run_json({"audit", with("\"rows * columns + (rows > 9)\"")});
  INFO(late.json.dump() << late.err);
  CHECK(late.status == 2);
  CHECK(late.err.find("total.toml:10:") != std::string::npos);
  CHECK(late.err.find("must be rows * columns") != std::string::npos);
}

TEST_CASE("two wrong contracts are both reported") {
  const Folder folder;
  folder.file("a.toml", "format = 1\nnonsense = 1\n");
  folder.file("b.toml", "format = 1\nrubbish = 1\n");
  const RanJson ran = refused({"audit", folder.path().string()}, "");
  CHECK(ran.err.find("nonsense") != std::string::npos);
  CHECK(ran.err.find("rubbish") != std::string::npos);
}

TEST_CASE("a kernel that does not compile is reported at the line of nvcc's first error", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  const std::string source =
      folder.file("total.cu", replaced(good_kernel, "float sum = 0;", "float sum = nil;"));
  const std::string contract = folder.file("total.toml", good_contract);
  const RanJson ran = refused({"audit", contract}, "nil");
  CHECK(ran.json.at("error").at("file") == source);
  CHECK(ran.json.at("error").at("line") == 2);
}

TEST_CASE("an entry that does not exist is refused with the names of those that do", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  folder.file("total.cu", good_kernel);
  const std::string contract =
      folder.file("total.toml", replaced(good_contract, "entry = \"total\"", "entry = \"totla\""));
  const RanJson ran = refused({"audit", contract}, "totla");
  CHECK(ran.json.at("error").at("message").get<std::string>().find("declares total") != std::string::npos);
  refused(sanitize(folder.file("count_forever.ptx", count_forever_ptx), {"--block", "1"}), "count_forever");
}

TEST_CASE("a contract's launch beyond the limits is refused with its position and the limit") {
  const auto audit = [](const std::string& from, const std::string& to, const std::string& part) {
    const AddOne folder(replaced(add_one_contract, from, to));
    const RanJson ran = refused({"audit", folder.path("add_one.toml")}, part);
    CHECK(ran.json.at("error").at("file") == folder.path("add_one.toml"));
    CHECK(ran.json.at("error").at("line") == 15);
  };
  audit("block = \"block\"", "block = \"2048\"", "the limit is 1024 threads");
  audit("block = \"block\"", "block = \"block\"\nshared = \"2^40\"",
        "\"2^40\" is 1099511627776 bytes; a block can have 0 to 232448");
  audit("block = \"block\"", "block = \"block\"\nshared = \"0 - 1\"", "is -1 bytes; a block can have 0 to");
}

TEST_CASE("an entry that is not a valid name is refused before nvcc is started") {
  const Folder folder;
  const std::string source = folder.file("total.cu", good_kernel);
  for (const std::string entry : {"k(", "total)", "total<float", "total; int x", "1total", "a b"})
    refused({"sanitize", source, "--entry", entry, "--nvcc", "/nowhere/nvcc"},
            "\"" + entry + "\" is not the name of a kernel; write it as C++ does, such as");
}

TEST_CASE(
    "a compiler that is named but missing gives status 2, and a missing default compiler gives status 3") {
  const Folder folder;
  const std::string source = folder.file("total.cu", good_kernel);
  refused({"audit", source, "--nvcc", "nonvcc"},
          "--nvcc names \"nonvcc\", which is not a program on this machine");
  refused({"audit", source, "--nvcc", "-ccbin nogxx"}, "the host compiler that -ccbin names");

  How without_gxx;
  without_gxx.environment = {"PATH=/nowhere"};
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"audit", source}, {"sanitize", source, "--entry", "total"}}) {
    const RanJson ran = run_json(arguments, without_gxx);
    CHECK(ran.status == 3);
    const auto message = ran.json.at("error").at("message").get<std::string>();
    INFO(message);
    CHECK((message.find("install g++") != std::string::npos ||
           message.find("nvcc was not found") != std::string::npos));
  }
}
