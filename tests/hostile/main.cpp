// Runs foldproof on mutated input: PTX through `sanitize`, contracts through `audit`, stored cases through
// `replay`, and command lines.
//
//   hostile [--count N] [--seconds S] [--seed X] [--keep FOLDER]
//
// Each run must end within a time limit with status 0 to 3 and one JSON object, and leave neither a temporary
// file nor the file `evil`, which only an executed command creates. The inputs are derived from valid ones,
// which run first and must end with status 0 or 1: an input that is refused at its first line would test
// nothing else. Inputs of bad runs are kept in FOLDER. Exit status: 1 if there are any, 2 for wrong usage.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "base/temporary_folders.h"
#include "base/text.h"
#include "cli/kernels.h"
#include "hostile/mutation.h"

#include <nlohmann/json.hpp>

using namespace foldproof;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr auto time_limit = 30s;

constexpr const char* usage = "usage: hostile [--count N] [--seconds S] [--seed X] [--keep FOLDER]\n";

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

/// Replaces a file of the run by a mutated copy.
Run with_mutated(Run run, const std::string& name, const std::vector<std::string>& others, Random& random) {
  auto& [file, text] = *std::ranges::find(run.files, name, &std::pair<std::string, std::string>::first);
  text = test::mutated(text, others[random() % others.size()], random);
  return run;
}

Run sanitize_run(const std::string& ptx, const std::string& entry,
                 const std::vector<std::string>& values_of_parameters) {
  Run run{{"sanitize", "k.ptx", "--entry", entry, "--grid", "2", "--instructions", "300000"},
          {{"k.ptx", ptx}}};
  for (const std::string& value : values_of_parameters)
    run.arguments.insert(run.arguments.end(), {"--arg", value});
  return run;
}

const std::string f32_buffer = "buffer:f32:100:random", u32_buffer = "buffer:u32:100:zeros";

std::vector<Run> valid_ptx_runs() {
  return {sanitize_run(test::sum_ptx, "sum", {f32_buffer, f32_buffer, "i64:100"}),
          sanitize_run(test::add_one_ptx, "add_one", {u32_buffer, "u32:100"}),
          sanitize_run(test::past_tile_ptx, "sum32", {f32_buffer, f32_buffer}),
          sanitize_run(test::store_pair_ptx, "store_pair", {u32_buffer, "bytes:05000000ff00ff00"}),
          sanitize_run(test::pass_on_ptx, "pass_on", {u32_buffer}),
          sanitize_run(test::draw_ptx, "draw", {u32_buffer, u32_buffer})};
}

Run ptx_run(Random& random) {
  static const std::vector<Run> valid = valid_ptx_runs();
  static const std::vector<std::string> syntax = corpus(".ptx", FOLDPROOF_PTX_CORPUS);
  static const std::vector<std::string> others = [] {
    std::vector<std::string> texts = syntax;
    for (const Run& run : valid) texts.push_back(run.files.front().second);
    return texts;
  }();
  const char* const shapes[] = {"1", "33", "64", "32,2"};
  // The parser's texts have every statement, but use undeclared names.
  const bool is_syntax = random() % 3 == 0;
  Run run =
      is_syntax ? sanitize_run(syntax[random() % syntax.size()], "k", {}) : valid[random() % valid.size()];
  run.arguments.insert(run.arguments.end(), {"--block", shapes[random() % 4]});
  return with_mutated(std::move(run), "k.ptx", others, random);
}

/// The kernels that the contracts of the corpus name.
std::vector<std::pair<std::string, std::string>> kernels() {
  return {{"k.ptx", test::sum_ptx}, {"scan.ptx", corpus("scan.ptx").front()}};
}

std::vector<Run> valid_contract_runs() {
  std::vector<Run> runs;
  for (const std::string& text : corpus("contract.toml")) {
    runs.push_back({{"audit", "k.toml", "--cases", "1", "--case-limit", "5s", "--jobs", "1"}, kernels()});
    runs.back().files.emplace_back("k.toml", text);
  }
  return runs;
}

Run contract_run(Random& random) {
  static const std::vector<Run> valid = valid_contract_runs();
  static const std::vector<std::string> others = corpus("contract.toml");
  return with_mutated(valid[random() % valid.size()], "k.toml", others, random);
}

std::vector<Run> valid_case_runs() {
  std::vector<Run> runs;
  for (const std::string& text : corpus("case.toml")) {
    runs.push_back({{"replay", "case.toml", "--case-limit", "5s"}, kernels()});
    runs.back().files.emplace_back("k.toml", corpus("sum.contract.toml").front());
    runs.back().files.emplace_back("case.toml", text);
  }
  return runs;
}

Run case_run(Random& random) {
  static const std::vector<Run> valid = valid_case_runs();
  static const std::vector<std::string> others = corpus("case.toml");
  return with_mutated(valid[random() % valid.size()], "case.toml", others, random);
}

std::vector<Run> valid_command_runs() {
  std::vector<Run> runs;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"audit", "k.toml", "--cases", "1"},
        {"mutate", "k.toml", "--cases", "1"},
        {"sanitize", "k.ptx", "--entry", "sum", "--arg", f32_buffer, "--arg", f32_buffer, "--arg", "i64:32"},
        {"init", "past_tile.ptx"},
        {"replay", "case.toml"},
        {"list", "k.toml"},
        {"exact", "sum", "--type", "f32", "numbers"},
        {"tree", "k.toml"},
        {"prepare", "k.toml"},
        {"--help"},
        {"--version"}})
    runs.push_back({arguments,
                    {{"k.ptx", test::sum_ptx},
                     {"k.toml", corpus("sum.contract.toml").front()},
                     {"case.toml", corpus("case.toml").front()},
                     {"past_tile.ptx", test::past_tile_ptx},
                     {"numbers", std::string(32, '\x3f')}}});
  return runs;
}

/// A valid command line, or only its verb, and words of the corpus.
Run command_run(Random& random) {
  static const std::vector<Run> valid = valid_command_runs();
  static const std::vector<std::string> words = [] {
    std::istringstream in(corpus("words.txt").front());
    std::vector<std::string> all;
    for (std::string word; std::getline(in, word);) all.push_back(word);
    return all;
  }();
  Run run = valid[random() % valid.size()];
  const bool is_prepare = run.arguments[0] == "prepare";
  if (random() % 2 == 0) run.arguments.resize(is_prepare ? 2 : 1);  // never prepare the whole catalogue
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
  if (run.arguments[0] == "audit" || run.arguments[0] == "mutate")
    run.arguments.insert(run.arguments.end(), {"--budget", "3s"});
  return run;
}

struct Kind {
  std::string name;
  std::vector<Run> (*valid)();  ///< accepted runs, from which the mutated ones are derived
  Run (*mutated)(Random& random);
};

const Kind kinds[] = {{"command", valid_command_runs, command_run},
                      {"contract", valid_contract_runs, contract_run},
                      {"case", valid_case_runs, case_run},
                      {"ptx", valid_ptx_runs, ptx_run}};

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
std::string problem_of(const Run& run, const fs::path& root, int highest_status) {
  const fs::path folder = root / "run";
  fs::remove_all(root);
  fs::create_directories(folder);
  fs::create_directories(root / "temporary");
  for (const auto& [name, text] : run.files) write_file(folder / name, text);
  const Output output = output_of(run, folder);
  if (!output.in_time) return "it did not end in time";
  if (output.status.signal != 0) return to_string(output.status);
  if (output.status.code > highest_status) return fmt::format("status {}", output.status.code);
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

/// Nothing for an option that does not exist, or without a valid value.
std::optional<Options> options_of(std::span<char* const> words) {
  if (words.size() % 2 != 0) return std::nullopt;
  Options options;
  for (std::size_t k = 0; k < words.size(); k += 2) {
    const std::string name = words[k], value = words[k + 1];
    const auto number = integer_in<std::uint64_t>(value);
    if (name == "--keep")
      options.keep = value;
    else if (!number)
      return std::nullopt;
    else if (name == "--count")
      options.count = *number;
    else if (name == "--seconds")
      options.time = std::chrono::seconds(*number);
    else if (name == "--seed")
      options.seed = *number;
    else
      return std::nullopt;
  }
  return options;
}

/// Runs inputs and counts them.
class Trials {
 public:
  explicit Trials(fs::path kept) : kept_(std::move(kept)) {}

  /// `label` names the input in messages and in the folder of bad inputs.
  void run(const Run& run, const std::string& label, int highest_status) {
    ++tried_;
    const std::string problem = problem_of(run, folder_.path() / "root", highest_status);
    if (problem.empty()) return;
    ++bad_;
    keep(run, problem, kept_ / label);
    fmt::print("{}: {} (kept in {})\n", label, problem, (kept_ / label).string());
  }

  std::uint64_t tried() const { return tried_; }
  std::uint64_t bad() const { return bad_; }

 private:
  const TemporaryFolder folder_;
  fs::path kept_;
  std::uint64_t tried_ = 0, bad_ = 0;
};

void run_valid_inputs(Trials& trials) {
  for (const Kind& kind : kinds) {
    std::size_t number = 0;
    for (const Run& run : kind.valid()) trials.run(run, fmt::format("{}-valid-{}", kind.name, number++), 1);
  }
}

void run_mutated_inputs(Trials& trials, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto goes_on = [&](std::uint64_t number) {
    return options.time ? std::chrono::steady_clock::now() - begin < *options.time : number < options.count;
  };
  for (std::uint64_t number = 0; goes_on(number); ++number)
    for (const Kind& kind : kinds) {
      Random random(options.seed * 1'000'000'007 + number);
      trials.run(kind.mutated(random), fmt::format("{}-{}-{}", kind.name, options.seed, number), 3);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = options_of(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (!options) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  Trials trials(options->keep);
  run_valid_inputs(trials);
  run_mutated_inputs(trials, *options);
  fmt::print("seed {}: {} tried, {} bad\n", options->seed, trials.tried(), trials.bad());
  return trials.bad() == 0 ? 0 : 1;
}
