// Each kind of bad input gives one sentence, the right exit status and one JSON object, and never a crash or
// a hang.
#include "catch.h"
#include "cli/add_one.h"
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

/// The run must be refused with status 2 and a sentence that contains `part`.
RanJson refused(const std::vector<std::string>& arguments, const std::string& part) {
  const RanJson ran = run_json(arguments);
  INFO(ran.json.dump() << "\n" << ran.err);
  CHECK(ran.status == 2);
  CHECK(ran.json.at("tool") == "foldproof");
  CHECK(ran.json.at("kernels").empty());
  const auto message = ran.json.at("error").at("message").get<std::string>();
  CHECK(message.find(part) != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
  CHECK(ran.err.find("error: ") != std::string::npos);
  return ran;
}

std::vector<std::string> sanitize(const std::string& file, const std::vector<std::string>& further) {
  std::vector<std::string> arguments{"sanitize", file, "--entry", "add_one"};
  arguments.insert(arguments.end(), further.begin(), further.end());
  return arguments;
}

}  // namespace

TEST_CASE("invalid usage is refused with the wrong option or value") {
  refused({}, "required");
  refused({"frobnicate"}, "frobnicate");
  refused({"audit", "--cases", "many"}, "--cases");
  refused({"audit", "--cases", "0"}, "--cases");
  for (const char* time : {"soon", "-1s", "0s", "nan", "inf", "1e3s", "1000000000h", "1.5.5s", "s"})
    refused({"audit", "--budget", time}, "--budget");
  refused({"audit", "--prove", "--prove-budget", "soon"}, "--prove-budget");
  refused({"audit", "--prove-budget", "10s"}, "--prove-budget requires --prove");
  refused({"audit", "--shard", "5/4"}, "--shard");
  refused({"audit", "--seed", "-1"}, "--seed");
  refused({"audit", "--device", "abacus"}, "--device");
  refused({"audit", "--color", "red"}, "--color: \"red\" is not one of always, auto, never");
  refused({"audit", "--format", "xml"}, "--format: \"xml\" is not one of json, text");
  refused({"audit", "--no-such-option"}, "--no-such-option");
  refused({"audit", "--seeed", "3"}, "has no option \"--seeed\"; did you mean \"--seed\"?");
  refused({"audit", "--seeed=3"}, "did you mean \"--seed\"?");
  refused({"adit"}, "foldproof has no verb \"adit\"; did you mean \"audit\"?");
  refused({"sanitize"}, "required");
  refused({"bench", "oracles"}, "bench");  // a command of foldproof-lab
}

TEST_CASE("a file that is missing, empty, a folder or garbage is refused") {
  const Folder folder;
  refused({"audit", folder.path("nowhere.cu")}, "the file does not exist");
  refused({"sanitize", folder.path("nowhere.ptx"), "--entry", "k"}, "the file does not exist");
  refused({"replay", folder.path("nowhere.toml")}, "");
  refused({"audit", folder.path().string()}, "contains no contract");
  refused({"sanitize", folder.path().string(), "--entry", "k"}, "not a regular file");
  refused({"sanitize", folder.file("empty.ptx", ""), "--entry", "k"}, "");
  refused({"audit", folder.file("empty.toml", "")}, "format");
  refused({"replay", folder.file("empty_case.toml", "")}, "");
  std::string garbage;
  for (int i = 0; i < 4096; ++i) garbage += static_cast<char>((i * 2654435761U) >> 13);
  refused({"sanitize", folder.file("garbage.ptx", garbage), "--entry", "k"}, "");
  refused({"audit", folder.file("garbage.toml", garbage)}, "");
  refused({"replay", folder.file("garbage_case.toml", garbage)}, "");
}

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

namespace {

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

TEST_CASE("a case that names a file outside the folder of its store is refused without --trust") {
  const OtherFolder folder;
  std::filesystem::create_symlink("../others/add_one.toml", folder.path("mine/link.toml"));
  for (const std::string& contract : {std::string("../../others/add_one.toml"), std::string("../link.toml"),
                                      folder.path("others/add_one.toml")}) {
    const std::string file = folder.file("mine/cases/case.toml", case_for(contract));
    const RanJson ran = refused({"replay", file}, "; pass --trust to allow it");
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

TEST_CASE("sanitize refuses a launch beyond the limits") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const std::vector<std::string> arguments{"--arg", "buffer:i32:4:zeros", "--arg", "u32:4"};
  const auto launch = [&](std::vector<std::string> shape) {
    shape.insert(shape.end(), arguments.begin(), arguments.end());
    return sanitize(file, shape);
  };
  refused(launch({"--block", "1025"}), "1024");
  refused(launch({"--block", "1,1,65"}), "64");
  refused(launch({"--block", "0"}), "--block");
  refused(launch({"--grid", "1,65536"}), "65535");
  refused(launch({"--grid", "1,2,3,4"}), "--grid");
  refused(launch({"--grid", "99999999999"}), "--grid");
  refused(launch({"--shared", "300000"}), "shared");
  refused(launch({"--block", "32", "--schedule", "sideways"}), "sideways");
  refused(launch({"--instructions", "-1"}), "--instructions");
}

TEST_CASE("an invalid case is refused with the syntax of cases and the known distributions") {
  const AddOne folder;
  const auto audit = [&](const std::string& text, const std::string& part) {
    return refused({"audit", folder.path("add_one.toml"), "--case", text}, part);
  };
  audit("garbage", "\"garbage\" is neither NAME=VALUE nor a distribution");
  audit("count=5", "missing distribution");
  audit("count=5 uniform count=6", "\"count\" is given twice");
  for (const std::string text : {"garbage", "count=5"}) {
    audit(text, "such as \"count=33 block=128 grid=1 uniform seed=7 schedule=converging\"");
    audit(text, "equal, integers, one-hot");
  }
  CHECK(run({"audit", "--help"}).out.find("equal, integers, one-hot") != std::string::npos);
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

TEST_CASE("invalid arguments of a launch are refused") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const auto with = [&](const std::string& first, const std::string& second) {
    return sanitize(file, {"--block", "1", "--arg", first, "--arg", second});
  };
  const std::string buffer = "buffer:i32:1:zeros";
  refused(with(buffer, "5"), "TYPE:VALUE");
  refused(with(buffer, "u31:5"), "u31");
  refused(with(buffer, "u32:five"), "not an integer");
  refused(with(buffer, "u32:-5"), "does not fit");
  refused(with(buffer, "u32:99999999999"), "does not fit");
  refused(with(buffer, "u32:"), "not an integer");
  refused(with(buffer, "f32:1.5x"), "not a number");
  refused(with(buffer, "u64:5"), "8");
  refused(with("buffer:i32:1", "u32:1"), "CONTENT");
  refused(with("buffer:i32:-1:zeros", "u32:1"), "COUNT");
  refused(with("buffer:i32:99999999999999:zeros", "u32:1"), "COUNT");
  refused(with("buffer:i32:1:ones", "u32:1"), "ones");
  refused(with("buffer:i32:1:@" + folder.path("nowhere"), "u32:1"),
          folder.path("nowhere") + ": the file does not exist");
  refused(with("buffer:i32:1:@" + file, "u32:1"), "bytes");
  refused(sanitize(file, {"--block", "1", "--arg", buffer}), "2 arguments");
  refused(sanitize(file, {"--block", "1", "--arg", buffer, "--arg", "u32:1", "--dump", "1"}), "--dump 1");
}

TEST_CASE("struct bytes that cannot be parsed are refused with their syntax") {
  const Folder folder;
  const std::string file = folder.file("store_pair.ptx", store_pair_ptx);
  const auto with = [&](const std::string& spec) {
    return std::vector<std::string>{"sanitize",           file,    "--entry", "store_pair", "--arg",
                                    "buffer:u32:2:zeros", "--arg", spec};
  };
  refused(with("bytes:0500000g"),
          "\"g\" is not a hexadecimal digit; write two hexadecimal digits per byte, such as bytes:00ff10");
  refused(with("bytes:050"),
          "3 hexadecimal digits are not a whole number of bytes; write two hexadecimal digits per byte");
  refused(with("bytes:"), "no bytes given; write two hexadecimal digits per byte");
  refused(with("bytes:@" + folder.path("nowhere")), folder.path("nowhere") + ": the file does not exist");
  refused(with("bytes:@" + folder.file("empty.bin", "")), "no bytes given");
  refused(with("bytes:@" + folder.file("large.bin", std::string(40'000, 'x'))),
          "40000 bytes exceed the limit of 32764 for a kernel's parameters");
  refused(with("bytes:0500"), "has 8 bytes, but --arg gives 2");
}

TEST_CASE("an argument that is refused is reported with its syntax") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const auto with = [&](const std::string& spec) {
    return sanitize(file, {"--arg", spec, "--arg", "u32:1"});
  };
  refused(with("u32:five"), "\"five\" is not an integer; write decimal or 0x hexadecimal digits");
  refused(with("u8:256"), "256 does not fit in u8; write a number from 0 to 255 or use a wider type");
  refused(with("i8:-129"), "-129 does not fit in i8; write a number from -128 to 127 or use a wider type");
  refused(with("i64:9223372036854775808"), "does not fit in i64");
  refused(with("f32:one"), "\"one\" is not a number; write one such as f32:1.5 or f32:0x1p-3");
  refused(with("buffer:i32:1"), "such as buffer:i32:1000:random");
  refused(with("buffer:i32:2:@" + folder.file("three.bin", "abc")),
          "has 3 bytes, but 2 elements of i32 are 8; change COUNT or the file");
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

TEST_CASE("PTX that is cut off at any position is refused") {
  const Folder folder;
  for (std::size_t length = 0; length < add_one_ptx.size() - 3; length += 37) {
    const std::string file = folder.file("cut.ptx", add_one_ptx.substr(0, length));
    const RanJson ran =
        run_json(sanitize(file, {"--block", "1", "--arg", "buffer:i32:1:zeros", "--arg", "u32:1"}));
    INFO(length << ": " << ran.json.dump());
    CHECK(ran.status == 2);
    CHECK(ran.json.contains("error"));
  }
}

TEST_CASE("without a GPU, an audit on the CUDA device is refused with status 3") {
  const RanJson ran = run_json({"audit", source_file("kernels"), "--device", "cuda"});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("CUDA") != std::string::npos);
}

TEST_CASE(
    "the option --device all uses the devices that are present and names the missing one with the reason") {
  const AddOne folder;
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--device", "all"});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("device") == "emulated");
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  const auto& skipped = ran.json.at("skipped_devices").at(0);
  CHECK(skipped.at("device") == "cuda");
  CHECK(skipped.at("reason").get<std::string>().find("no CUDA device available") == 0);
  CHECK(run_json({"audit", folder.path("add_one.toml")}).json.at("skipped_devices").empty());

  const Ran text = run({"audit", folder.path("add_one.toml"), "--device", "all"});
  CHECK(text.out.find("cuda skipped: no CUDA device available") != std::string::npos);

  folder.file("add_one.toml", replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
  CHECK(run({"audit", folder.path("add_one.toml"), "--device", "all"}).status == 1);
}
