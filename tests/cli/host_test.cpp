// Host functions, from the contract to the verdict, with a fake GPU.
#include <sys/wait.h>

#include <cstdlib>

#include "catch.h"
#include "cli/program.h"
#include "host/fake_cuda.h"

using namespace foldproof::test;

namespace {

constexpr const char* source = R"(
#include <cuda_runtime_api.h>
#include <cstddef>
struct Sum {};
void right(const int* input, int* output, std::size_t count) {
  unsigned total = 0;
  for (std::size_t i = 0; i < count; ++i) total += static_cast<unsigned>(input[i]);
  *output = static_cast<int>(total);
}
void loses_the_last(const int* input, int* output, std::size_t count) {
  right(input, output, count < 100 ? count : count - 1);
}
int calls = 0;
void differs(const int* input, int* output, std::size_t count) {
  right(input, output, count);
  if (++calls % 2 == 0 && count > 0) ++*output;
}
void on_several(const int* input, int* output, std::size_t count, int gpus) {
  if (gpus > 3) std::abort();
  right(input, output, count);
}
)";

/// A fake toolkit and a fake driver, and sources with their contracts.
class HostBench {
 public:
  HostBench() : folder_("host") {
    for (const char* name : {"include", "kernels"}) std::filesystem::create_directory(folder_.path(name));
    folder_.file("include/cuda_runtime_api.h", fake_cuda);
    const std::string driver = folder_.file("driver.cpp", fake_driver);
    REQUIRE(WEXITSTATUS(std::system(
                ("g++ -shared -fPIC -o " + folder_.path("libcuda.so.1") + " " + driver).c_str())) == 0);
    std::filesystem::permissions(folder_.file("nvcc", nvcc_script), std::filesystem::perms::owner_all);
  }

  /// A contract for one of the source's functions.
  std::string contract(const std::string& entry, const std::string& domain = "",
                       const std::string& launch = "") const {
    folder_.file("kernels/" + entry + ".cu", source);
    return folder_.file("kernels/" + entry + ".toml",
                        "format = 1\n[source]\nflags = [\"-I../include\"]\n"
                        "[reduction]\noperator = \"sum\"\ninput = \"i32\"\n[domain]\n" +
                            domain + "count = \"0 .. 2^20\"\n[[launch]]\nentry = \"" + entry +
                            "\"\nhost = true\n" +
                            (launch.empty() ? "arguments = [\"input\", \"output\", \"count\"]\n" : launch) +
                            "[claims]\ndeterministic = true\n");
  }

  /// The source announces a finding.
  void announce(const std::string& entry, const std::string& kind) const {
    folder_.file("kernels/" + entry + ".cu", std::string(source) + "// finding: " + kind + "\n");
  }

  RanJson audit(const std::string& path, int gpus) const {
    return run_json({"audit", path, "--trust", "--cases", "24"}, how(gpus));
  }

  How how(int gpus) const {
    How how;
    how.environment = {"NVCC=" + folder_.path("nvcc"), "LD_LIBRARY_PATH=" + folder_.path().string(),
                       "GPUS=" + std::to_string(gpus)};
    return how;
  }

  std::string kernels() const { return folder_.path("kernels"); }

 private:
  Folder folder_;
};

std::string kind_in(const RanJson& ran) { return ran.json["kernels"][0]["findings"][0]["kind"]; }

}  // namespace

TEST_CASE("a host function is checked on a GPU, and skipped without one") {
  const HostBench bench;
  const std::string right = bench.contract("right");
  const RanJson ran = bench.audit(right, 1);
  INFO(ran.json);
  REQUIRE(ran.status == 0);
  CHECK(ran.json["kernels"][0]["verdict"] == "clean");
  CHECK(ran.json["kernels"][0]["cases"] == 24);
  CHECK(ran.json["device"] == "a GPU of straw");

  const RanJson skipped = bench.audit(right, 0);
  INFO(skipped.json);
  REQUIRE(skipped.status == 3);
  CHECK(skipped.json["kernels"][0]["verdict"] == "skipped");
  CHECK(skipped.json["kernels"][0]["reason"] == "no CUDA device available: the driver reports no devices");
  CHECK(run({"audit", right, "--trust", "--skip-status", "77"}, bench.how(0)).status == 77);
}

TEST_CASE("without a GPU, a run with host functions and kernels succeeds unless it is strict") {
  const HostBench bench;
  const AddOne kernel;
  bench.contract("right");
  for (const char* const file : {"add_one.ptx", "add_one.toml"})
    std::filesystem::copy_file(kernel.path(file), std::filesystem::path(bench.kernels()) / file);
  const auto status = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"audit", bench.kernels(), "--trust", "--cases", "2"});
    return run(options, bench.how(0)).status;
  };
  CHECK(status({}) == 0);
  CHECK(status({"--strict"}) == 3);
  CHECK(status({"--strict", "--skip-status", "77"}) == 77);
}

TEST_CASE("wrong host functions are found, and their cases replayed") {
  const HostBench bench;
  const RanJson loses = bench.audit(bench.contract("loses_the_last"), 1);
  INFO(loses.json);
  REQUIRE(loses.status == 1);
  CHECK(kind_in(loses) == "wrong-value");
  const std::string replay = loses.json["kernels"][0]["findings"][0]["replay"];
  CHECK(replay.ends_with(" --trust"));
  for (const auto& kept : std::filesystem::directory_iterator(bench.kernels() + "/foldproof-cases"))
    CHECK(run({"replay", kept.path().string(), "--trust"}, bench.how(1)).status == 1);
  const RanJson differs = bench.audit(bench.contract("differs"), 1);
  CHECK(differs.status == 1);
}

TEST_CASE("an announced finding of a host function must be found, since no other device runs it") {
  const HostBench bench;
  const std::string right = bench.contract("right"), loses = bench.contract("loses_the_last");
  bench.announce("right", "wrong-value");
  bench.announce("loses_the_last", "wrong-value");
  const RanJson silent = bench.audit(right, 1);
  INFO(silent.json);
  CHECK(silent.status == 1);
  CHECK(kind_in(silent) == "contract-violation");
  CHECK(bench.audit(loses, 1).status == 0);
}

TEST_CASE("a function for several GPUs uses those that are present, and is skipped with only one") {
  const HostBench bench;
  const std::string several =
      bench.contract("on_several", "gpus = \"1 .. 8\"\n",
                     "gpus = \"gpus\"\narguments = [\"input\", \"output\", \"count\", \"gpus\"]\n");
  CHECK(bench.audit(several, 3).status == 0);
  CHECK(bench.audit(several, 4).status == 1);
  bench.contract("right");
  const RanJson one = bench.audit(bench.kernels(), 1);
  INFO(one.json);
  REQUIRE(one.status == 0);
  CHECK(one.json["kernels"][0]["reason"] ==
        "only one CUDA device is available, but this kernel requires several");
  CHECK(one.json["kernels"][1]["verdict"] == "clean");
}

TEST_CASE("the arguments of a host function are checked against its contract") {
  const HostBench bench;
  const auto says = [&](const std::string& launch, const std::string& words) {
    const RanJson ran = bench.audit(bench.contract("right", "gpus = \"1 .. 8\"\n", launch), 1);
    INFO(ran.json);
    CHECK(ran.status == 2);
    CHECK(ran.json.dump().find(words) != std::string::npos);
  };
  says("grid = 1\n", "a host function has no \\\"grid\\\"");
  says("gpus = \"gps\"\n", "which [domain] does not have; did you mean \\\"gpus\\\"");
  says("arguments = [\"input\"]\n", "takes 3 arguments, but the contract passes 1");
}
