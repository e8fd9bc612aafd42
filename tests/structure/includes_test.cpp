// Checks that the modules include each other only as the table in docs/architecture.md allows.
#include "structure/includes.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "catch.h"

namespace foldproof::structure {
namespace {

namespace fs = std::filesystem;
using Sentences = std::vector<std::string>;

const fs::path root = FOLDPROOF_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// C++ files below the top folders, without tests, kernels, examples and build folders, which are not
/// modules.
std::vector<SourceFile> sources() {
  const std::set<std::string> code{".h", ".cpp", ".def", ".inc"};
  std::vector<SourceFile> files;
  for (const fs::directory_entry& top : fs::directory_iterator(root)) {
    const std::string name = top.path().filename();
    const bool is_module = top.is_directory() && fs::exists(top.path() / "CMakeLists.txt") &&
                           name != "tests" && name != "kernels" && !fs::exists(top.path() / "CMakeCache.txt");
    if (!is_module) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top.path()))
      if (code.contains(entry.path().extension()))
        files.push_back({entry.path().lexically_relative(root).generic_string(), text_of(entry.path())});
  }
  return files;
}

const std::string table = R"(
| module | owns | may use |
|---|---|---|
| `base/` | what all need | – |
| `devices/` | runners | `base/` |
| `devices/cuda/` | a GPU | `base/`, `devices/` |
| `devices/host/` | host functions | `devices/` |
| `contracts/` | TOML | `base/`, `devices/image.h` |
| `properties/` | cases | `base/`, `devices/` |
| `cli/` | verbs | all, `contracts/loading/toml.h` |
)";

Sentences forbidden(const std::string& path, const std::string& header) {
  return forbidden_includes(modules_in(table), {{path, "// a comment\n#include \"" + header + "\"\n"}});
}

TEST_CASE("each module includes only public headers of modules that it may use") {
  const std::vector<Module> modules = modules_in(text_of(root / "docs/architecture.md"));
  const std::vector<SourceFile> files = sources();
  CHECK(files.size() > 300);
  CHECK(forbidden_includes(modules, files) == Sentences{});
  CHECK(files_without_module(modules, files) == Sentences{});
}

TEST_CASE("every module of the table exists") {
  for (const Module& module : modules_in(text_of(root / "docs/architecture.md"))) {
    INFO(module.folder);
    CHECK(fs::is_directory(root / module.folder));
    for (const std::string& name : module.may_use) CHECK(fs::exists(root / name));
  }
}

TEST_CASE("including a higher module is forbidden") {
  CHECK(forbidden("base/text.cpp", "devices/runner.h") ==
        Sentences{"base/text.cpp includes devices/runner.h, but base/ may not use devices/"});
  CHECK(forbidden("devices/host/code.cpp", "base/error.h") ==
        Sentences{"devices/host/code.cpp includes base/error.h, but devices/host/ may not use base/"});
}

TEST_CASE("including an internal header of another module is forbidden") {
  CHECK(forbidden("cli/main.cpp", "properties/inputs/fills.h") ==
        Sentences{
            "cli/main.cpp includes properties/inputs/fills.h, which is not a public header of properties/"});
}

TEST_CASE("a module's own headers and the public headers that it may use are allowed") {
  CHECK(forbidden("properties/audit.cpp", "properties/inputs/fills.h").empty());
  CHECK(forbidden("properties/audit.cpp", "devices/runner.h").empty());
  CHECK(forbidden("devices/cuda/context.cpp", "devices/runner.h").empty());
  CHECK(forbidden("cli/main.cpp", "base/error.h").empty());
}

TEST_CASE("permission for a module includes its nested modules, except for its siblings") {
  CHECK(forbidden("properties/large.cpp", "devices/cuda/context.h").empty());
  CHECK(forbidden("devices/host/code.cpp", "devices/cuda/context.h").size() == 1);
  CHECK(forbidden("devices/runner.cpp", "devices/cuda/context.h").size() == 1);
}

TEST_CASE("the table can allow a single header, public or internal") {
  CHECK(forbidden("cli/main.cpp", "contracts/loading/toml.h").empty());
  CHECK(forbidden("contracts/compile.h", "devices/image.h").empty());
  CHECK(forbidden("contracts/compile.h", "devices/runner.h").size() == 1);
}

TEST_CASE("a folder without a row in the table is reported") {
  CHECK(files_without_module(modules_in(table), {{"extra/a.cpp", ""}, {"base/a.cpp", ""}}) ==
        Sentences{"extra/a.cpp is in no module; add a row for extra/"});
}

TEST_CASE("a page without the table is refused") { CHECK_THROWS(modules_in("| a | b |\n|---|---|\n")); }

}  // namespace
}  // namespace foldproof::structure
