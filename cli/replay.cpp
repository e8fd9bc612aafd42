// foldproof replay: runs and checks a stored case again.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/interrupts.h"
#include "cli/campaign.h"
#include "cli/stored_subjects.h"
#include "cli/verbs.h"
#include "command/compilation.h"
#include "command/parse.h"
#include "command/shared_options.h"
#include "command/source_options.h"
#include "devices/gpus.h"

namespace foldproof {

namespace {

struct ReplayCommandLine {
  std::string file, contract, device = "emulated", sanitizer, case_limit, fail_on = "error";
  SourceOptions source;
};

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
  const StoredCase stored = load_case_of(a.file, a.contract, a.source.trust());
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
