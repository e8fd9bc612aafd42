// Carries out the commands of the tutorial and of the how-to guides, and compares what they print with the
// page.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/child.h"
#include "base/files.h"
#include "catch.h"
#include "nvcc.h"
#include "page.h"

using namespace foldproof;
using namespace foldproof::tests;

namespace {

namespace fs = std::filesystem;

/// A folder in which the reader of one page works; the commands find the built program and its CMake package.
class Desk {
 public:
  explicit Desk(const std::string& page) : folder_(fs::path(FOLDPROOF_PAGES_WORK) / page) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void write(const PageFile& file) const {
    fs::create_directories((folder_ / file.name).parent_path());
    write_output(folder_ / file.name, file.content);
  }

  /// A command must succeed if the page shows no line of its output.
  void carry_out(const PageCommand& step) const {
    INFO("$ " << step.command);
    const std::string build = fs::path(FOLDPROOF_PROGRAM).parent_path().string();
    const ProcessResult ran = run_process(
        {"bash", "-c", "export PATH=\"$1:$PATH\" foldproof_DIR=\"$1\" NO_COLOR=1; cd \"$2\" && eval \"$3\"",
         "bash", build, folder_.string(), step.command},
        fs::temp_directory_path());
    INFO(ran.output);
    const bool shows_none =
        std::ranges::all_of(step.output, [](const std::string& line) { return line == "..."; });
    if (shows_none)
      CHECK(ran.status == 0);
    else
      CHECK(shows(step.output, ran.output));
  }

 private:
  fs::path folder_;
};

std::vector<fs::path> pages() {
  const fs::path root = FOLDPROOF_SOURCE_DIR;
  std::vector<fs::path> found;
  for (const char* folder : {"", "docs", "docs/how-to", "kernels", "kernels/defects"})
    for (const auto& entry : fs::directory_iterator(root / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

std::string text_of(const fs::path& page) { return read_text_file(page, std::size_t{1} << 20); }

/// Whether the link leads to a file or folder and, if it names a heading of a page, to that heading.
bool leads_somewhere(const fs::path& page, const std::string& link) {
  const std::string file = link.substr(0, link.find('#'));
  const fs::path target = file.empty() ? page : page.parent_path() / file;
  if (!fs::exists(target)) return false;
  if (file.size() == link.size()) return true;
  const auto anchors = anchors_of(text_of(target));
  return std::ranges::find(anchors, link.substr(file.size() + 1)) != anchors.end();
}

void carry_out(const std::string& page) {
  if (lacks_nvcc()) return;
  const auto steps = steps_of(text_of(fs::path(FOLDPROOF_SOURCE_DIR "/docs") / page));
  REQUIRE_FALSE(steps.empty());
  const Desk desk(page);
  for (const PageStep& step : steps)
    if (const auto* file = std::get_if<PageFile>(&step))
      desk.write(*file);
    else
      desk.carry_out(std::get<PageCommand>(step));
}

}  // namespace

TEST_CASE("every link of a page leads to a file and to a heading") {
  for (const fs::path& page : pages())
    for (const std::string& link : local_links_of(text_of(page))) {
      INFO(page.string() << ": " << link);
      CHECK(leads_somewhere(page, link));
    }
}

TEST_CASE("the steps of a page are its files and commands, in order") {
  const auto steps = steps_of(
      "Text.\n\n```cuda file=k.cu\nint k;\n```\n\n```console\n$ cat k.cu\nint k;\n$ rm "
      "k.cu\n```\n\n```sh\nrm -rf /\n```\n");
  REQUIRE(steps.size() == 3);
  CHECK(std::get<PageFile>(steps[0]).content == "int k;\n");
  CHECK(std::get<PageCommand>(steps[1]).output == std::vector<std::string>{"int k;"});
  CHECK(std::get<PageCommand>(steps[2]).command == "rm k.cu");
}

TEST_CASE("an output may differ from its page in times and in lines that the page leaves out") {
  CHECK(shows({"first", "...", "sum  clean  0.2 s"}, "first\nsecond\nsum  clean   12 s\n"));
  CHECK_FALSE(shows({"first"}, "first\nsecond\n"));
  CHECK_FALSE(shows({"first", "...", "2 clean"}, "first\n1 clean\n"));
}

TEST_CASE("the commands of the tutorial print what it shows", "[nvcc]") { carry_out("tutorial.md"); }

TEST_CASE("the commands of the how-to guides print what they show", "[nvcc]") {
  carry_out(GENERATE(as<std::string>(), "how-to/ci.md", "how-to/gpu-nightly.md", "how-to/ptx.md",
                     "how-to/suppressions.md"));
}
