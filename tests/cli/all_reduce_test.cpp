// The all-reduce of the catalogue and its defects, on three fake GPUs.
#include <sys/wait.h>

#include <cstdlib>

#include "catch.h"
#include "cli/program.h"
#include "host/fake_cuda.h"

using namespace foldproof::test;
namespace fs = std::filesystem;

namespace {

/// Copies of the kernels, with a fake toolkit, driver and NCCL.
class AllReduceBench {
 public:
  AllReduceBench() : folder_("all-reduce") {
    for (const char* name : {"include", "library", "defects"}) fs::create_directory(folder_.path(name));
    fs::copy_file(source_file("kernels/reduction_operators.cuh"), folder_.path("reduction_operators.cuh"));
    for (const char* name : {"nccl.cuh", "all_reduce.cu", "all_reduce.toml", "all_reduce_mean.toml"})
      fs::copy_file(source_file("kernels/library/") + name, folder_.path("library/") + name);
    for (const auto& defect : fs::directory_iterator(source_file("kernels/defects")))
      if (const std::string name = defect.path().filename(); name.starts_with("n0"))
        fs::copy_file(defect.path(), folder_.path("defects/") + name);

    folder_.file("include/cuda_runtime_api.h", fake_cuda);
    for (const char* name : {"cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h"})
      folder_.file(std::string("include/") + name, std::string("#include \"number_types.h\"\n"));
    folder_.file("include/number_types.h", fake_number_types);
    fs::permissions(folder_.file("nvcc", nvcc_script), fs::perms::owner_all);
    build_library("libcuda.so.1", folder_.file("driver.cpp", fake_driver));
    build_library("libnccl.so.2", folder_.file("nccl.cpp", fake_nccl));
  }

  /// The only report of an audit of this contract, and the exit status.
  std::pair<nlohmann::json, int> audit(const std::string& contract, const std::string& instance,
                                       std::vector<std::string> environment = {}) const {
    std::vector<std::string> arguments{
        "audit", folder_.path(contract), "--trust", "-I", folder_.path("include"), "--cases", "24"};
    if (!instance.empty()) arguments.insert(arguments.end(), {"--only", instance});
    How how;
    how.environment = {"NVCC=" + folder_.path("nvcc"), "LD_LIBRARY_PATH=" + folder_.path().string(),
                       "GPUS=3"};
    how.environment.insert(how.environment.end(), environment.begin(), environment.end());
    const RanJson ran = run_json(arguments, how);
    INFO(ran.json);
    REQUIRE(ran.json["kernels"].size() == 1);
    return {ran.json["kernels"][0], ran.status};
  }

 private:
  void build_library(const std::string& name, const std::string& source) const {
    const std::string command = "g++ -std=c++17 -fwrapv -shared -fPIC -I" + folder_.path("include") + " -o " +
                                folder_.path(name) + " " + source;
    REQUIRE(WEXITSTATUS(std::system(command.c_str())) == 0);
  }

  Folder folder_;
};

}  // namespace

TEST_CASE("an all-reduce over several ranks is clean") {
  const AllReduceBench bench;
  for (const char* instance : {"T=f32,OP=sum", "T=i32,OP=sum", "T=i32,OP=prod", "T=f32,OP=max"}) {
    const auto [report, status] = bench.audit("library/all_reduce.toml", instance);
    INFO(report);
    CHECK(status == 0);
    CHECK(report["verdict"] == "clean");
    CHECK(report["cases"] == 24);
  }
  const auto [mean, status] = bench.audit("library/all_reduce_mean.toml", "T=f32");
  INFO(mean);
  CHECK(status == 0);
  CHECK(mean["verdict"] == "clean");
}

TEST_CASE("an NCCL that ignores a rank is found") {
  const AllReduceBench bench;
  const auto [report, status] =
      bench.audit("library/all_reduce.toml", "T=i32,OP=sum", {"FAKE_NCCL=drops-a-rank"});
  INFO(report);
  CHECK(status == 1);
  CHECK(report["findings"][0]["kind"] == "wrong-value");
}

TEST_CASE("without NCCL, or if it fails, the report says why") {
  const AllReduceBench bench;
  const auto [lacks, status] =
      bench.audit("library/all_reduce.toml", "T=i32,OP=sum", {"FOLDPROOF_NCCL=/nowhere/nccl"});
  INFO(lacks);
  CHECK(status == 3);
  CHECK(lacks["verdict"] == "skipped");
  CHECK(lacks["reason"].get<std::string>().find("FOLDPROOF_NCCL can name the NCCL library") !=
        std::string::npos);
  const auto [fails, failed] = bench.audit("library/all_reduce.toml", "T=f64,OP=sum");
  INFO(fails);
  CHECK(failed == 1);
  CHECK(fails["findings"][0]["message"].get<std::string>().find("the fake NCCL has no such type") !=
        std::string::npos);
}

TEST_CASE("each defect of an all-reduce is found") {
  const AllReduceBench bench;
  for (const char* defect :
       {"n01_last_element_not_sent", "n02_other_operator_on_one_rank", "n03_result_read_too_early"}) {
    const auto [report, status] = bench.audit(std::string("defects/") + defect + ".toml", "");
    INFO(report);
    CHECK(status == 0);
    CHECK(report["verdict"] == "findings");
    CHECK(report["findings"][0]["kind"] == "wrong-value");
    CHECK(report["findings"][0]["expected"] == true);
  }
}
