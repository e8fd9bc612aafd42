// Cases of an audit: stored, replayed, or given with --case.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "catch.h"
#include "cli/add_one.h"
#include "nvcc.h"

using namespace foldproof::test;

TEST_CASE("a finding gives status 1, and its case is stored next to the contract and replayed") {
  const AddOne folder(too_short);
  const RanJson audited = run_json({"audit", folder.path("add_one.toml")});
  CHECK(audited.status == 1);
  const auto finding = audited.json.at("kernels").at(0).at("findings").at(0);
  CHECK(finding.at("kind") == "out-of-bounds");
  CHECK(finding.at("case").get<std::string>().find("count=1 ") == 0);  // shrunk

  const auto replay = finding.at("replay").get<std::string>();
  const std::string file = replay.substr(replay.rfind(' ') + 1);
  REQUIRE(replay.starts_with("foldproof replay "));
  CHECK(file.starts_with(folder.path("foldproof-cases")));
  const RanJson replayed = run_json({"replay", file});
  CHECK(replayed.status == 1);
  CHECK(replayed.json.at("kernels").at(0).at("findings").at(0).at("kind") == "out-of-bounds");
}

TEST_CASE("a replay command compiles with the flags of the audit", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  std::filesystem::create_directory(folder.path("include"));
  folder.file("include/excess.h", "constexpr int excess = EXCESS;\n");
  const std::string source = folder.file("sum.cu", R"(#include <excess.h>
__global__ void sum(const float* input, float* output, int count) {
  float total = 0;
  for (int i = 0; i < count + excess; ++i) total += input[i];
  *output = total;
}
)");
  const RanJson audited = run_json({"audit", source, "--as", "sum", "--cases", "4", "-I",
                                    folder.path("include"), "-D", "EXCESS=1", "--arch", "compute_80"});
  REQUIRE(audited.status == 1);
  std::istringstream command(
      audited.json.at("kernels").at(0).at("findings").at(0).at("replay").get<std::string>());
  const std::vector<std::string> words{std::istream_iterator<std::string>(command), {}};
  const std::string file = words.at(2);
  CHECK(run({words.begin() + 1, words.end()}).status == 1);
  CHECK(run({"replay", file}).status == 2);  // excess.h is not found
  CHECK(std::ranges::find(words, "compute_80") != words.end());
}

TEST_CASE("a case that was copied next to its contract is replayed, although it names another place") {
  const AddOne folder(too_short);
  const std::string far = folder.path("build/audits/foldproof-cases"), near = folder.path("foldproof-cases");
  std::filesystem::create_directories(folder.path("build/audits"));
  REQUIRE(run({"audit", folder.path("add_one.toml"), "--store", far}).status == 1);
  std::filesystem::rename(far, near);
  const auto stored = *std::filesystem::directory_iterator(near);
  CHECK(run({"replay", stored.path().string()}).status == 1);
  const RanJson audited = run_json({"audit", folder.path("add_one.toml"), "--cases", "1"});
  CHECK(audited.json.at("kernels").at(0).at("cases") == 2);
  CHECK(audited.json.at("kernels").at(0).at("not_audited").empty());
}

TEST_CASE("cases next to the contract run first even if another store is named") {
  const AddOne folder(too_short);
  REQUIRE(run({"audit", folder.path("add_one.toml")}).status == 1);
  const auto cases_with = [&](const std::string& store) {
    return run_json({"audit", folder.path("add_one.toml"), "--cases", "1", "--store", folder.path(store)})
        .json.at("kernels")
        .at(0)
        .at("cases")
        .get<int>();
  };
  CHECK(cases_with("another") == 2);
  CHECK(cases_with("another") == 2);  // the same case in both stores
  CHECK(cases_with("foldproof-cases") == 2);
  std::filesystem::remove_all(folder.path("foldproof-cases"));
  CHECK(cases_with("a third") == 1);
}

TEST_CASE("a case store in or below the audited folder is not searched for contracts") {
  for (const std::string store : {"mycases", "."}) {
    const AddOne folder(too_short);
    const auto audit = [&] {
      return run_json({"audit", folder.path().string(), "--store", folder.path(store)}).json;
    };
    const auto first = audit();
    REQUIRE(first.at("kernels").size() == 1);
    REQUIRE_FALSE(first.at("kernels").at(0).at("findings").empty());
    CHECK(audit().at("kernels").at(0).at("findings") == first.at("kernels").at(0).at("findings"));
    CHECK(run_json({"list", folder.path().string()}).json.at("kernels").size() == 1);

    const auto replay = first.at("kernels").at(0).at("findings").at(0).at("replay").get<std::string>();
    const RanJson kept = run_json({"audit", replay.substr(replay.rfind(' ') + 1)});
    CHECK(kept.status == 2);
    CHECK(kept.json.at("error").at("message") ==
          "this is a stored case, not a contract; run it with `" + replay + "`");
  }
}

TEST_CASE("a stored case for an instance that its contract does not have is refused in one sentence") {
  const AddOne folder;
  const std::string file = folder.file("case.toml",
                                       "format = 1\ncontract = \"add_one.toml\"\ninstance = \"B=7\"\n"
                                       "finding = \"out-of-bounds\"\n[case]\ndistribution = \"zeros\"\n"
                                       "seed = \"0\"\nschedule = \"converging\"\noffset = 0\ncalls = 1\n"
                                       "[case.variables]\nblock = 128\ncount = 1\ngrid = 1\n");
  const RanJson ran = run_json({"replay", file});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find(
            "has no instance \"B=7\"; it has changed since the case was stored") != std::string::npos);
}

TEST_CASE("the option --case accepts a case as reports print it") {
  const AddOne folder(too_short);
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--case",
                                "count=5 block=128 grid=1 zeros schedule=lanes-backward"});
  CHECK(ran.status == 1);
  CHECK(ran.json.at("kernels").at(0).at("cases") == 1);
}

TEST_CASE("the worst case of a guided search can be run again and has the same error") {
  const std::string kernel = source_file("kernels/tree/sequential.cu"), instance = "T=f32,OP=sum";
  const Folder store;
  const auto audit = [&](const std::string& option, const std::string& value) {
    // The cases of the default seed come as near to the bound as any.
    return run_json({"audit", kernel, "--only", instance, "--seed", "3", "--store", store.path().string(),
                     option, value})
        .json.at("kernels")
        .at(0);
  };
  const auto drawn = audit("--search", "0"), guided = audit("--search", "20");
  CHECK(drawn.at("cases") == guided.at("cases"));
  const double worst = guided.at("worst_error_over_bound").get<double>();
  CHECK(worst > drawn.at("worst_error_over_bound").get<double>());
  const auto again = audit("--case", guided.at("worst_case"));
  CHECK(again.at("worst_error_over_bound").get<double>() == worst);
  CHECK(again.at("worst_case") == guided.at("worst_case"));
}

TEST_CASE("a planted element can be given as a value or as bits, and is printed as a value of its type") {
  const auto audit = [](const std::string& instance, const std::string& elements) {
    return run_json({"audit", source_file("kernels/tree/sequential.cu"), "--only", instance, "--case",
                     "count=3 block=64 grid=1 k=6 zeros " + elements});
  };
  const RanJson ran = audit("T=f32,OP=sum", "x[0]=0.375 x[1]=0x3f800000 x[2]=-0x0p+0");
  CHECK(ran.status == 0);
  CHECK(
      ran.json.at("kernels").at(0).at("worst_case") ==
      "count=3 block=64 grid=1 k=6 zeros seed=0 schedule=converging x[0]=0x1.8p-2 x[1]=0x1p+0 x[2]=-0x0p+0");

  const auto error_of = [&](const std::string& instance, const std::string& elements) {
    return audit(instance, elements).json.at("error").at("message").get<std::string>();
  };
  CHECK(error_of("T=i32,OP=sum", "x[0]=0x1p+0") == "i32 cannot represent the planted value 0x1p+0");
  CHECK(error_of("T=f32,OP=sum", "x[0]=1,5").find("--case: x[0]: \"1,5\" is not the value of an element; ") ==
        0);
}

TEST_CASE("a stored case that was moved is replayed with the contract that is named") {
  const AddOne folder(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
  run({"audit", folder.path("add_one.toml"), "--cases", "20"});
  const Folder other;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("foldproof-cases")))
    if (entry.path().extension() == ".toml")
      std::filesystem::copy_file(entry, other.path("case.toml"),
                                 std::filesystem::copy_options::overwrite_existing);
  const RanJson lost = run_json({"replay", other.path("case.toml")});
  CHECK(lost.status == 2);
  CHECK(lost.json.at("error").at("message").get<std::string>().ends_with(
      "; name its contract with --contract"));
  const RanJson found =
      run_json({"replay", other.path("case.toml"), "--contract", folder.path("add_one.toml")});
  CHECK(found.status == 1);
  CHECK(found.json.at("kernels").at(0).at("findings").at(0).at("kind") == "out-of-bounds");
}
