// foldproof replay: runs and checks a stored case again.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/files.h"
#include "base/interrupts.h"
#include "cli/campaign.h"
#include "cli/verbs.h"
#include "command/compilation.h"
#include "command/parse.h"
#include "command/shared_options.h"
#include "command/source_options.h"
#include "devices/gpus.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

struct ReplayCommandLine {
  std::string file, contract, device = "emulated", sanitizer, case_limit, fail_on = "error";
  SourceOptions source;
};

/// Anybody may have written the case, and nvcc's errors quote the file that it names. `file`: the case, which
/// an audit stores in a folder next to that file.
void check_named_file(const StoredCase& stored, const fs::path& file) {
  std::error_code error;
  const fs::path store = folder_of(file);
  if (!fs::exists(stored.contract, error))
    throw InputError(fmt::format("the case names {}, which does not exist; name its contract with --contract",
                                 stored.contract.string()),
                     stored.where);
  const auto refuse = [&](const std::string& why, const char* what_to_do) {
    throw InputError(
        fmt::format("the case names {}, which is {}; {}", stored.contract.string(), why, what_to_do),
        stored.where);
  };
  const fs::path extension = stored.contract.extension();
  if (extension != ".toml" && extension != ".cu" && extension != ".ptx")
    refuse("not a .toml, .cu or .ptx file", "pass --trust to allow it");
  if (!is_below(stored.contract, store.parent_path()) && !is_below(stored.contract, fs::current_path(error)))
    refuse(fmt::format("neither in {} nor in the current folder", store.parent_path().string()),
           "run this command in a folder that contains it, or pass --trust");
}

/// A contract that is next to the source of a guessed one may be for another kernel.
std::vector<Subject> subjects_of(const StoredCase& stored, Trust trust, const CompileOptions& options,
                                 const Console& console) {
  if (stored.entry.empty()) return load_subjects({stored.contract, {}, {}, trust}, options, console);
  if (stored.contract.extension() == ".toml")
    throw InputError("a case with the key \"entry\" must name a source, not a contract; remove the key",
                     stored.where);
  std::optional<Reference> reference;
  try {
    if (!stored.as.empty()) reference = reference_named(stored.as, stored.map);
  } catch (const InputError& error) {
    throw InputError(fmt::format("in the keys \"as\" and \"map\": {}", error.sentence()), stored.where);
  }
  return guessed_subjects(stored.contract, stored.entry, options, reference);
}

bool is_stored(const Instance& instance, const StoredCase& stored) {
  return instance.label == stored.instance &&
         (stored.entry.empty() || instance.launches.at(0).entry == stored.entry);
}

Assignment assignment_of(const std::vector<Subject>& subjects, const StoredCase& stored) {
  for (const Subject& subject : subjects)
    for (const Instance& instance : subject.contract.instances)
      if (is_stored(instance, stored)) return {&subject, &instance};
  throw InputError(fmt::format("{} has no {} \"{}\"; it has changed since the case was stored",
                               stored.contract.string(), stored.entry.empty() ? "instance" : "kernel",
                               stored.entry.empty() ? stored.instance : stored.entry));
}

/// Under each of the tools; without tools, on the device alone.
std::vector<Assignment> on_device(Assignment assignment, const std::string& device,
                                  const std::vector<const compute_sanitizer::Tool*>& tools) {
  if (device == "cuda") assignment.device = RunsOn::cuda;
  if (tools.empty()) return {assignment};
  if (is_host_function(*assignment.instance))
    throw InputError("the case calls a host function, which --sanitizer does not support; omit --sanitizer");
  std::vector<Assignment> assignments;
  for (const compute_sanitizer::Tool* tool : tools) {
    assignment.tool = tool;
    assignments.push_back(assignment);
  }
  return assignments;
}

int replay(const ReplayCommandLine& a, const Console& console) {
  ProgressLine line;
  CampaignOptions options;
  check_has_gpu(a.sanitizer, a.device == "cuda");
  StoredCase stored = load_case(a.file);
  if (!a.contract.empty()) {
    stored.contract = a.contract;
  } else {
    stored.contract = contract_beside(folder_of(a.file), stored.contract);
    if (a.source.trust() == Trust::limited) check_named_file(stored, a.file);
  }
  options.only_case = stored.c;
  if (!a.case_limit.empty()) options.case_limit = parse_duration(a.case_limit, "--case-limit");
  CompileOptions compile_options = a.source.compile_options();
  if (a.device == "cuda") compile_options.machine = present_gpus().architecture;
  const auto tools = tools_named(a.sanitizer);
  auto subjects = subjects_of(stored, a.source.trust(), compile_options, console);
  const std::vector<Assignment> assignments = on_device(assignment_of(subjects, stored), a.device, tools);
  skip_without_gpu(subjects);
  compile_subjects(subjects, compile_options, 1, console, line);
  const GracefulEnd graceful;  // from here on, there are results to print
  return conclude(run_campaign(assignments, options, line), severity_named(a.fail_on).value(), console, line);
}

}  // namespace

Run attach_replay(CLI::App& app, Console& console) {
  auto a = std::make_shared<ReplayCommandLine>();
  app.add_option("CASE.toml", a->file, "Case stored by an audit")->required();
  app.add_option("--contract", a->contract,
                 "Contract of the case, or its source if it has none (default: the file that the case names)")
      ->type_name("FILE");
  app.add_option("--device", a->device, "Device: emulated or cuda; exit status 3 if it is not available")
      ->check(quietly(CLI::IsMember({"emulated", "cuda"})))
      ->type_name("NAME");
  add_sanitizer(app, a->sanitizer, "On a GPU");
  add_case_limit(app, a->case_limit);
  add_fail_on(app, a->fail_on);
  a->source.attach(app);
  app.add_flag("--verbose,-v", console.verbose, "Also show how the values of a clean kernel were checked");
  return [a, &console] { return replay(*a, console); };
}

}  // namespace foldproof
