// foldproof replay: runs and checks a stored case again.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/campaign.h"
#include "cli/verbs.h"
#include "command/parse.h"
#include "command/source_options.h"
#include "devices/gpus.h"

namespace foldproof {

namespace {

struct Arguments {
  std::string file, device = "emulated", sanitizer, case_limit, fail_on = "error";
  SourceOptions source;
};

Assignment assignment_of(const std::vector<Subject>& subjects, const StoredCase& stored) {
  for (const Subject& subject : subjects)
    for (const Instance& instance : subject.contract.instances)
      if (instance.label == stored.instance) return {&subject, &instance};
  throw InputError(fmt::format("{} has no instance \"{}\"; it has changed since the case was stored",
                               stored.contract.string(), stored.instance));
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

int replay(const Arguments& a, const Console& console) {
  ProgressLine line;
  CampaignOptions options;
  check_has_gpu(a.sanitizer, a.device == "cuda");
  const StoredCase stored = load_case(a.file);
  options.only_case = stored.c;
  if (!a.case_limit.empty()) options.case_limit = parse_duration(a.case_limit, "--case-limit");
  CompileOptions compile_options = a.source.compile_options();
  if (a.device == "cuda") compile_options.machine = present_gpus().architecture;
  const auto tools = tools_named(a.sanitizer);
  auto subjects =
      load_subjects({stored.contract, {}, stored.entry, a.source.trust()}, compile_options, console);
  const std::vector<Assignment> assignments = on_device(assignment_of(subjects, stored), a.device, tools);
  skip_without_gpu(subjects);
  compile_subjects(subjects, compile_options, 1, console, line);
  return conclude(run_campaign(assignments, options, line), severity_named(a.fail_on).value(), console, line);
}

}  // namespace

Run attach_replay(CLI::App& app, Console& console) {
  auto a = std::make_shared<Arguments>();
  app.add_option("CASE.toml", a->file, "Case stored by an audit")->required();
  app.add_option("--device", a->device, "Device: emulated or cuda; exit status 3 if it is not available")
      ->check(quietly(CLI::IsMember({"emulated", "cuda"})))
      ->type_name("NAME");
  app.add_option("--sanitizer", a->sanitizer,
                 "Comma-separated tools of compute-sanitizer to run on a GPU: racecheck, memcheck, "
                 "synccheck, initcheck")
      ->type_name("TOOLS");
  app.add_option("--case-limit", a->case_limit,
                 fmt::format("Time limit; default: {}s, on a GPU {}s", emulated_case_limit.count(),
                             gpu_case_limit.count()))
      ->type_name("TIME");
  app.add_option("--fail-on", a->fail_on, "Lowest severity that fails the run")
      ->check(quietly(CLI::IsMember({"error", "warning"})))
      ->type_name("error|warning");
  a->source.attach(app);
  return [a, &console] { return replay(*a, console); };
}

}  // namespace foldproof
