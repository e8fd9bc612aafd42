// An nvcc that fails, is killed or lacks something.
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <utility>

#include "base/memory.h"
#include "catch.h"
#include "cli/fake_nvcc.h"

using namespace foldproof::test;

TEST_CASE("a temporary folder that cannot be written or does not exist gives status 3") {
  const Folder folder;
  const std::string source = folder.file("k.cu", "__global__ void k() {}\n");
  const std::string nvcc = fake_nvcc(folder, "echo release 13.0", "exit 1");
  for (const char* const temporary : {"/proc", "/nowhere"}) {
    const How how{.environment = {fmt::format("TMPDIR={}", temporary)}};
    const RanJson ran = run_json({"sanitize", source, "--entry", "k", "--nvcc", nvcc}, how);
    CHECK(ran.status == 3);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("TMPDIR") != std::string::npos);
  }
}

TEST_CASE("an nvcc that is killed gives status 3, whether it compiles or reports its version") {
  const Folder folder;
  const std::string source = folder.file("k.cu", "__global__ void k() {}\n");
  for (const auto& [version, compile] :
       {std::pair("echo release 13.0", "kill -9 $$"), {"kill -9 $$", "exit 1"}}) {
    const std::string nvcc = fake_nvcc(folder, version, compile);
    const RanJson ran = run_json({"sanitize", source, "--entry", "k", "--nvcc", nvcc});
    INFO(ran.json.dump());
    CHECK(ran.status == 3);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("was terminated by signal 9") !=
          std::string::npos);
  }
}

TEST_CASE("an nvcc that lacks memory, space or a program gives status 3 and names the source") {
  const Folder folder;
  const std::string source = folder.file("k.cu", "__global__ void k() {}\n");
  const auto [said, sentence] = GENERATE(table<std::string, std::string>(
      {{"cc1plus: out of memory allocating 1073741840 bytes after a total of 2043904 bytes",
        "nvcc needs more than "},
       {"gcc: internal compiler error: File size limit exceeded signal terminated program cc1plus",
        "a file that nvcc writes exceeds the file size limit"},
       {"fatal error: error writing to k.s: No space left on device",
        "nvcc cannot write its temporary files"},
       {"nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
        "a program that nvcc started was terminated by a signal"},
       {"nvcc: Terminated", "nvcc was terminated by a signal"}}));
  const std::string nvcc = fake_nvcc(folder, "echo release 13.0", "echo \"" + said + "\"; exit 1");
  const RanJson ran = run_json({"sanitize", source, "--entry", "k", "--nvcc", nvcc});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("error").at("message").get<std::string>().find(sentence) == 0);
  CHECK(ran.json.at("error").at("file") == source);
}

#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes
TEST_CASE("nvcc has a memory limit") {
  const Folder folder;
  const std::string source = folder.file("k.cu", "__global__ void k() {}\n");
  const std::string limit = folder.path("limit");
  const std::string nvcc =
      fake_nvcc(folder, "echo release 13.0", "sleep 0.1; ulimit -d > " + limit + "; exit 1");
  run({"sanitize", source, "--entry", "k", "--nvcc", nvcc});
  std::uint64_t kibibytes = 0;  // remains 0 for "unlimited"
  std::ifstream(limit) >> kibibytes;
  CHECK(kibibytes == foldproof::memory_share(1, 1) / 1024);
}
#endif

TEST_CASE("an nvcc that succeeds without an output gives status 3") {
  const Folder folder;
  const std::string source = folder.file("k.cu", "__global__ void k() {}\n");
  const char* const compile = GENERATE("exit 0", "while [ \"$1\" != -o ]; do shift; done; : > \"$2\"");
  const std::string nvcc = fake_nvcc(folder, "echo release 13.0", compile);
  const RanJson ran = run_json({"sanitize", source, "--entry", "k", "--nvcc", nvcc});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("error").at("message") ==
        nvcc + " exited without an error but wrote no PTX; is it nvcc?");
  CHECK(ran.json.at("error").at("file") == source);
}
