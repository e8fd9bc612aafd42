// Output that cannot be written, and limits on the size of files, descriptors and memory.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/bytes.h"
#include "catch.h"
#include "cli/add_one.h"
#include "cli/fake_nvcc.h"
#include "cli/interrupted.h"
#include "session.h"

using namespace foldproof::test;
namespace fs = std::filesystem;

namespace {

/// A kernel with a finding.
struct Failing : AddOne {
  Failing() : AddOne(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\"")) {}
  RanJson audit(const std::vector<std::string>& further) const {
    std::vector<std::string> arguments{"audit", path("add_one.toml"), "--cases", "5"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    return run_json(arguments);
  }
};

/// The notes of a report's only instance that say that a case was not stored.
std::vector<std::string> notes_about_storing(const RanJson& ran) {
  std::vector<std::string> notes;
  for (const auto& note : ran.json.at("kernels").at(0).at("notes"))
    if (note.get<std::string>().find("the failing case could not be stored in ") == 0) notes.push_back(note);
  return notes;
}

/// The finding must be reported with its case and without a replay, and one note must give the reason.
void check_is_not_stored(const RanJson& ran, const std::string& reason) {
  INFO(ran.json.dump());
  CHECK(ran.status == 1);
  const auto& finding = ran.json.at("kernels").at(0).at("findings").at(0);
  CHECK(finding.at("case").is_string());
  CHECK(finding.at("replay").is_null());
  const std::vector<std::string> notes = notes_about_storing(ran);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find(reason) != std::string::npos);
  CHECK(notes[0].find("; choose another folder with --store") != std::string::npos);
}

/// Runs with --format json after a command of the shell, such as ulimit, with only the standard descriptors.
/// Standard output is a pipe, to which no limit on file sizes applies.
RanJson run_after(const std::string& first, const std::string& arguments) {
  const Folder folder;
  const std::string out = folder.path("out");
  const std::string command = fmt::format(
      "(exec 2> {} 3>&- 4>&- 5>&-; {}; exec {} {} --format json) | cat > {}; exit ${{PIPESTATUS[0]}}",
      folder.path("err"), first, FOLDPROOF_PROGRAM, arguments, out);
  const Ran ran = run({"-c", command}, {.program = "/bin/bash"});
  std::string text;
  std::getline(std::ifstream(out), text, '\0');
  INFO(command << "\n" << text);
  CHECK(std::ranges::count(text, '\n') == 1);
  return {ran.status, nlohmann::json::parse(text, nullptr, false), ""};
}

}  // namespace

TEST_CASE("a full or closed standard error changes neither the result nor the status") {
  const AddOne folder(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
  const std::string audit = std::string(FOLDPROOF_PROGRAM) + " audit --format json --cases 5 " +
                            folder.path("add_one.toml") + " 2>";
  for (const char* to : {"/dev/full", "&-"}) {
    const std::string out = folder.path("out");
    const int status = std::system((audit + to + " > " + out).c_str());
    CHECK(WEXITSTATUS(status) == 1);
    CHECK(nlohmann::json::parse(std::ifstream(out)).at("kernels").size() == 1);
  }
}

TEST_CASE("findings give status 1 even if standard output is full") {
  const AddOne folder(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
  const std::string contract = folder.path("add_one.toml"), source = folder.path("add_one.ptx");
  for (const std::string& command :
       {"audit --format text --cases 5 " + contract, "audit --format json --cases 5 " + contract,
        "sanitize --entry add_one --grid 1 --block 8 --arg buffer:i32:4:iota --arg u32:8 " + source}) {
    INFO(command);
    const std::string line = fmt::format("{} {} > /dev/full 2> /dev/null", FOLDPROOF_PROGRAM, command);
    CHECK(WEXITSTATUS(std::system(line.c_str())) == 1);
  }
}

TEST_CASE("a failing case that cannot be stored is reported with the reason") {
  const Failing folder;
  const std::string file = folder.file("a file", "");
  check_is_not_stored(folder.audit({"--store", file}), "a file (not a folder)");
  check_is_not_stored(folder.audit({"--store", file + "/below"}), "not a folder");
  check_is_not_stored(folder.audit({"--store", "/proc/store"}), "/proc/store (");
  CHECK(run({"audit", folder.path("add_one.toml"), "--cases", "5", "--store", file})
            .out.find("note: the failing case could not be stored in ") != std::string::npos);
}

TEST_CASE("a case of a contract whose name is not UTF-8 is not stored, and the next audit runs") {
  const Failing folder;
  const std::string contract = folder.path("k\xff.toml"), store = folder.path("store");
  fs::rename(folder.path("add_one.toml"), contract);
  for (int i = 0; i < 2; ++i)
    check_is_not_stored(run_json({"audit", contract, "--cases", "5", "--store", store}), "is not UTF-8");
}

TEST_CASE("a report, a store and a drawing are not written through a symbolic link") {
  const Failing folder;
  fs::create_directory(folder.path("victim"));
  fs::create_directory_symlink(folder.path("victim"), folder.path("link"));
  for (const auto& output : {std::vector<std::string>{"audit", "--report", "link"},
                             {"audit", "--report", "link/"},
                             {"audit", "--report", "link/report"},
                             {"audit", "--store", "link"},
                             {"audit", "--store", "link/cases"},
                             {"audit", "--report", folder.path("link")},
                             {"tree", "--svg", "link/tree.svg"}}) {
    std::vector<std::string> arguments = output;
    arguments.emplace_back("add_one.toml");
    const RanJson ran = run_json(arguments, {.folder = folder.path()});
    INFO(ran.json.dump());
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("symbolic link") != std::string::npos);
  }
  CHECK(fs::is_empty(folder.path("victim")));
}

TEST_CASE("a symbolic link in place of the store or of a stored case is not followed") {
  const Failing folder;
  const std::string store = folder.path("foldproof-cases"), moved = folder.path("moved");
  const std::string kept = folder.file("kept", "");
  const RanJson stored = folder.audit({});
  CHECK(stored.json.at("kernels").at(0).at("findings").at(0).at("replay").is_string());
  fs::rename(store, moved);
  fs::create_directory_symlink(moved, store);
  check_is_not_stored(folder.audit({}), "foldproof-cases is a symbolic link");
  const std::vector<fs::path> cases{fs::directory_iterator(moved), fs::directory_iterator()};
  for (const fs::path& file : cases) {
    fs::remove(file);
    fs::create_symlink(kept, file);
  }
  check_is_not_stored(folder.audit({"--store", moved}), "is a symbolic link");
  CHECK(fs::file_size(kept) == 0);
}

TEST_CASE("output beyond the file-size limit gives one JSON object, and status 3 without a finding") {
  const Failing folder;
  const std::string contract = folder.path("add_one.toml");
  const RanJson report = run_after("ulimit -f 1", fmt::format("audit {} --cases 40 --coverage --report {}",
                                                              contract, folder.path("report")));
  CHECK(report.status == 1);
  CHECK(report.json.at("kernels").size() == 1);  // the results are not lost
  folder.file("sum.ptx", sum_ptx);
  const std::string sum =
      folder.file("sum.toml", sum_contract("", "count = \"0 .. 1000\"\nblock = \"1\"\ngrid = \"1\""));
  const std::string drawing = folder.path("tree.svg");
  const RanJson tree = run_after("ulimit -f 4", fmt::format("tree {} --svg {}", sum, drawing));
  CHECK(tree.status == 3);
  CHECK_FALSE(fs::exists(drawing));
}

#ifndef __SANITIZE_ADDRESS__  // UBSan itself needs descriptors to check the type of an object
TEST_CASE("too few descriptors give status 3 and one JSON object") {
  const Failing folder;
  const std::string contract = folder.path("add_one.toml");
  int lacking = 0;
  for (int most = 4; most <= 24; ++most) {
    const RanJson ran = run_after(fmt::format("ulimit -n {}", most), "audit " + contract + " --cases 2");
    INFO(most << " descriptors: " << ran.json.dump());
    CHECK((ran.status == 1 || ran.status == 3));
    lacking += ran.status == 3 ? 1 : 0;
  }
  CHECK(lacking > 0);
}
#endif

TEST_CASE("an interrupt ends a program whose output no process reads") {
  const Folder folder;
  const std::string pipe = folder.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const foldproof::Descriptor both_ends(open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  // The list is longer than a pipe holds.
  check_is_interrupted(run({"list"}, {std::chrono::milliseconds(1000), {}, pipe}));
}

TEST_CASE("an interrupt does not truncate a result that is being printed to a slow reader") {
  const Folder folder;
  const std::string pipe = folder.path("pipe"), begun = folder.path("begun");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string text(1, ' ');
  std::thread reader([&] {
    const foldproof::Descriptor end(open(pipe.c_str(), O_RDONLY | O_CLOEXEC));  // waits for the program
    foldproof::read_all(end.number(), text.data(), 1);
    std::ofstream{begun};
    std::this_thread::sleep_for(std::chrono::seconds(1));
    text += foldproof::read_to_end(end.number(), std::size_t{1} << 30);
  });
  // The list is longer than a pipe holds.
  const Ran ran = run({"list", "--format", "json"}, {.out = pipe, .interrupt_once = begun});
  reader.join();
  check_is_interrupted(ran);
  CHECK(nlohmann::json::parse(text, nullptr, false).is_object());
}

#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes
TEST_CASE("a thread that cannot be started is named as the reason") {
  const RanJson ran = run_after("ulimit -d 8192", "explain");
  INFO(ran.json.dump());
  CHECK(ran.status == 3);
  CHECK(ran.json.at("error").at("message") ==
        "cannot start a thread; raise the limits on memory or processes (ulimit)");
}

TEST_CASE("too little memory for a report gives status 3 and one JSON object") {
  const AddOne folder(contract_with_many_instances());
  int lacking = 0;
  for (int mebibytes = 32; mebibytes <= 56; mebibytes += 2) {
    const RanJson ran = run_after(fmt::format("ulimit -d {}", mebibytes << 10),
                                  fmt::format("audit {} --budget 1ms", folder.path("add_one.toml")));
    INFO(mebibytes << " MiB: " << ran.json.dump());
    CHECK(ran.status == 3);
    REQUIRE(ran.json.is_object());
    lacking += ran.json.contains("error") ? 1 : 0;
  }
  CHECK(lacking > 0);
}
#endif

TEST_CASE("a full file system does not hide findings: a report gives status 1, and a case a note") {
  const Failing folder;
  const std::string full = folder.path("full");
  fs::create_directory(full);
  if (geteuid() != 0 || mount("tmpfs", full.c_str(), "tmpfs", 0, "size=64k") != 0)
    return foldproof::tests::skip("only root can mount a small file system");
  std::ofstream(full + "/filler") << std::string(1 << 17, 'x');
  const RanJson stored = folder.audit({"--store", full + "/cases"});
  const RanJson report = folder.audit({"--report", full + "/report"});
  const std::string source = folder.file("k.cu", "__global__ void k() {}\n");
  const How how{.environment = {"TMPDIR=" + full}};
  const std::string nvcc = fake_nvcc(folder, "echo release 13.0", "exit 1");
  const RanJson compiled = run_json({"sanitize", source, "--entry", "k", "--nvcc", nvcc}, how);
  umount2(full.c_str(), MNT_DETACH);
  check_is_not_stored(stored, "No space left on device");
  CHECK(report.status == 1);                     // the finding decides
  CHECK(report.json.at("kernels").size() == 1);  // the results are not lost
  INFO(compiled.json.dump());
  CHECK(compiled.status == 3);
}

TEST_CASE("a folder for reports that cannot be created for lack of room does not prevent the audit") {
  const Failing failing;
  const AddOne correct;
  const std::string full = failing.path("full"), report = full + "/report";
  fs::create_directory(full);
  if (geteuid() != 0 || mount("tmpfs", full.c_str(), "tmpfs", 0, "nr_inodes=1") != 0)
    return foldproof::tests::skip("only root can mount a small file system");
  const RanJson wrong = failing.audit({"--report", report});
  const RanJson clean = run_json({"audit", correct.path("add_one.toml"), "--report", report});
  umount2(full.c_str(), MNT_DETACH);
  CHECK(wrong.status == 1);
  CHECK(wrong.json.at("kernels").at(0).at("verdict") == "findings");
  CHECK(clean.status == 3);  // the reports that were asked for are missing
  CHECK(clean.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(clean.err.find("No space left on device") != std::string::npos);
}
