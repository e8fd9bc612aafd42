// foldproof init: starter contracts, for the kernels of a source, next to it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "base/file_name.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/entry_choice.h"
#include "cli/reference_options.h"
#include "cli/verbs.h"
#include "command/guessed_contracts.h"
#include "command/source_options.h"
#include "contracts/guess.h"
#include "reports/quote.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

struct InitCommandLine {
  std::string source, entry, output;
  bool force = false;
  SourceOptions source_options;
  ReferenceOptions reference;
};

/// The part of a file name that stands for the kernel, such as "block_sum_float_256".
std::string file_word(const std::string& entry) {
  std::string word = file_name_part(entry, '_', '_');
  while (word.ends_with('_')) word.pop_back();
  return word.empty() ? "kernel" : word;
}

/// One contract, and where it is written.
struct Starter {
  fs::path file;
  const Contract* contract;
};

/// FILE.toml for a single kernel; FILE.KERNEL.toml if there are several.
std::vector<Starter> starters_for(const InitCommandLine& a, const std::vector<Contract>& contracts) {
  if (contracts.size() == 1)
    return {{a.output.empty() ? fs::path(a.source).replace_extension(".toml") : fs::path(a.output),
             &contracts.front()}};
  const auto entry_of = [](const Contract& contract) {
    return contract.instances.at(0).launches.at(0).entry;
  };
  if (!a.output.empty())
    throw InputError(fmt::format("{}: several kernels found; for --output, choose one with --entry: {}",
                                 a.source, fmt::join(contracts | std::views::transform(entry_of), ", ")));
  std::vector<Starter> starters;
  std::set<std::string> used;
  for (const Contract& contract : contracts) {
    const std::string word = file_word(entry_of(contract));
    std::string free = word;
    for (unsigned number = 2; !used.insert(free).second; ++number) free = fmt::format("{}_{}", word, number);
    starters.push_back({fs::path(a.source).replace_extension(free + ".toml"), &contract});
  }
  return starters;
}

/// Throws InputError if --output, or the default, cannot be the file of a contract.
void check_name(const InitCommandLine& a) {
  const fs::path file = a.output.empty() ? fs::path(a.source).replace_extension(".toml") : fs::path(a.output);
  if (file == a.source)
    throw InputError(
        fmt::format("the contract of {} would overwrite it; give the source another extension", a.source));
  std::error_code error;
  const bool is_beside =
      file.extension() == ".toml" && fs::equivalent(folder_of(file), folder_of(a.source), error);
  if (!a.output.empty() && !is_beside)
    throw InputError(
        fmt::format("--output must name a .toml file in the folder of {}, not {}", a.source, file.string()));
}

/// Throws InputError if the contract cannot be written there.
void check_file(const InitCommandLine& a, const fs::path& file) {
  std::error_code error;
  if (!a.force && fs::exists(file, error))
    throw InputError(
        fmt::format("{} already exists; write to another file with --output, or overwrite it with "
                    "--force",
                    file.string()));
  check_output(file);
}

/// What is guessed or missing, and the next step.
std::string note_of(const Contract& contract) {
  return contract.no_fit ? contract.no_fit->reason : assumed(contract);
}

bool is_complete(const Contract& contract) { return contract.instances.at(0).reduction.has_value(); }

std::string next_step(const Starter& starter, const InitCommandLine& a) {
  return fmt::format("{} was written; {}, then run: foldproof audit {}{}\n",
                     printable(display_path(starter.file.string())),
                     is_complete(*starter.contract) ? "correct its guesses" : "replace each \"?\"",
                     printable(shell_word(a.source)), printable(a.source_options.further_words()));
}

/// The flags of the command line as a contract has them: folders are relative to its own.
std::vector<std::string> flags_of(const InitCommandLine& a) {
  constexpr std::string_view include = "-I";
  std::vector<std::string> flags = a.source_options.contract_flags();
  for (std::string& flag : flags)
    if (flag.starts_with(include))
      flag =
          fmt::format("{}{}", include,
                      fs::path(flag.substr(include.size())).lexically_relative(folder_of(a.source)).string());
  return flags;
}

int init(const InitCommandLine& a, const Console& console) {
  check_name(a);
  std::error_code error;
  if (!a.output.empty() && fs::exists(a.source, error)) check_file(a, a.output);  // guessing takes seconds
  std::vector<Contract> contracts;
  const CompileOptions options = a.source_options.compile_options();
  for (GuessedContract& guess :
       guessed_contracts(a.source, entry_name(a.entry), options, a.reference.reference()))
    contracts.push_back(std::move(guess.contract));
  const std::vector<std::string> flags = flags_of(a);
  for (Contract& contract : contracts) {
    contract.flags = flags;
    contract.arch = options.arch.empty() ? options.project_arch : options.arch;
  }
  const std::vector<Starter> starters = starters_for(a, contracts);
  for (const Starter& starter : starters) check_file(a, starter.file);
  Json written = Json::array();
  for (const Starter& starter : starters) {
    write_output(starter.file, starter_contract(*starter.contract));
    written.push_back({{"contract", starter.file.string()},
                       {"is_complete", is_complete(*starter.contract)},
                       {"note", note_of(*starter.contract)}});
  }
  if (console.json()) {
    console.print(Json{{"contracts", std::move(written)}});
    return exit_ok;
  }
  for (const Starter& starter : starters) console.note(note_of(*starter.contract));
  for (const Starter& starter : starters) console.print(next_step(starter, a));
  return exit_ok;
}

}  // namespace

Run attach_init(CLI::App& app, Console& console) {
  auto a = std::make_shared<InitCommandLine>();
  app.add_option("FILE", a->source, "A .cu or .ptx file")->required();
  app.add_option("--entry", a->entry, "Only this kernel (default: a contract for each)")->type_name("NAME");
  app.add_option(
         "--output", a->output,
         "Contract to write, in the folder of FILE (default: FILE with the extension .toml or, for several "
         "kernels, .KERNEL.toml)")
      ->type_name("FILE.toml");
  app.add_flag("--force", a->force, "Overwrite an existing contract");
  a->reference.attach(app);
  a->source_options.attach(app);
  return [a, &console] { return init(*a, console); };
}

}  // namespace foldproof
