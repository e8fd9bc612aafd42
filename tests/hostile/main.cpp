// Runs foldproof on mutated input: PTX through `sanitize`, contracts through `audit`, stored cases through
// `replay`, and command lines.
//
//   hostile [--count N] [--seconds S] [--seed X] [--keep FOLDER]
//
// Each run must end within a time limit with status 0 to 3 and one JSON object, and leave neither a temporary
// file nor the file `evil`, which only an executed command creates. Inputs of bad runs are kept in FOLDER.
// Exit status: 1 if there are any.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "cli/kernels.h"
#include "hostile/mutation.h"

#include <nlohmann/json.hpp>

using namespace foldproof;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr auto time_limit = 30s;

struct Options {
  std::uint64_t count = 100, seed = 1;
  std::optional<std::chrono::seconds> time;
  fs::path keep = "hostile";
};

/// The arguments of one run and the files in its folder.
struct Run {
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> files;
};

using Random = std::mt19937_64;

/// The texts of a kind of input: the files of a corpus with this extension.
std::vector<std::string> corpus(const std::string& extension,
                                const fs::path& folder = FOLDPROOF_HOSTILE_CORPUS) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(extension)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(read_text_file(file, largest_source));
  return texts;
}

std::string any_mutated(const std::vector<std::string>& texts, Random& random) {
  return test::mutated(texts[random() % texts.size()], texts[random() % texts.size()], random);
}

std::vector<std::string> ptx_texts() {
  std::vector<std::string> texts = corpus(".ptx", FOLDPROOF_PTX_CORPUS);
  texts.insert(texts.end(), {test::sum_ptx, test::add_one_ptx, test::past_tile_ptx});
  return texts;
}

Run ptx_run(Random& random) {
  static const std::vector<std::string> texts = ptx_texts();
  const char* const shapes[] = {"1", "33", "64", "32,2"};
  return {{"sanitize", "k.ptx", "--grid", "2", "--block", shapes[random() % 4], "--instructions", "300000",
           "--arg", "buffer:f32:100:random", "--arg", "buffer:f32:100:zeros", "--arg", "i64:100"},
          {{"k.ptx", any_mutated(texts, random)}}};
}

Run contract_run(Random& random) {
  static const std::vector<std::string> texts = corpus("contract.toml");
  return {{"audit", "k.toml", "--cases", "1", "--case-limit", "5s", "--jobs", "1"},
          {{"k.toml", any_mutated(texts, random)}, {"k.ptx", test::sum_ptx}}};
}

Run case_run(Random& random) {
  static const std::vector<std::string> texts = corpus("case.toml"), contracts = corpus("contract.toml");
  return {
      {"replay", "case.toml", "--case-limit", "5s"},
      {{"case.toml", any_mutated(texts, random)}, {"k.toml", contracts.front()}, {"k.ptx", test::sum_ptx}}};
}

Run command_run(Random& random) {
  static const std::vector<std::string> words = [] {
    std::istringstream in(corpus("words.txt").front());
    std::vector<std::string> all;
    for (std::string word; std::getline(in, word);) all.push_back(word);
    return all;
  }();
  const char* const verbs[] = {"audit", "mutate", "sanitize", "init",   "replay",   "list",
                               "exact", "tree",   "prepare",  "--help", "--version"};
  Run run{{verbs[random() % std::size(verbs)]},
          {{"k.ptx", test::sum_ptx}, {"k.toml", corpus("contract.toml").front()}}};
  for (std::size_t left = random() % 6; left > 0; --left) {
    std::string word = words[random() % words.size()];
    // A mutated path could name, and an option then write, a file elsewhere.
    if (const std::string change = test::mutated(word, words[random() % words.size()], random);
        random() % 4 == 0 && change.find('/') == std::string::npos)
      word = change;
    std::erase(word, '\0');                                    // an argument cannot contain it
    word.resize(std::min<std::size_t>(word.size(), 1 << 16));  // Linux accepts 128 KiB
    run.arguments.push_back(word);
  }
  if (run.arguments[0] == "prepare") run.arguments.emplace_back("k.toml");  // not the whole catalogue
  if (run.arguments[0] == "audit" || run.arguments[0] == "mutate")
    run.arguments.insert(run.arguments.end(), {"--budget", "3s"});
  return run;
}

const std::map<std::string, Run (*)(Random&)> kinds = {
    {"ptx", ptx_run}, {"contract", contract_run}, {"case", case_run}, {"command", command_run}};

struct Output {
  ExitStatus status;
  bool in_time = true;
  std::string out;
};

Output output_of(const Run& run, const fs::path& folder) {
  const fs::path out = folder / ".." / "out";
  // The verb comes first, then --format, since a mutated option could take it as its value.
  std::vector<std::string> command{"/bin/sh",
                                   "-c",
                                   "cd \"$0\" && exec \"$@\" > ../out 2> ../err",
                                   folder.string(),
                                   FOLDPROOF_PROGRAM,
                                   run.arguments.front(),
                                   "--format",
                                   "json"};
  command.insert(command.end(), run.arguments.begin() + 1, run.arguments.end());
  // A program with sanitizers then ends with a status that no run may have.
  Child child({command,
               {"TMPDIR=" + (folder / ".." / "temporary").string(), "ASAN_OPTIONS=exitcode=99",
                "UBSAN_OPTIONS=halt_on_error=1:exitcode=99"}},
              ProcessGroup::own);
  Output output;
  const auto status = child.wait(std::chrono::steady_clock::now() + time_limit);
  output.in_time = status.has_value();
  output.status = status ? *status : child.kill();
  output.out = read_if_possible(out, std::size_t{64} << 20).value_or("");
  return output;
}

/// What is wrong with the run; empty if nothing is.
std::string problem_of(const Run& run, const fs::path& root) {
  const fs::path folder = root / "run";
  fs::remove_all(root);
  fs::create_directories(folder);
  fs::create_directories(root / "temporary");
  for (const auto& [name, text] : run.files) write_file(folder / name, text);
  const Output output = output_of(run, folder);
  if (!output.in_time) return "it did not end in time";
  if (output.status.signal != 0) return to_string(output.status);
  if (output.status.code > 3) return fmt::format("status {}", output.status.code);
  if (fs::exists(folder / "evil")) return "a command was executed";
  if (!fs::is_empty(root / "temporary")) return "a temporary file remains";
  const bool is_help = output.out.find("Usage:") != std::string::npos || output.out.starts_with("foldproof ");
  const auto lines = std::ranges::count(output.out, '\n');
  if (!is_help && (lines != 1 || !nlohmann::json::accept(output.out)))
    return "the output is not one JSON object";
  const std::string err = read_if_possible(root / "err").value_or("");
  const bool has_colors = std::ranges::find(run.arguments, "--color") != run.arguments.end();
  if (!has_colors && err.find('\x1b') != std::string::npos) return "an escape character reaches the terminal";
  if (err.find("internal error") != std::string::npos) return "internal error";
  return "";
}

void keep(const Run& run, const std::string& problem, const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& [name, text] : run.files) write_file(folder / name, text);
  std::string command;
  for (const std::string& argument : run.arguments) command += fmt::format("{}\n", argument);
  write_file(folder / "arguments.txt", command);
  write_file(folder / "problem.txt", problem + "\n");
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k], value = argv[k + 1];
    if (name == "--count") options.count = std::stoull(value);
    if (name == "--seconds") options.time = std::chrono::seconds(std::stoull(value));
    if (name == "--seed") options.seed = std::stoull(value);
    if (name == "--keep") options.keep = value;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  const auto begin = std::chrono::steady_clock::now();
  const TemporaryFolder folder;
  std::uint64_t tried = 0, bad = 0;
  const auto goes_on = [&] {
    return options.time ? std::chrono::steady_clock::now() - begin < *options.time
                        : tried < options.count * kinds.size();
  };
  for (std::uint64_t number = 0; goes_on(); ++number)
    for (const auto& [kind, make] : kinds) {
      Random random(options.seed * 1'000'000'007 + number);
      const Run run = make(random);
      const std::string problem = problem_of(run, folder.path() / "root");
      ++tried;
      if (problem.empty()) continue;
      ++bad;
      const fs::path kept = options.keep / fmt::format("{}-{}-{}", kind, options.seed, number);
      keep(run, problem, kept);
      fmt::print("{} {}: {} (kept in {})\n", kind, number, problem, kept.string());
    }
  fmt::print("seed {}: {} tried, {} bad\n", options.seed, tried, bad);
  return bad == 0 ? 0 : 1;
}
