// foldproof init: a starter contract next to a source that has none.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/entry_choice.h"
#include "cli/reference_options.h"
#include "cli/verbs.h"
#include "command/source_options.h"
#include "command/subjects.h"
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

Contract guess_one(const InitCommandLine& a, std::vector<std::string>& left_out) {
  const auto contracts = guessed_contracts(a.source, entry_name(a.entry), a.source_options.compile_options(),
                                           left_out, a.reference.reference());
  if (contracts.size() == 1) return contracts.front();
  std::vector<std::string> entries;
  for (const Contract& contract : contracts)
    if (!contract.instances.empty() && !contract.instances.front().launches.empty())
      entries.push_back(contract.instances.front().launches.front().entry);
  throw InputError(fmt::format("{}: several kernels found; choose one with --entry: {}", a.source,
                               fmt::join(entries, ", ")));
}

int init(const InitCommandLine& a, const Console& console) {
  const fs::path file = a.output.empty() ? fs::path(a.source).replace_extension(".toml") : fs::path(a.output);
  if (file == a.source)
    throw InputError(
        fmt::format("the contract of {} would overwrite it; give the source another extension", a.source));
  std::error_code error;
  const bool is_beside =
      file.extension() == ".toml" && fs::equivalent(folder_of(file), folder_of(a.source), error);
  if (!a.output.empty() && !is_beside)
    throw InputError(
        fmt::format("--output takes a .toml file in the folder of {}, not {}", a.source, file.string()));
  if (!a.force && fs::exists(file, error))
    throw InputError(
        fmt::format("{} already exists; write to another file with --output, or overwrite it with "
                    "--force",
                    file.string()));
  if (fs::exists(a.source, error)) check_output(file);  // guessing takes seconds
  std::vector<std::string> notes;
  const Contract contract = guess_one(a, notes);
  write_output(file, starter_contract(contract));
  notes.insert(notes.begin(), assumed(contract));
  if (console.json()) {
    console.print(Json{{"contract", file.string()}, {"guesses", notes}});
    return exit_ok;
  }
  for (const std::string& note : notes) console.note(note);
  console.print(fmt::format("{} was written; correct its guesses, then run: foldproof audit {}\n",
                            printable(display_path(file.string())), printable(shell_word(a.source))));
  return exit_ok;
}

}  // namespace

Run attach_init(CLI::App& app, Console& console) {
  auto a = std::make_shared<InitCommandLine>();
  app.add_option("FILE", a->source, "A .cu or .ptx file")->required();
  app.add_option("--entry", a->entry, "Kernel, if there are several")->type_name("NAME");
  app.add_option("--output", a->output,
                 "Contract to write, in the folder of FILE (default: FILE with the extension .toml)")
      ->type_name("FILE.toml");
  app.add_flag("--force", a->force, "Overwrite an existing contract");
  a->reference.attach(app);
  a->source_options.attach(app);
  return [a, &console] { return init(*a, console); };
}

}  // namespace foldproof
