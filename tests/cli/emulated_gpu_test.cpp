// The code around a GPU (processes, batches, reports), with a driver whose GPU is the emulated device
// (tests/emulated_gpu).
#include <filesystem>

#include "catch.h"
#include "cli/add_one.h"
#include "cli/program.h"
#include "cli/total_once.h"
#include "nvcc.h"
#include "sanitizer/compute_sanitizer/tool.h"
#include "tool_records.h"

using namespace foldproof::test;

namespace {

How on_emulated_gpu(std::vector<std::string> more = {}) {
  more.emplace_back("LD_LIBRARY_PATH=" FOLDPROOF_EMULATED_GPU);
  return {.environment = std::move(more)};
}

const std::string large_contract =
    sum_contract("id = \"sum\"", "count = \"0 .. 2^21\"\nblock = \"1 .. 256\"\ngrid = \"1 .. 16\"") +
    R"toml([claims]
deterministic = true
height = "ceil_div(count, grid * block)"
)toml";

/// A folder with the kernel sum and its contract.
struct Sum : Folder {
  explicit Sum(const std::string& ptx = sum_ptx) {
    file("sum.ptx", ptx);
    file("sum.toml", large_contract);
  }
  RanJson large(std::vector<std::string> environment = {}) const {
    return run_json({"audit", path("sum.toml"), "--device", "cuda", "--large"},
                    on_emulated_gpu(std::move(environment)));
  }
};

/// A sum that ignores all elements after the first 2^20.
const std::string short_sum_ptx =
    replaced(sum_ptx, "mov.u32 %block,", "min.u64 %count, %count, 1048576;\n  mov.u32 %block,");

/// A replacement for compute-sanitizer: it runs its program and writes the given records.
struct Tool : Folder {
  /// `afterwards`: shell commands with the file of the records in `save`.
  explicit Tool(const std::string& records, const std::string& afterwards = "") {
    const std::string left = file("records.xml", records_file(records));
    script = file("compute-sanitizer", R"sh(#!/bin/sh
if [ "$1" = --version ]; then echo "Version 2025.3.1.0"; exit; fi
for word; do
  [ "$before" = --save ] && save=$word
  before=$word
done
while [ "${1##*/}" != foldproof ]; do shift; done
"$@"
cp )sh" + left + " \"$save\"\n" + afterwards);
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  }
  RanJson racecheck(const Folder& folder, const std::string& audited = "add_one.toml") const {
    return run_json({"audit", folder.path(audited), "--device", "cuda", "--sanitizer", "racecheck", "--store",
                     folder.path("kept")},
                    on_emulated_gpu({"FOLDPROOF_COMPUTE_SANITIZER=" + script}));
  }
  std::string script;
};

/// The hazard that racecheck's self-test must report, in a launch that belongs to no case.
std::string self_test() {
  return hazard(1'000'000, std::string(foldproof::compute_sanitizer::tool_named("racecheck")->self_test));
}

const nlohmann::json& only_kernel(const RanJson& ran) {
  REQUIRE(ran.json.at("kernels").size() == 1);
  return ran.json.at("kernels").at(0);
}

}  // namespace

TEST_CASE("An audit on a GPU runs the same checks as one on the emulated device", "[cli][gpu]") {
  const Sum folder;
  const RanJson ran = run_json({"audit", folder.path("sum.toml"), "--device", "all", "--cases", "80",
                                "--largest", "4096", "--search", "0"},
                               on_emulated_gpu());
  CHECK(ran.status == 0);
  REQUIRE(ran.json.at("kernels").size() == 2);
  const auto &emulated = ran.json.at("kernels").at(0), &cuda = ran.json.at("kernels").at(1);
  CHECK(emulated.at("device") == "emulated");
  CHECK(cuda.at("device") == "cuda");
  for (const auto& kernel : {emulated, cuda}) {
    CHECK(kernel.at("verdict") == "clean");
    CHECK(kernel.at("cases") == 80);
    CHECK(kernel.at("checked_by").at("nothing") == 0);
  }
}

TEST_CASE("A driver that does not answer is skipped, and the emulated device is audited in time",
          "[cli][gpu]") {
  const Sum folder;
  const RanJson ran =
      run_json({"audit", folder.path("sum.toml"), "--device", "all", "--cases", "5", "--budget", "4s"},
               on_emulated_gpu({"EMULATED_GPU_HANGS=1"}));
  CHECK(ran.status == 3);
  CHECK(only_kernel(ran).at("device") == "emulated");
  CHECK(only_kernel(ran).at("verdict") == "clean");
  CHECK(ran.json.at("skipped_devices").at(0).at("reason") ==
        "no CUDA device available: the driver did not answer in time");
}

TEST_CASE("A compute-sanitizer that does not answer is skipped, and the devices are audited", "[cli][gpu]") {
  const Sum folder;
  const std::string hanging = folder.file("compute-sanitizer", "#!/bin/sh\nexec sleep 600\n");
  std::filesystem::permissions(hanging, std::filesystem::perms::owner_all);
  const RanJson ran = run_json({"audit", folder.path("sum.toml"), "--device", "all", "--sanitizer",
                                "racecheck", "--cases", "5", "--budget", "20s"},
                               on_emulated_gpu({"FOLDPROOF_COMPUTE_SANITIZER=" + hanging}));
  CHECK(ran.status == 3);
  REQUIRE(ran.json.at("kernels").size() == 2);
  for (const auto& kernel : ran.json.at("kernels")) CHECK(kernel.at("verdict") == "clean");
  CHECK(ran.json.at("skipped_devices").at(0).at("device") == "cuda/racecheck");
  CHECK(ran.json.at("skipped_devices").at(0).at("reason") == hanging + " did not end in time");
}

TEST_CASE("A host function is audited if its source is named", "[cli][gpu][nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  folder.file("total.cu",
              "__global__ void k(const float* x, float* y, unsigned n) {\n"
              "  float s = 0;\n  for (unsigned i = 0; i < n; ++i) s += x[i];\n  *y = s;\n}\n"
              "cudaError_t total(const float* x, float* y, unsigned n) {\n"
              "  k<<<1, 1>>>(x, y, n);\n  return cudaGetLastError();\n}\n");
  folder.file("total.toml",
              "format = 1\n[reduction]\noperator = \"sum\"\ninput = \"f32\"\n[domain]\ncount = \"0 .. 100\"\n"
              "[[launch]]\nentry = \"total\"\nhost = true\narguments = [\"input\", \"output\", \"count\"]\n");
  const RanJson ran = run_json(
      {"audit", folder.path("total.cu"), "--trust", "--device", "cuda", "--cases", "3"}, on_emulated_gpu());
  // The emulated driver does not serve the CUDA runtime: the program starts, and its first call fails.
  CHECK(only_kernel(ran).at("cases") == 3);
  CHECK(only_kernel(ran).at("findings").at(0).at("message").get<std::string>().starts_with("cudaMalloc: "));
}

TEST_CASE("A finding from a GPU is replayed on the GPU", "[cli][gpu]") {
  const AddOne folder(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--device", "cuda", "--cases", "20"},
                               on_emulated_gpu());
  CHECK(ran.status == 1);
  const auto& finding = only_kernel(ran).at("findings").at(0);
  CHECK(finding.at("kind") == "out-of-bounds");
  CHECK(finding.at("message").get<std::string>().find("data") != std::string::npos);
  const std::string replay = finding.at("replay");
  const std::size_t from = replay.find(" replay ") + 8, to = replay.find(' ', from);
  CHECK(replay.substr(to).find("--device cuda") != std::string::npos);
  const RanJson again =
      run_json({"replay", replay.substr(from, to - from), "--device", "cuda"}, on_emulated_gpu());
  CHECK(again.status == 1);
  CHECK(only_kernel(again).at("findings").at(0).at("kind") == "out-of-bounds");
}

TEST_CASE("A defect counts as found on a GPU if the finding is in the family of the announced one",
          "[cli][gpu]") {
  // The buffer is one element too short, which is reported as out-of-bounds on the GPU.
  const auto audited = [](const std::string& announced) {
    const AddOne folder(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
    folder.file("add_one.ptx", add_one_ptx + "// finding: " + announced + "\n");
    return run_json({"audit", folder.path("add_one.toml"), "--device", "cuda", "--cases", "20"},
                    on_emulated_gpu());
  };
  const RanJson found = audited("misaligned");
  CHECK(found.status == 0);
  CHECK(only_kernel(found).at("verdict") == "findings");
  CHECK(only_kernel(found).at("expected") == true);
  const RanJson another = audited("shared-race");
  CHECK(another.status == 0);
  CHECK(only_kernel(another).at("verdict") == "another-finding");
  CHECK(only_kernel(another).at("expected") == false);
}

TEST_CASE("On a GPU, an output is undefined again before the second call", "[cli][gpu]") {
  const TotalOnce folder;
  check_finds_second_call(
      run_json({"audit", folder.path("total.toml"), "--device", "cuda"}, on_emulated_gpu()));
}

TEST_CASE("A worker that dies for another reason than its case costs no case", "[cli][gpu]") {
  const AddOne folder;
  // In the middle of the third batch of 64 cases. Half of the cases launch one more kernel, which keeps the
  // GPU busy. The batch is repeated in a worker that survives enough launches.
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--device", "cuda", "--cases", "200"},
                               on_emulated_gpu({"EMULATED_GPU_LAUNCHES=250"}));
  CHECK(ran.status == 0);
  CHECK(only_kernel(ran).at("cases") == 200);
}

TEST_CASE("Too little GPU memory for a case is not reported as a finding of the kernel", "[cli][gpu]") {
  const AddOne folder;
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--device", "cuda", "--cases", "20"},
                               on_emulated_gpu({"EMULATED_GPU_BYTES=4096"}));
  CHECK(ran.status == 3);
  CHECK(only_kernel(ran).at("verdict") == "unsupported");
  CHECK(only_kernel(ran).at("reason").get<std::string>().find("CUDA_ERROR_OUT_OF_MEMORY") !=
        std::string::npos);
}

TEST_CASE("The two devices are compared bit for bit", "[cli][gpu]") {
  const Sum folder;
  const RanJson ran =
      run_laboratory_json({"compare", folder.path("sum.toml"), "--cases", "8"}, on_emulated_gpu());
  CHECK(ran.status == 0);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("cases") == 8);
  CHECK(kernel.at("runs") == kernel.at("same"));
}

TEST_CASE("A large sum is compared with the exact sum of the same memory", "[cli][gpu][large]") {
  const RanJson right = Sum().large();
  CHECK(right.status == 0);
  CHECK(only_kernel(right).at("verdict") == "clean");
  CHECK(only_kernel(right).at("cases").get<unsigned>() >= 4);

  const RanJson wrong = Sum(short_sum_ptx).large();
  CHECK(wrong.status == 1);
  const auto& finding = only_kernel(wrong).at("findings").at(0);
  CHECK(finding.at("kind") == "wrong-value");
  CHECK(finding.at("case").get<std::string>().find("count=1048577") == 0);
}

TEST_CASE("A finding of a large sum is kept when its process dies", "[cli][gpu][large]") {
  // Making, summing and checking an input takes fewer than twelve launches, and there are several inputs.
  const RanJson ran = Sum(short_sum_ptx).large({"EMULATED_GPU_LAUNCHES=12"});
  CHECK(ran.status == 1);
  CHECK(only_kernel(ran).at("verdict") == "findings");
  CHECK(only_kernel(ran).at("findings").at(0).at("kind") == "wrong-value");
  CHECK(only_kernel(ran).at("notes").dump().find(
            "the process did not finish: its process was terminated by signal 9") != std::string::npos);
}

TEST_CASE("A large sum whose launch the GPU refuses is unsupported", "[cli][gpu][large]") {
  // The contract launches blocks of 256 threads.
  const Sum folder(replaced(sum_ptx, ".param .u64 count)", ".param .u64 count)\n.maxntid 128, 1, 1"));
  const RanJson ran = folder.large();
  CHECK(ran.status == 3);
  CHECK(only_kernel(ran).at("verdict") == "unsupported");
  CHECK(only_kernel(ran).at("reason").get<std::string>().find("the GPU rejects the launch") !=
        std::string::npos);
}

TEST_CASE("A large sum that does not fit in GPU memory is unsupported", "[cli][gpu][large]") {
  const RanJson ran = Sum().large({"EMULATED_GPU_BYTES=2000000"});
  CHECK(ran.status == 3);
  CHECK(only_kernel(ran).at("verdict") == "unsupported");
  CHECK(only_kernel(ran).at("reason").get<std::string>().find("allocating 4194308 bytes") !=
        std::string::npos);
}

TEST_CASE("An audit under a tool attributes the tool's records to their cases", "[cli][gpu]") {
  const AddOne folder;
  const RanJson clean = Tool(self_test()).racecheck(folder);
  CHECK(clean.status == 0);
  CHECK(only_kernel(clean).at("device") == "cuda/racecheck");
  CHECK(only_kernel(clean).at("cases") == 12);

  const RanJson found = Tool(hazard(1, "add_one") + self_test()).racecheck(folder);
  CHECK(found.status == 1);
  const auto& finding = only_kernel(found).at("findings").at(0);
  CHECK(finding.at("kind") == "shared-race");
  CHECK(finding.at("file") == "/src/put.cu");
  CHECK(finding.at("case").get<std::string>().find("count=") == 0);
  const std::string kept = "foldproof replay " + folder.path("kept") + "/";
  CHECK(finding.at("replay").get<std::string>().find(kept) == 0);
  // Kept cases are replayed by other audits only: the tool's number of cases is unchanged.
  CHECK(only_kernel(Tool(self_test()).racecheck(folder)).at("cases") == 12);
}

TEST_CASE("If a tool fails at the kernels of several contracts together, it runs them separately",
          "[cli][gpu]") {
  const AddOne folder;
  folder.file("again.toml", replaced(add_one_contract, "id = \"add_one\"", "id = \"again\""));
  const Tool fails_once(self_test(), "[ -e \"$0.failed\" ] || : > \"$save\"; : > \"$0.failed\"\n");
  const RanJson ran = fails_once.racecheck(folder, "");
  INFO(ran.json.dump());
  CHECK(ran.status == 0);
  REQUIRE(ran.json.at("kernels").size() == 2);
  for (const auto& kernel : ran.json.at("kernels")) CHECK(kernel.at("verdict") == "clean");
}

TEST_CASE("An audit under a tool that does not report its self-test is unsupported", "[cli][gpu]") {
  const AddOne folder;
  const RanJson ran = Tool(hazard(1, "add_one")).racecheck(folder);
  CHECK(ran.status == 3);
  CHECK(only_kernel(ran).at("verdict") == "unsupported");
}
