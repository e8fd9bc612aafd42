// foldproof bundle: an archive from which a stored case can be replayed anywhere.
#include <filesystem>
#include <string>

#include "base/child.h"
#include "catch.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;
using foldproof::tests::contains_text;

namespace {

namespace fs = std::filesystem;

/// A kernel that loses an element, and the stored case that shows it.
class Failing {
 public:
  explicit Failing(const std::string& name) : folder_(name) {
    for (const char* sub : {"project/kernels/parts", "other"}) fs::create_directories(folder_.path() / sub);
    folder_.file("other/outside.h", "#define OUTSIDE 0\n");
    folder_.file("project/kernels/parts/first.h", "#define FIRST 1\n");
    folder_.file("project/kernels/k.cu",
                 "#include \"parts/first.h\"\n#include \"../../other/outside.h\"\n"
                 "__global__ void k(const float* x, float* y, int n) {\n"
                 "  float s = 0;\n  for (int i = FIRST + OUTSIDE; i < n; ++i) s += x[i];\n  *y = s;\n}\n");
    folder_.file("project/kernels/k.toml",
                 "format = 1\n[reduction]\noperator = \"sum\"\ninput = \"f32\"\n[domain]\n"
                 "count = \"0 .. 64\"\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n"
                 "arguments = [\"input\", \"output\", \"count\"]\n");
    run({"audit", folder_.path("project/kernels/k.toml"), "--cases", "4"});
    for (const auto& file : fs::directory_iterator(folder_.path() / "project/kernels/foldproof-cases"))
      if (file.path().string().find("not-used") != std::string::npos) case_ = file.path().string();
  }

  const std::string& stored() const { return case_; }
  std::string path(const std::string& name) const { return folder_.path(name); }
  /// Extracts the archive into the folder of that name.
  fs::path extracted(const std::string& archive, const std::string& name) const {
    const fs::path to = folder_.path() / name;
    fs::create_directories(to);
    foldproof::run_process({"tar", "-xzf", archive, "-C", to.string()}, to);
    return to / fs::path(case_).stem();
  }

 private:
  Folder folder_;
  std::string case_;
};

}  // namespace

TEST_CASE("a bundle contains what a replay reads, and is replayed elsewhere", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Failing failing("bundle");
  REQUIRE_FALSE(failing.stored().empty());
  const std::string archive = failing.path("report.tar.gz");
  const RanJson ran = run_json({"bundle", failing.stored(), "--output", archive});
  INFO(ran.json.dump() << ran.err);
  REQUIRE(ran.status == 0);
  CHECK(ran.json.at("archive") == archive);
  CHECK(ran.json.at("files") == nlohmann::json{"k.cu", "k.toml", "parts/first.h"});
  CHECK(ran.json.at("left_out") == nlohmann::json{failing.path("other/outside.h")});

  const fs::path there = failing.extracted(archive, "elsewhere");
  CHECK(fs::file_size(there / "foldproof-bundle/kernel.ptx") > 0);
  // "../../other/outside.h", which was left out, is the same file from there.
  const Folder reader("bundle-reader");
  const std::string stored = (there / "foldproof-cases" / fs::path(failing.stored()).filename()).string();
  fs::rename(failing.path("project"), failing.path("moved"));
  const Ran again = run({"replay", stored}, {.folder = reader.path()});
  INFO(again.out << again.err);
  CHECK(again.status == 1);
  CHECK_THAT(again.out, contains_text("error[input-not-used]"));
}

TEST_CASE("a bundle is written to the current folder unless --output names a file", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Failing failing("bundle-default");
  const Folder here("bundle-here");
  const Ran ran = run({"bundle", failing.stored()}, {.folder = here.path()});
  INFO(ran.err);
  CHECK(ran.status == 0);
  const std::string name = fs::path(failing.stored()).stem().string() + ".tar.gz";
  CHECK(fs::exists(here.path() / name));
  CHECK_THAT(ran.out, contains_text(name + " was written"));
  CHECK_THAT(ran.err, contains_text("not packed"));
}

TEST_CASE("a bundle of a case that names a file elsewhere needs --trust", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Failing failing("bundle-trust");
  const Folder store("bundle-store");
  fs::create_directories(store.path() / "cases");
  run({"audit", failing.path("project/kernels/k.toml"), "--cases", "4", "--store", store.path("cases")});
  REQUIRE_FALSE(fs::is_empty(store.path() / "cases"));
  for (const auto& file : fs::directory_iterator(store.path() / "cases")) {
    const Ran ran = run({"bundle", file.path().string()}, {.folder = store.path()});
    CHECK(ran.status == 2);
    CHECK_THAT(ran.err, contains_text("run this command in a folder that contains it, or pass --trust"));
  }
}

TEST_CASE("a bundle of a guessed contract contains headers and the project file, which the replay finds",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("bundle-guessed"), elsewhere("bundle-unpacked");
  fs::create_directories(folder.path() / "src");
  folder.file("foldproof.toml", "flags = [\"-DSKIPPED=1\"]\n");
  folder.file("src/index.h", "#define FIRST SKIPPED\n");
  folder.file("src/sum.cu",
              "#include \"index.h\"\n__global__ void sum(const float* x, float* y, int n) {\n"
              "  float s = 0;\n  for (int i = FIRST; i < n; ++i) s += x[i];\n  *y = s;\n}\n"
              "void launch(const float* x, float* y, int n) { sum<<<1, 1>>>(x, y, n); }\n");
  CHECK(run({"audit", folder.path("src/sum.cu"), "--cases", "4"}).status == 1);
  fs::path stored;
  for (const auto& file : fs::directory_iterator(folder.path() / "src/foldproof-cases")) stored = file.path();
  REQUIRE_FALSE(stored.empty());
  const RanJson ran = run_json({"bundle", stored.string(), "--output", elsewhere.path("b.tar.gz")});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.json.at("files") == nlohmann::json{"foldproof.toml", "src/index.h", "src/sum.cu"});
  fs::rename(folder.path() / "src", folder.path() / "moved");
  foldproof::run_process({"tar", "-xzf", elsewhere.path("b.tar.gz"), "-C", elsewhere.path().string()},
                         elsewhere.path());
  const Ran again =
      run({"replay", (elsewhere.path() / stored.stem() / "foldproof-cases" / stored.filename()).string()},
          {.folder = elsewhere.path()});
  INFO(again.out << again.err);
  CHECK(again.status == 1);
}
