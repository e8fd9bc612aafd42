// foldproof.toml: defaults for the kernels below its folder.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "catch.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

namespace fs = std::filesystem;

/// A project with a kernel in a folder of its own.
class Project {
 public:
  /// `name`: of its folder, which no other test has.
  explicit Project(const std::string& name) : folder_("project-" + name) {
    fs::create_directories(kernels());
    folder_.file("kernels/k.cu",
                 "#ifndef RIGHT\n#define RIGHT 0\n#endif\n"
                 "__global__ void k(const float* x, float* y, int n) {\n"
                 "  float s = 0;\n  for (int i = 0; i < n - 1 + RIGHT; ++i) s += x[i];\n  *y = s;\n}\n");
    contract("");
  }

  fs::path kernels() const { return folder_.path() / "kernels"; }
  std::string file(const std::string& name, const std::string& text) const {
    return folder_.file(name, text);
  }
  void contract(const std::string& source) const {
    folder_.file("kernels/k.toml", "format = 1\n" + source +
                                       "[reduction]\noperator = \"sum\"\ninput = \"f32\"\n[domain]\n"
                                       "count = \"0 .. 64\"\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n"
                                       "arguments = [\"input\", \"output\", \"count\"]\n");
  }
  /// With a project file of that text, and further options.
  Ran audited(const std::string& text, std::vector<std::string> more = {}) const {
    file("foldproof.toml", text);
    std::vector<std::string> words{"audit", (kernels() / "k.toml").string(), "--cases", "4"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

 private:
  Folder folder_;
};

TEST_CASE("flags of a project file apply to the kernels below its folder", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Project project("flags");
  const Ran right = project.audited("flags = [\"-DRIGHT=1\"]\n");
  CHECK(right.status == 0);
  CHECK(right.err.find("using the project file ") != std::string::npos);
  CHECK(project.audited("flags = [\"-DRIGHT=1\"]\n", {"--project", "none"}).status == 1);
  CHECK(project.audited("arch = \"compute_80\"\n").status == 1);
}

TEST_CASE("flags of a contract, and options, take precedence over those of a project file", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Project project("precedence");
  CHECK(project.audited("flags = [\"-DRIGHT=0\"]\n", {"-D", "RIGHT=1"}).status == 0);
  project.contract("[source]\nflags = [\"-DRIGHT=1\"]\n");
  CHECK(project.audited("flags = [\"-DRIGHT=0\"]\n").status == 0);
}

TEST_CASE("failing cases go to the store of the project file, and a replay knows its flags", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Project project("store");
  CHECK(project.audited("store = \"build/cases\"\nflags = [\"-DRIGHT=0\"]\n").status == 1);
  const fs::path store = project.kernels().parent_path() / "build/cases";
  REQUIRE(fs::exists(store));
  CHECK_FALSE(fs::exists(project.kernels() / "foldproof-cases"));
  CHECK(run({"replay", fs::directory_iterator(store)->path().string()}).status == 1);
}

TEST_CASE("the nearest project file is used, up to the folder of a repository") {
  const Project project("nearest");
  project.file("foldproof.toml", "outer = 1\n");
  const auto error = [&] { return run({"audit", project.kernels().string(), "--cases", "1"}).err; };
  CHECK(error().find("a project file has no key \"outer\"") != std::string::npos);
  project.file("kernels/foldproof.toml", "inner = 1\n");
  CHECK(error().find("a project file has no key \"inner\"") != std::string::npos);
  fs::remove(project.kernels() / "foldproof.toml");
  fs::create_directory(project.kernels() / ".git");
  CHECK(error().find("project file") == std::string::npos);
}

TEST_CASE("a note names project files below an audited folder, which are not used") {
  const Project project("below");
  project.file("kernels/foldproof.toml", "inner = 1\n");
  const Ran ran = run({"audit", project.kernels().parent_path().string(), "--cases", "1"});
  CHECK(ran.err.find("not using the project file ") != std::string::npos);
  CHECK(ran.err.find("has no key") == std::string::npos);
}

TEST_CASE("what a project file must not say is refused with its line") {
  const Project project("refused");
  const auto error = [&](const std::string& text) { return project.audited(text).err; };
  CHECK(error("flags = [\"-ccbin=x\"]\n")
            .find("foldproof.toml:1:11: error: the flag \"-ccbin=x\" is not allowed") != std::string::npos);
  CHECK(error("flags = [3]\n").find("\"flags\" must be an array of strings") != std::string::npos);
  CHECK(error("flags = [\"-DX=$(x)\"]\n").find("contains the character $") != std::string::npos);
  for (const char* store : {"../x", "/tmp/x", "a/../../x"})
    CHECK(
        error("store = \"" + std::string(store) + "\"\n").find("must be in the folder of the project file") !=
        std::string::npos);
  CHECK(error("fail_on = \"never\"\n").find("must be \"error\" or \"warning\"") != std::string::npos);
  CHECK(error("archs = \"x\"\n").find("did you mean \"arch\"?") != std::string::npos);
  CHECK(error("arch = \"\"\n").find("must be a string that is not empty") != std::string::npos);
}

TEST_CASE("a project file of another user is refused unless it is named") {
  if (geteuid() != 0) return;  // only root can give a file away
  const Project project("owner");
  const std::string file = project.file("foldproof.toml", "fail_on = \"error\"\n");
  REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
  const std::string kernels = project.kernels().string();
  CHECK(run({"audit", kernels, "--cases", "1"}).err.find("belongs to another user") != std::string::npos);
  CHECK(run({"audit", kernels, "--cases", "1", "--project", file}).err.find("another user") ==
        std::string::npos);
}

}  // namespace
