// Relative paths through symbolic links, which a checkout may contain: nothing is written to their targets.
#include "catch.h"
#include "cli/add_one.h"

using namespace foldproof::test;
namespace fs = std::filesystem;

namespace {

/// repo/link leads to victim, which has kernels and a failing contract.
struct LinkedRepository : Folder {
  LinkedRepository() {
    for (const char* const name : {"repo", "victim"}) fs::create_directory(path(name));
    fs::create_directory_symlink("../victim", path("repo/link"));
    file("victim/add_one.ptx", add_one_ptx);
    file("victim/wrong.toml", replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
    file("victim/past_tile.ptx", past_tile_ptx);
  }
  RanJson run(const std::vector<std::string>& arguments) const {
    return run_json(arguments, {.folder = path()});
  }
  std::size_t files_of_victim() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path("victim")), fs::directory_iterator()));
  }
};

}  // namespace

TEST_CASE("an audit of a contract or a source behind a link stores no case there, and says why") {
  const LinkedRepository folder;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"audit", "repo/link/wrong.toml", "--cases", "5"},
        {"audit", "repo/link/past_tile.ptx", "--cases", "5", "--as", "sum"}}) {
    const RanJson ran = folder.run(arguments);
    INFO(ran.json.dump());
    CHECK(ran.status == 1);
    const auto& kernel = ran.json.at("kernels").at(0);
    CHECK(kernel.at("findings").at(0).at("replay").is_null());
    CHECK(kernel.at("notes").dump().find("the failing case could not be stored in repo/link/foldproof-cases "
                                         "(repo/link: this is a symbolic link") != std::string::npos);
    CHECK(folder.files_of_victim() == 3);
  }
}

TEST_CASE("init writes no contract through a link, not even with --force") {
  const LinkedRepository folder;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"init", "repo/link/past_tile.ptx"},
        {"init", "repo/link/past_tile.ptx", "--force"}}) {
    const RanJson ran = folder.run(arguments);
    INFO(ran.json.dump());
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("file") == "repo/link");
    CHECK(ran.json.at("error").at("message").get<std::string>().find("symbolic link") != std::string::npos);
  }
  CHECK(folder.files_of_victim() == 3);
  CHECK(folder.run({"init", "victim/past_tile.ptx"}).status == 0);
  CHECK(fs::exists(folder.path("victim/past_tile.toml")));
}

TEST_CASE("init names a source that does not exist") {
  const LinkedRepository folder;
  const RanJson ran = folder.run({"init", "none/k.cu"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("file") == "none/k.cu");
}
