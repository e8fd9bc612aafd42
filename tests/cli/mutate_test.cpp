// `mutate` and `audit --prove` on a small kernel with few, known mutants.
#include <chrono>
#include <filesystem>
#include <thread>

#include "catch.h"
#include "cli/add_one.h"
#include "cli/fake_nvcc.h"
#include "cli/interrupted.h"

using namespace foldproof::test;

namespace {

using Names = std::vector<std::string>;

/// One of add_one's three mutants survives: the contract claims no values, so not adding anything is not
/// noticed.
constexpr double score_of_add_one = 200.0 / 3;

/// Barriers that order nothing: their mutants survive all cases, and the kernel takes a while to run.
struct NeedlessBarriers : Folder {
  explicit NeedlessBarriers(int count = 40) {
    std::string barriers;
    for (int i = 0; i < count; ++i) barriers += "  bar.sync 0;\n";
    const std::string last = "  mov.u32 %r4, %tid.x;\n";
    file("add_one.ptx", replaced(add_one_ptx, last, last + barriers));
    file("add_one.toml", replaced(add_one_contract, "1 .. 1000", "60000 .. 65536"));
  }
};

/// A contract with an equivalent-mutant annotation for add_one's only comparison.
std::string with_equivalent(const std::string& change, const std::string& code = "setp.ge") {
  return add_one_contract +
         "[[equivalent]]\nmutation = \"force-compare\"\nfile = \"add_one.ptx\"\ncode = \"" + code +
         "\"\nchange = \"" + change + "\"\nreason = \"It is never read.\"\n";
}

Names labels(const RanJson& ran) {
  Names all;
  for (const auto& kernel : ran.json.at("kernels")) all.push_back(kernel.at("instance"));
  return all;
}

}  // namespace

TEST_CASE("each mutant is reported with its position, its change and its status") {
  const AddOne folder;
  const RanJson ran = run_json({"mutate", folder.path("add_one.toml"), "--seed", "7"});
  CHECK(ran.status == 0);
  CHECK(ran.json.at("device") == "emulated");
  CHECK(ran.json.at("seed") == "7");
  REQUIRE(ran.json.at("kernels").size() == 1);
  const auto& kernel = ran.json.at("kernels").at(0);
  for (const auto* counts : {&ran.json, &kernel}) {
    CHECK(counts->at("score").get<double>() == Approx(score_of_add_one));
    CHECK(counts->at("killed") == 2);
    CHECK(counts->at("survived") == 1);
    for (const char* none : {"equivalent", "invalid", "skipped"}) CHECK(counts->at(none) == 0);
  }
  CHECK(kernel.at("id") == "add_one");
  CHECK(kernel.at("file") == folder.path("add_one.ptx"));
  CHECK(kernel.at("complaints").empty());
  CHECK(kernel.at("reason").is_null());

  REQUIRE(kernel.at("mutants").size() == 3);
  const auto& survivor = kernel.at("mutants").at(0);
  CHECK(survivor.at("mutation") == "force-compare");
  CHECK(survivor.at("change") == "make the comparison (ge) always true");
  CHECK(survivor.at("line") == 15);
  CHECK(survivor.at("statements") == 1);
  CHECK(survivor.at("alive") == 1);
  CHECK(survivor.at("status") == "survived");
  CHECK(survivor.at("cases") == 100);
  CHECK(survivor.at("finding").is_null());
  const auto& killed = kernel.at("mutants").at(2);
  CHECK(killed.at("mutation") == "shift-compare");
  CHECK(killed.at("status") == "killed");
  CHECK(killed.at("finding").at("kind") == "out-of-bounds");
}

TEST_CASE("by default the last size of a contract is mutated; options select other instances") {
  const Folder folder;
  folder.file("add_one.ptx", add_one_ptx);
  folder.file("add_one.toml",
              "types = { B = [32, 64, 96] }\n" + replaced(add_one_contract, "\"128\"", "\"{B}\""));
  const auto mutated = [&](const std::vector<std::string>& further) {
    std::vector<std::string> arguments{"mutate", folder.path().string(), "--cases", "4"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    return labels(run_json(arguments));
  };
  CHECK(mutated({}) == Names{"B=96"});
  CHECK(mutated({"--only", "B=32"}) == Names{"B=32"});
  CHECK(mutated({"--all-instances"}) == Names{"B=32", "B=64", "B=96"});
  CHECK(mutated({"--all-instances", "--shard", "1/2"}) == Names{"B=32", "B=96"});
  CHECK(mutated({"--all-instances", "--shard", "2/2"}) == Names{"B=64"});
}

TEST_CASE("a score below the floor gives status 1") {
  const AddOne folder;
  const auto with_floor = [&](const std::string& floor) {
    return run_json({"mutate", folder.path("add_one.toml"), "--floor", floor});
  };
  CHECK(with_floor("66").status == 0);
  CHECK(with_floor("67").status == 1);
  CHECK(with_floor("nan").status == 2);
}

TEST_CASE("if no mutant was tried, there is no score, and the status is 3") {
  const NeedlessBarriers folder;
  const RanJson ran = run_json({"mutate", folder.path("add_one.toml"), "--budget", "1ms"});
  CHECK(ran.status == 3);
  // The time may end before or after the mutants are generated.
  CHECK((ran.json.at("skipped") > 0 || ran.json.at("kernels").at(0).at("reason").is_string()));
  CHECK(ran.json.at("score").is_null());
}

TEST_CASE("a floor cannot be checked if some mutants were not tried") {
  const NeedlessBarriers folder;
  const RanJson ran = run_json(
      {"mutate", folder.path("add_one.toml"), "--cases", "1000000", "--budget", "3s", "--floor", "0"});
  CHECK(ran.status == 3);
  CHECK(ran.err.find("were not finished, so --floor cannot be checked; increase --budget") !=
        std::string::npos);
}

TEST_CASE(
    "a floor cannot be checked if a kernel has no mutants because its source was not compiled in time") {
  const Folder folder;
  folder.file("add_one.cu", "__global__ void add_one(int* data, unsigned count);");
  folder.file("add_one.toml", replaced(add_one_contract, "add_one.ptx", "add_one.cu"));
  const std::string nvcc = fake_nvcc(folder, "echo release 13.0", "sleep 60");
  const RanJson ran =
      run_json({"mutate", folder.path("add_one.toml"), "--nvcc", nvcc, "--budget", "500ms", "--floor", "0"});
  CHECK(ran.status == 3);
  CHECK(ran.err == "1 kernel has no result, so --floor cannot be checked\n");
}

TEST_CASE("a mutant that ran out of time before all of its cases is not a survivor") {
  const NeedlessBarriers folder;
  const RanJson ran =
      run_json({"mutate", folder.path("add_one.toml"), "--cases", "1000000", "--budget", "3s"});
  CHECK(ran.json.at("survived") == 0);
  CHECK(ran.json.at("skipped") > 0);
}

TEST_CASE("mutants of a kernel that has a finding itself are not scored") {
  const AddOne folder(replaced(add_one_contract, R"("data", "count")", R"("data", "count + 1")"));
  const RanJson ran = run_json({"mutate", folder.path("add_one.toml")});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("score").is_null());
  CHECK(ran.json.at("kernels").at(0).at("reason").get<std::string>().find(
            "the unmodified kernel has a finding, out-of-bounds") != std::string::npos);
}

TEST_CASE("mutate runs on the emulated device only") {
  const AddOne folder;
  const RanJson ran = run_json({"mutate", folder.path("add_one.toml"), "--device", "all"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("--device") != std::string::npos);
}

TEST_CASE(
    "a survivor annotated as equivalent is not counted; an annotated mutant that is killed fails the run") {
  const AddOne annotated(with_equivalent("always true"));
  const RanJson good = run_json({"mutate", annotated.path("add_one.toml"), "--floor", "100"});
  CHECK(good.status == 0);
  CHECK(good.json.at("equivalent") == 1);
  const AddOne killed(with_equivalent("always false"));
  for (const std::vector<std::string>& verb : {Names{"mutate"}, Names{"audit", "--prove"}}) {
    std::vector<std::string> arguments = verb;
    arguments.push_back(killed.path("add_one.toml"));
    const RanJson bad = run_json(arguments);
    CHECK(bad.status == 1);
    const auto& mutation = verb.size() == 1 ? bad.json : bad.json.at("mutation");
    CHECK(mutation.at("kernels").at(0).at("complaints").dump().find("it was detected") != std::string::npos);
  }
}

TEST_CASE("audit --prove reports each killed mutant with the finding that killed it") {
  const AddOne folder;
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--prove"});
  CHECK(ran.status == 0);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(ran.json.at("mutation").at("killed") == 2);
  CHECK(ran.json.at("mutation").at("kernels").at(0).at("mutants").size() == 3);

  const Ran text = run({"audit", "add_one.toml", "--prove"}, {std::chrono::milliseconds(0), folder.path()});
  CHECK(text.out.find("compare with gt instead of ge at add_one.ptx:15: reported as out-of-bounds\n") !=
        std::string::npos);
  CHECK(text.out.find("score 66.7 %: 2 killed, 1 survived") != std::string::npos);
}

TEST_CASE("an annotation that fits no mutant is refused before the audit runs") {
  // One element too few: if the audit ran, it would store a failing case.
  const AddOne folder(
      replaced(with_equivalent("always false", "mad.lo"), "count = \"count\"", "count = \"count - 1\""));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--prove"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("file") == folder.path("add_one.toml"));
  CHECK(ran.json.at("error").at("message").get<std::string>().find("has no mutant \"force-compare\"") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path("foldproof-cases")));
  CHECK(run({"audit", folder.path("add_one.toml")}).status == 1);
}

TEST_CASE("an interrupted run gives no score for what it did not check") {
  const NeedlessBarriers folder;
  const Ran ran =
      run({"mutate", folder.path("add_one.toml"), "--jobs", "1"}, {std::chrono::milliseconds(1000), {}});
  check_is_interrupted(ran);
  CHECK(ran.out.find("score 100") == std::string::npos);
  CHECK(ran.out.find(", 1 kernel without a result") != std::string::npos);
}

TEST_CASE("--prove also proves a guessed kernel whose warnings are only about other launches",
          "[nvcc][full]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("prove-guessed");
  const std::string source = folder.file("k.cu", R"cuda(
__global__ void sum(const float* in, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) *out = v;
}
void run(const float* in, float* out, int n) { sum<<<1, 32>>>(in, out, n); }
)cuda");
  const RanJson ran = run_json({"audit", source, "--prove", "--cases", "12"});
  REQUIRE(ran.json.at("kernels").at(0).at("verdict") == "findings");
  CHECK(ran.json.at("kernels").at(0).at("findings").at(0).at("severity") == "warning");
  CHECK(ran.json.at("mutation").at("killed") > 10);
}

TEST_CASE("a budget also limits --prove") {
  const NeedlessBarriers folder(400);
  const auto begin = std::chrono::steady_clock::now();
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "1", "--prove",
                                "--prove-budget", "20s", "--budget", "1s"});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(ran.json.at("mutation").at("skipped") > 0);
}

TEST_CASE("a kernel of very long PTX is not proven, and its audit is reported") {
  const AddOne folder;
  std::string comment;
  for (int line = 0; line < 17 << 10; ++line) comment += "// " + std::string(1020, 'x') + "\n";
  folder.file("add_one.ptx", replaced(add_one_ptx, "  mov.u32 %r4", comment + "  mov.u32 %r4"));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "1", "--prove"});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(ran.json.at("mutation").at("kernels").at(0).at("reason") ==
        "its PTX is larger than 16 MiB; `foldproof mutate` has no such limit");
}

TEST_CASE("a run of more than 131072 mutants tries none of the kernel that exceeds the number") {
  const AddOne folder;
  std::string comparisons;
  for (int k = 0; k < 45'000; ++k) comparisons += "  setp.ge.u32 %p1, %r2, %r3;\n";  // three mutants each
  folder.file("add_one.ptx", replaced(add_one_ptx, "  mov.u32 %r4", comparisons + "  mov.u32 %r4"));
  const RanJson ran = run_json({"mutate", folder.path("add_one.toml"), "--budget", "60s"});
  CHECK(ran.status == 3);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("mutants").empty());
  CHECK(kernel.at("reason") ==
        "the run has more than 131072 mutants; select some instances with --only or --shard");
}

TEST_CASE("if --prove fails, the audit is reported, with status 3") {
  const NeedlessBarriers folder;
  const std::string temporary = folder.path("temporary");
  std::filesystem::create_directory(temporary);
  // Removes the temporary folder of the audit while that runs, so that the next one cannot be created.
  std::thread remover([&] {
    std::error_code error;
    int seen = 0;  // in a row: other temporary folders exist for a moment only
    for (int k = 0; k < 1000 && seen < 20; ++k) {
      seen = std::filesystem::is_empty(temporary, error) ? 0 : seen + 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::filesystem::remove_all(temporary, error);
  });
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "80", "--prove"},
                               {.environment = {"TMPDIR=" + temporary}});
  remover.join();
  CHECK(ran.status == 3);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK_FALSE(ran.json.contains("mutation"));
  CHECK(ran.err.find("--prove failed: cannot create a temporary folder") != std::string::npos);
}

TEST_CASE("interrupting --prove keeps the audit's report and gives status 130") {
  const NeedlessBarriers folder(400);
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "1", "--prove",
                                "--prove-budget", "10m", "--report", folder.path("reports"), "--jobs", "1"},
                               {std::chrono::milliseconds(1500), {}});
  check_is_interrupted(ran);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(ran.json.at("mutation").at("kernels").at(0).at("reason") == "the run was interrupted");
  CHECK(std::filesystem::file_size(folder.path("reports/report.json")) > 0);
}
