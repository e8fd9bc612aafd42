// Bad options, files, cases, devices and arguments of a launch give one sentence, the right exit status and
// one JSON object, and never a crash or a hang.
#include "catch.h"
#include "cli/add_one.h"
#include "cli/refused.h"

using namespace foldproof::test;

TEST_CASE("invalid usage is refused with the wrong option or value") {
  refused({}, "required");
  refused({"frobnicate"}, "frobnicate");
  refused({"audit", "--cases", "many"}, "--cases");
  refused({"audit", "--cases", "0"}, "--cases");
  for (const char* time : {"soon", "-1s", "0s", "nan", "inf", "1e3s", "1000000000h", "1.5.5s", "s"})
    refused({"audit", "--budget", time}, "--budget");
  refused({"audit", "--prove", "--prove-budget", "soon"}, "--prove-budget");
  refused({"audit", "--prove-budget", "10s"}, "--prove-budget requires --prove");
  refused({"audit", AddOne().path("add_one.toml"), "--shard", "5/4"}, "--shard");
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

TEST_CASE(
    "options without a value, given twice or with an empty value, and further arguments are named in a "
    "sentence") {
  CHECK(run({"audit", "a.cu", "--seed"}).err == "error: --seed needs a value (see foldproof --help)\n");
  refused({"audit", "a.cu", "--seed", "1", "--seed", "2"}, "--seed was given more than once");
  refused({"audit", "a.cu", "--cases", ""}, "--cases");
  refused({"audit", "a.cu", "--report", "", "77"}, "--report");
  refused({"audit", "a.cu", "77"}, "foldproof audit: unexpected argument \"77\"");
}

TEST_CASE("an audit without a path is refused: the variable of a script may be empty") {
  for (const char* verb : {"audit", "mutate"}) {
    refused({verb}, "no PATH given");
    refused({verb, "--jobs", "1"}, "no PATH given");
  }
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
  const RanJson ran = run_json({"audit", source_file("kernels/tree"), "--device", "cuda"});
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
