// The output of `foldproof sanitize` for one launch.
#include "catch.h"
#include "cli/add_one.h"
#include "cli/interrupted.h"
#include "cli/kernels.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

std::vector<std::string> launch(const std::string& file, const std::vector<std::string>& further) {
  std::vector<std::string> arguments{"sanitize", file, "--entry", "add_one"};
  arguments.insert(arguments.end(), further.begin(), further.end());
  return arguments;
}

}  // namespace

TEST_CASE("a clean launch gives status 0 and its dumped buffer") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const RanJson ran = run_json(launch(
      file, {"--grid", "1", "--block", "4", "--arg", "buffer:i32:4:iota", "--arg", "u32:4", "--dump", "0"}));
  REQUIRE(ran.status == 0);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(ran.json.at("tool") == "foldproof");
  CHECK(ran.json.at("device") == "emulated");
  CHECK(kernel.at("verdict") == "clean");
  CHECK(kernel.at("entry") == "add_one");
  CHECK(kernel.at("findings").empty());
  CHECK(kernel.at("outputs").at("0") == nlohmann::json::array({1, 2, 3, 4}));
}

TEST_CASE("floating-point values are printed as C hex strings, 64-bit integers as strings") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  // The kernel accesses nothing: no index is below the count 0.
  const RanJson floats = run_json(
      launch(file, {"--block", "32", "--arg", "buffer:f32:3:iota", "--arg", "u32:0", "--dump", "0"}));
  CHECK(floats.json.at("kernels").at(0).at("outputs").at("0") ==
        nlohmann::json::array({"0x0p+0", "0x1p+0", "0x1p+1"}));
  const RanJson wide = run_json(
      launch(file, {"--block", "32", "--arg", "buffer:u64:3:iota", "--arg", "u32:0", "--dump", "0"}));
  CHECK(wide.json.at("kernels").at(0).at("outputs").at("0") == nlohmann::json::array({"0", "1", "2"}));
  const std::string ones = folder.file("ones.bin", std::string(8, '\xff'));
  const auto dumped = [&](const std::string& type) {
    return run_json(launch(file, {"--block", "1", "--arg", "buffer:" + type + ":1:@" + ones, "--arg", "u32:0",
                                  "--dump", "0"}))
        .json.at("kernels")
        .at(0)
        .at("outputs")
        .at("0")
        .at(0);
  };
  CHECK(dumped("u64") == "18446744073709551615");
  CHECK(dumped("i64") == "-1");
}

TEST_CASE("a buffer can be read from a file") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const std::string data = folder.file("data.bin", std::string("\x05\0\0\0\x07\0\0\0", 8));
  const RanJson ran = run_json(
      launch(file, {"--block", "2", "--arg", "buffer:i32:2:@" + data, "--arg", "u32:2", "--dump", "0"}));
  REQUIRE(ran.status == 0);
  CHECK(ran.json.at("kernels").at(0).at("outputs").at("0") == nlohmann::json::array({6, 8}));
}

TEST_CASE("a launch reports its duration") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const RanJson ran =
      run_json(launch(file, {"--block", "4", "--arg", "buffer:i32:4:iota", "--arg", "u32:4"}));
  CHECK(ran.json.at("kernels").at(0).at("seconds") > 0);
}

TEST_CASE("a struct passed by value is given as its bytes") {
  const Folder folder;
  const std::string file = folder.file("store_pair.ptx", store_pair_ptx);
  const RanJson ran = run_json({"sanitize", file, "--entry", "store_pair", "--arg", "buffer:u32:2:zeros",
                                "--arg", "bytes:05000000ff00Ff00", "--dump", "0"});
  REQUIRE(ran.status == 0);
  CHECK(ran.json.at("kernels").at(0).at("outputs").at("0") == nlohmann::json::array({5, 0xff00ff}));
}

TEST_CASE("the bytes of a struct can be read from a file") {
  const Folder folder;
  const std::string file = folder.file("store_pair.ptx", store_pair_ptx);
  const std::string data = folder.file("pair.bin", std::string("\x05\0\0\0\x07\0\0\0", 8));
  const RanJson ran = run_json({"sanitize", file, "--entry", "store_pair", "--arg", "buffer:u32:2:zeros",
                                "--arg", "bytes:@" + data, "--dump", "0"});
  REQUIRE(ran.status == 0);
  CHECK(ran.json.at("kernels").at(0).at("outputs").at("0") == nlohmann::json::array({5, 7}));
}

TEST_CASE("a finding names a shared array as its kernel spells it") {
  const Folder folder;
  const std::string file = folder.file("past_tile.ptx", past_tile_ptx);
  const RanJson ran = run_json(
      {"sanitize", file, "--entry", "sum32", "--arg", "buffer:f32:1:zeros", "--arg", "buffer:f32:1:zeros"});
  REQUIRE(ran.status == 1);
  CHECK(ran.json.at("kernels").at(0).at("findings").at(0).at("message") ==
        "a write of 4 bytes in shared memory begins just past the end of tile (128 bytes)");
}

TEST_CASE("undefined bits in a buffer are reported even if it is not dumped") {
  const Folder folder;
  const std::string file = folder.file("pass_on.ptx", pass_on_ptx);
  const RanJson ran = run_json({"sanitize", file, "--entry", "pass_on", "--arg", "buffer:u32:1:zeros"});
  CHECK(ran.status == 1);
  CHECK(ran.json.at("kernels").at(0).at("findings").at(0).at("kind") == "uninitialized-read");
}

TEST_CASE(
    "different results under different schedules are a warning, because a single launch has no claims") {
  const Folder folder;
  const std::string file = folder.file("draw.ptx", draw_ptx);
  const RanJson ran =
      run_json({"sanitize", file, "--entry", "draw", "--grid", "8", "--schedule", "random:1", "--repeat", "8",
                "--arg", "buffer:u32:8:zeros", "--arg", "buffer:u32:1:zeros"});
  CHECK(ran.status == 0);
  const auto& finding = ran.json.at("kernels").at(0).at("findings").at(0);
  CHECK(finding.at("kind") == "schedule-dependent");
  CHECK(finding.at("severity") == "warning");
  CHECK(finding.at("message") == "two schedules leave different values in argument 0");
}

TEST_CASE("an access past the end is reported and gives status 1") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const RanJson ran =
      run_json(launch(file, {"--block", "8", "--arg", "buffer:i32:4:zeros", "--arg", "u32:8"}));
  CHECK(ran.status == 1);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "findings");
  const auto& finding = kernel.at("findings").at(0);
  CHECK(finding.at("kind") == "out-of-bounds");
  CHECK(finding.at("severity") == "error");
  CHECK(finding.at("expected") == false);
  CHECK_FALSE(finding.at("message").get<std::string>().empty());
  CHECK(finding.at("threads").at(0).at("thread") == nlohmann::json::array({4, 0, 0}));
  CHECK(finding.at("replay").get<std::string>().starts_with("foldproof sanitize "));
}

TEST_CASE("an endless loop ends as a timeout") {
  const Folder folder;
  const std::string file = folder.file("count_forever.ptx", count_forever_ptx);
  const RanJson ran =
      run_json({"sanitize", file, "--entry", "count_forever", "--block", "1", "--instructions", "100000"});
  CHECK(ran.status == 1);
  CHECK(ran.json.at("kernels").at(0).at("findings").at(0).at("kind") == "timeout");
  CHECK(ran.json.at("kernels").at(0).at("findings").at(0).at("message") ==
        "the launch did not end within 100000 warp instructions; --instructions N sets this limit");
  CHECK(run({"sanitize", "--help"}).out.find("2000000000") != std::string::npos);
}

TEST_CASE("an interrupted launch ends within two seconds, without results") {
  const Folder folder;
  const std::string file = folder.file("count_forever.ptx", count_forever_ptx);
  const RanJson ran = run_json(
      {"sanitize", file, "--entry", "count_forever", "--block", "1", "--instructions", "1000000000000000"},
      {std::chrono::milliseconds(500), {}});
  check_is_interrupted(ran);
  CHECK(ran.json.at("kernels").empty());
  CHECK(ran.json.at("error").at("message") == "the run was interrupted");
}

TEST_CASE("an entry is found by the spelling that findings print") {
  const Folder folder;
  const std::string second = replaced(past_tile_ptx, "_Z5sum32PKfPf", "_Z5sum32PKdPd");
  const std::string both = folder.file("both.ptx", past_tile_ptx + second.substr(second.find(".visible")));
  const auto sanitize = [](const std::string& file, const std::string& entry) {
    return run_json(
        {"sanitize", file, "--entry", entry, "--arg", "buffer:f32:1:zeros", "--arg", "buffer:f32:1:zeros"});
  };
  const std::string one = folder.file("one.ptx", past_tile_ptx);
  for (const std::string entry : {"sum32(float const*, float*)", "void sum32(float const*, float*)",
                                  "sum32(const float*, float*)", "sum32", "_Z5sum32PKfPf"})
    CHECK(sanitize(one, entry).status == 1);
  CHECK(sanitize(both, "sum32(float const*, float*)").json.dump().find("sum32(float const*") !=
        std::string::npos);
  CHECK(sanitize(both, "sum32(double const*, double*)").json.dump().find("sum32(double const*") !=
        std::string::npos);
  const RanJson either = sanitize(both, "sum32");
  CHECK(either.status == 2);
  CHECK(either.json.at("error").at("message") ==
        "\"sum32\" matches several kernels: sum32(float const*, float*), sum32(double const*, double*)");
}

TEST_CASE("an entry is found by any part of its name that matches only that entry") {
  const Folder folder;
  std::string two = add_one_ptx + add_one_ptx;
  const std::string second = "add_one";
  for (std::size_t at = two.find(second, add_one_ptx.size()); at != std::string::npos;
       at = two.find(second, at + 8))
    two.replace(at, second.size(), "add_two");
  two.erase(two.find(".version", 1), std::string(".version 8.0\n.target sm_90\n.address_size 64\n").size());
  const std::string file = folder.file("two.ptx", two);
  const std::vector<std::string> launch_rest{"--block", "1", "--arg", "buffer:i32:1:zeros", "--arg", "u32:1"};
  const auto sanitize = [&](const std::string& entry) {
    std::vector<std::string> arguments{"sanitize", file, "--entry", entry};
    arguments.insert(arguments.end(), launch_rest.begin(), launch_rest.end());
    return run_json(arguments);
  };
  CHECK(sanitize("two").json.at("kernels").at(0).at("entry") == "add_two");
  const RanJson ambiguous = sanitize("add");
  CHECK(ambiguous.status == 2);
  CHECK(ambiguous.json.at("error").at("message").get<std::string>().find("add_one, add_two") !=
        std::string::npos);
}

TEST_CASE("the name of a template does not stand for a kernel with a similar name", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  const std::string file =
      folder.file("k.cu",
                  "template <typename T> __global__ void first(const T* in, T* out) { *out = in[1]; }\n"
                  "struct first_tag {};\n"
                  "__global__ void other(const first_tag* tag, float* out) { *out = 0; }\n"
                  "namespace n { __global__ void first(const float* in, float* out) { *out = *in; } }\n"
                  "__global__ void first_of_all(const float* in, float* out) { *out = *in; }\n");
  for (const std::string entry : {"first", "::first"}) {
    const RanJson ran = run_json(
        {"sanitize", file, "--entry", entry, "--arg", "buffer:f32:1:zeros", "--arg", "buffer:f32:1:zeros"});
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("is a template; name an instance") !=
          std::string::npos);
  }
  CHECK(run_json({"sanitize", file, "--entry", "first_tag", "--arg", "u64:0", "--arg", "u64:0"}).status == 2);
}

TEST_CASE("an entry may be spelled with the aliases that its source defines", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  const std::string file = folder.file(
      "k.cu",
      "namespace outer { template <typename T> __global__ void first(const T* in, T* out) { *out = *in; } }\n"
      "namespace o = outer;\nusing real = float;\n");
  const RanJson ran = run_json({"sanitize", file, "--entry", "o::first<real>", "--arg", "buffer:f32:1:zeros",
                                "--arg", "buffer:f32:1:zeros"});
  CHECK(ran.status == 0);
  CHECK(ran.json.at("kernels").at(0).at("entry") == "outer::first<float>");
}
