// foldproof replay: a stored case, run and judged again.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/campaign.h"
#include "cli/parse.h"
#include "cli/source_options.h"
#include "cli/verb.h"
#include "devices/gpus.h"

namespace foldproof {

namespace {

struct Arguments {
  std::string file, device = "emulated", case_limit = "10s", fail_on = "error";
  SourceOptions source;
};

Assignment assignment_of(const std::vector<Subject>& subjects, const StoredCase& stored) {
  for (const Subject& subject : subjects)
    for (const Instance& instance : subject.contract.instances)
      if (instance.label == stored.instance) return {&subject, &instance};
  throw InputError(fmt::format("{} has no instance \"{}\"; the case is older than it",
                               stored.contract.string(), stored.instance));
}

int replay(const Arguments& a, const Console& console) {
  ProgressLine line;
  CampaignOptions options;
  const StoredCase stored = load_case(a.file);
  options.only_case = stored.c;
  options.case_limit = parse_duration(a.case_limit, "--case-limit");
  CompileOptions compile_options = a.source.compile_options();
  if (a.device == "cuda") compile_options.machine = present_gpus().architecture;
  auto subjects = load_subjects({stored.contract, {}, {}}, compile_options, console);
  Assignment assignment = assignment_of(subjects, stored);
  if (a.device == "cuda") assignment.device = RunsOn::cuda;
  skip_without_gpu(subjects);
  compile_subjects(subjects, compile_options, 1, console, line);
  return conclude(run_campaign({assignment}, options, line), severity_named(a.fail_on).value(), console,
                  line);
}

}  // namespace

Run attach_replay(CLI::App& app, Console& console) {
  auto a = std::make_shared<Arguments>();
  app.add_option("CASE.toml", a->file, "A case that an audit stored")->required();
  app.add_option("--device", a->device, "emulated or cuda; status 3 where there is none")
      ->check(quietly(CLI::IsMember({"emulated", "cuda"})))
      ->type_name("NAME");
  app.add_option("--case-limit", a->case_limit, "Its time on a GPU; default: " + a->case_limit)
      ->type_name("TIME");
  app.add_option("--fail-on", a->fail_on, "Lowest severity that fails the run")
      ->check(quietly(CLI::IsMember({"error", "warning"})))
      ->type_name("error|warning");
  a->source.attach(app);
  return [a, &console] { return replay(*a, console); };
}

}  // namespace foldproof
