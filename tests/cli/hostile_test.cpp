// Input that tries to harm the machine or its user.
#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "catch.h"
#include "cli/add_one.h"

using namespace foldproof::test;
namespace fs = std::filesystem;

namespace {

/// A contract with these flags. The flags create the file `evil` if a shell sees them.
int status_with_flag(const AddOne& folder, const std::string& flag) {
  std::string contract = replaced(add_one_contract, "add_one.ptx", "add_one.cu");
  contract = replaced(contract, "[source]", "[source]\nflags = ['" + flag + "']");
  folder.file("add_one.toml", contract);
  folder.file("add_one.cu", "extern \"C\" __global__ void add_one(int* data, unsigned count) {}");
  return run({"audit", folder.path("add_one.toml"), "--cases", "1"}).status;
}

}  // namespace

TEST_CASE("no flag of a contract runs a command") {
  const Folder elsewhere;
  const std::string evil = elsewhere.path("evil");
  const AddOne folder;
  for (const std::string& flag :
       {"-DX=$(touch " + evil + ")", "-DX=`touch " + evil + "`", "-DX=a\\\";touch " + evil + ";echo \\\"b",
        "-ccbin=" + elsewhere.file("g++", "#!/bin/sh\ntouch " + evil), "-Xcompiler=-wrapper,touch," + evil,
        "--keep-dir=" + elsewhere.path().string()}) {
    CHECK(status_with_flag(folder, flag) == 2);
    CHECK_FALSE(fs::exists(evil));
  }
}

TEST_CASE("no definition or include folder of the command line runs a command") {
  const Folder elsewhere;
  const std::string evil = elsewhere.path("evil");
  const AddOne folder;
  const std::string source =
      folder.file("k.cu", "extern \"C\" __global__ void add_one(int* data, unsigned count) {}");
  for (const auto& [option, value] : {std::pair("-D", "X=$(touch " + evil + ")"),
                                      {"-D", "X=`touch " + evil + "`"},
                                      {"-I", "`touch " + evil + "`"},
                                      {"--std", "c++17;touch " + evil}}) {
    INFO(value);
    const Ran ran = run({"audit", source, option, value});
    CHECK(ran.status == 2);
    CHECK(ran.err.find("which nvcc could pass to a shell") != std::string::npos);
    CHECK_FALSE(fs::exists(evil));
  }
}

TEST_CASE("the name of a folder runs no command") {
  const Folder outer;
  const std::string folder = outer.path("a`touch evil`");
  fs::create_directory(folder);
  std::ofstream(folder + "/k.cu") << "__global__ void k(int* x) { *x = 0; }";
  const Ran ran = run({"audit", folder + "/k.cu"}, {{}, {}, outer.path().string()});
  CHECK(ran.status == 2);
  CHECK(ran.err.find("contains the character `") != std::string::npos);
  CHECK_FALSE(fs::exists(outer.path("evil")));
}

TEST_CASE("replay does not compile the host functions of a contract that a case names") {
  const Folder folder;
  folder.file("k.cu", "void f(int* x, long long count) {}");
  folder.file("k.toml",
              "format = 1\n[domain]\ncount = 5\n[[launch]]\nentry = \"f\"\nhost = true\narguments = []\n");
  const std::string stored =
      folder.file("case.toml",
                  "format = 1\ncontract = \"k.toml\"\ninstance = \"\"\nfinding = "
                  "\"crash\"\n[case]\ndistribution = \"zeros\"\nseed = \"0\"\nschedule = \"converging\"\n"
                  "offset = 0\ncalls = 1\n[case.variables]\ncount = 5\n");
  const RanJson ran = run_json({"replay", stored});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").dump().find("--trust") != std::string::npos);
}

TEST_CASE("a FIFO as contract, source or case is refused at once") {
  const Folder folder;
  for (const char* name : {"k.cu", "k.toml", "k.ptx"}) REQUIRE(mkfifo(folder.path(name).c_str(), 0600) == 0);
  CHECK(run_json({"audit", folder.path("k.cu")}).status == 2);
  CHECK(run_json({"audit", folder.path("k.toml")}).status == 2);
  CHECK(run_json({"sanitize", folder.path("k.ptx"), "--entry", "k"}).status == 2);
  CHECK(run_json({"replay", folder.path("k.toml")}).status == 2);
  CHECK(run_json({"exact", "sum", "--type", "f32", folder.path("k.cu")}).status == 2);
}

TEST_CASE("a store with a link to an endless device does not stop an audit") {
  const AddOne folder;
  fs::create_directory(folder.path("foldproof-cases"));
  fs::create_symlink("/dev/zero", folder.path("foldproof-cases/endless.toml"));
  CHECK(run_json({"audit", folder.path("add_one.toml"), "--cases", "1"}).status == 0);
}

TEST_CASE("an option with an empty value is refused, as an unset variable leaves it") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"audit", ""},
                                                    {"audit", "--contract", ""},
                                                    {"audit", "--only", ""},
                                                    {"audit", "--store="},
                                                    {"mutate", "--entry", ""},
                                                    {"list", ""},
                                                    {"prepare", ""},
                                                    {"replay", ""},
                                                    {"audit", "--case", ""},
                                                    {"sanitize", "k.cu", "--entry", ""}}) {
    const RanJson ran = run_json(arguments);
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("is empty") != std::string::npos);
  }
}

TEST_CASE("a run of more than 16384 instances is refused before it begins") {
  const Folder folder;
  folder.file("add_one.ptx", add_one_ptx);
  for (int k = 0; k < 5; ++k) folder.file(fmt::format("k{}.toml", k), contract_with_many_instances());
  const std::string path = folder.path().string();
  for (const auto& verb : {std::vector<std::string>{"audit", path}, {"mutate", path, "--all-instances"}}) {
    const RanJson ran = run_json(verb);
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("message") ==
          "the run has 20480 instances, but the limit is 16384; select some with --only or --shard");
  }
  CHECK(run_json({"audit", path, "--only", "a=0,b=0", "--cases", "1"}).status == 0);
  CHECK(run_json({"audit", path, "--shard", "1/5000", "--cases", "1"}).status == 0);
}

TEST_CASE("a budget also limits the reading of contracts") {
  const Folder folder;
  folder.file("add_one.ptx", add_one_ptx);
  std::string words, variables;
  for (int k = 0; k < 64; ++k) words += fmt::format("\"{}\", ", k);
  for (int k = 0; k < 60; ++k) variables += fmt::format("v{} = \"1 .. 1000\"\n", k);
  std::string contract = replaced(add_one_contract, "[source]",
                                  fmt::format("types = {{ a = [{0}], b = [{0}] }}\n[source]", words));
  contract = replaced(contract, "[domain]\n", "[domain]\n" + variables);
  for (int k = 0; k < 30; ++k) folder.file(fmt::format("k{}.toml", k), contract);  // half a minute
  for (const char* const verb : {"audit", "mutate"}) {
    const auto begin = std::chrono::steady_clock::now();
    const RanJson ran = run_json({verb, folder.path().string(), "--budget", "500ms"});
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(4));
    CHECK(ran.status == 3);
    CHECK(ran.json.at("error").at("message") == "the time budget was exhausted while reading the input");
  }
}
