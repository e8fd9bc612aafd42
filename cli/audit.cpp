// foldproof audit: every instance of one or many contracts, judged.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/campaign.h"
#include "cli/case_text.h"
#include "cli/parse.h"
#include "cli/source_options.h"
#include "cli/verb.h"
#include "reports/writers.h"

namespace foldproof {

namespace {

struct Arguments {
  std::string path, contract, entry, device = "emulated", budget, seed = "1", fail_on = "error", report,
                                     store, shard = "1/1";
  std::string only, only_case;
  std::uint64_t cases = AuditOptions{}.cases, largest = AuditOptions{}.largest_count;
  unsigned jobs = default_jobs();
  bool counters = false;
  SourceOptions source;
};

bool selected(const Contract& contract, const Instance& instance, const std::string& only) {
  return only.empty() || contract.id == only || instance.label == only ||
         contract.id + " " + instance.label == only;
}

std::vector<Assignment> assignments_of(const std::vector<Subject>& subjects, const Arguments& arguments) {
  const Shard shard = parse_shard(arguments.shard);
  std::vector<Assignment> assignments;
  std::uint64_t number = 0;
  for (const Subject& subject : subjects)
    for (const Instance& instance : subject.contract.instances)
      if (selected(subject.contract, instance, arguments.only) && shard.holds(number++))
        assignments.push_back({&subject, &instance});
  if (number == 0)
    throw InputError(fmt::format("--only \"{}\" selects no instance; `foldproof list {}` shows them",
                                 arguments.only, arguments.path));
  return assignments;
}

CampaignOptions campaign_options(const Arguments& arguments) {
  CampaignOptions options;
  options.audit.cases = arguments.cases;
  options.audit.largest_count = arguments.largest;
  options.audit.seed = parse_seed(arguments.seed);
  if (!arguments.budget.empty()) options.budget = parse_duration(arguments.budget, "--budget");
  if (!arguments.store.empty()) options.store = arguments.store;
  if (!arguments.only_case.empty())
    options.only_case = StoredCase{{}, {}, {}, parse_case(arguments.only_case)};
  options.counters = arguments.counters;
  options.jobs = arguments.jobs;
  return options;
}

/// Everything that can be said about the arguments before work begins is said here.
void check(const Arguments& arguments) {
  if (arguments.device == "cuda")
    throw Unsupported("there is no CUDA device here: this build runs kernels on the emulated device only");
  if (!arguments.report.empty()) check_report_folder(arguments.report);
}

void say_that_it_is_guessed(const std::vector<Subject>& subjects, const Console& console) {
  if (subjects.empty() || subjects.front().guesses.empty()) return;
  console.note(
      "there is no contract beside the source; the notes say what is guessed, and `foldproof init` writes it "
      "down");
}

int audit(const Arguments& arguments, const Console& console) {
  check(arguments);
  const CampaignOptions options = campaign_options(arguments);
  ProgressLine line;
  const CompileOptions compile_options = arguments.source.compile_options();
  std::vector<Subject> subjects =
      load_subjects({arguments.path, arguments.contract, arguments.entry}, compile_options, console);
  say_that_it_is_guessed(subjects, console);
  const std::vector<Assignment> assignments = assignments_of(subjects, arguments);
  compile_subjects(subjects, compile_options, arguments.jobs, console, line);
  const CampaignResult result = run_campaign(assignments, options, line);
  if (!result.wrong_input && !arguments.report.empty()) write_reports(arguments.report, result.report);
  return conclude(result, severity_named(arguments.fail_on), console, line);
}

}  // namespace

Run attach_audit(CLI::App& app, Console& console) {
  auto a = std::make_shared<Arguments>();
  app.add_option("PATH", a->path,
                 "A .cu, .ptx or contract, or a folder; without one the kernels that come along");
  app.add_option("--contract", a->contract, "The contract, where it is not beside the source")
      ->type_name("FILE.toml");
  app.add_option("--entry", a->entry, "The kernel to audit, where there is no contract")->type_name("NAME");
  app.add_option("--device", a->device, "emulated, cuda or all")
      ->check(quietly(CLI::IsMember({"emulated", "cuda", "all"})))
      ->type_name("NAME");
  app.add_option("--cases", a->cases, "Cases an instance")
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32)))
      ->type_name("N");
  app.add_option("--budget", a->budget, "Time for the whole run, such as 60s")->type_name("TIME");
  app.add_option("--seed", a->seed, "A number, or \"random\"")->type_name("S");
  app.add_option("--largest", a->largest, "Most elements of a case")
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 33)))
      ->type_name("N");
  app.add_option("--only", a->only, "Only the kernel with this id, or the instance with this label")
      ->type_name("TEXT");
  app.add_option("--case", a->only_case, "Only this case, written as reports show it")->type_name("TEXT");
  app.add_flag("--counters", a->counters,
               "Count what each instance does on 65536 elements with 256 threads a block, or the nearest");
  app.add_option("--fail-on", a->fail_on, "Lowest severity that fails the run")
      ->check(quietly(CLI::IsMember({"error", "warning"})))
      ->type_name("error|warning");
  app.add_option("--store", a->store, "Folder of failing cases, replayed first; default: beside the contract")
      ->type_name("DIR");
  app.add_option("--report", a->report, "Folder for one report file a format")->type_name("DIR");
  app.add_option("--jobs,-j", a->jobs, "Processes at a time")
      ->check(quietly(CLI::Range(1U, 1024U)))
      ->type_name("N");
  app.add_option("--shard", a->shard, "Only the i-th of n parts of the instances")->type_name("i/n");
  a->source.attach(app);
  return [a, &console] { return audit(*a, console); };
}

}  // namespace foldproof
