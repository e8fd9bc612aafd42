// foldproof audit: every instance of one or many contracts, judged.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/audit_arguments.h"
#include "cli/campaign.h"
#include "cli/case_text.h"
#include "cli/mutation_run.h"
#include "cli/parse.h"
#include "cli/verb.h"
#include "properties/recipes.h"
#include "reports/writers.h"

namespace foldproof {

namespace {

struct Arguments : AuditArguments {
  std::string device = "emulated", report, store, only_case, prove_budget = "30s";
  std::optional<std::uint64_t> steered;
  bool prove = false, counters = false, coverage = false;
};

CampaignOptions campaign_options(const Arguments& arguments) {
  CampaignOptions options;
  options.cases = arguments.cases;
  options.audit.largest_count = arguments.largest;
  options.audit.steered = arguments.steered;
  options.audit.seed = parse_seed(arguments.seed);
  if (!arguments.budget.empty()) options.budget = parse_duration(arguments.budget, "--budget");
  if (!arguments.store.empty()) options.store = arguments.store;
  if (!arguments.only_case.empty()) options.only_case = parse_case(arguments.only_case);
  options.counters = arguments.counters;
  options.coverage = arguments.coverage;
  options.jobs = arguments.jobs;
  return options;
}

MutationRunOptions proof_options(const Arguments& arguments, std::uint64_t seed) {
  MutationRunOptions options;
  options.mutation.seed = seed;
  options.mutation.largest_count = arguments.largest;
  options.budget = parse_duration(arguments.prove_budget, "--prove-budget");
  options.jobs = arguments.jobs;
  return options;
}

/// The devices that `--device` names and that are not there. Throws Unsupported when no other is left.
std::vector<SkippedDevice> skipped_devices(const std::string& device) {
  const std::string no_cuda =
      "there is no CUDA device here: this build runs kernels on the emulated device only";
  if (device == "cuda") throw Unsupported(no_cuda);
  if (device == "all") return {{"cuda", no_cuda}};
  return {};
}

/// Adds what becomes of mutants of the kernels that were clean.
void prove(const std::vector<Assignment>& assignments, const MutationRunOptions& options,
           CampaignResult& result, ProgressLine& line) {
  std::vector<Assignment> clean;
  for (std::size_t i = 0; i < assignments.size(); ++i)
    if (result.report.kernels[i].verdict == Verdict::clean) clean.push_back(assignments[i]);
  MutationRun proof = run_mutations(representatives(clean), options, line);
  result.proof = std::move(proof.reports);
  result.interrupted = proof.interrupted;
}

/// What ran the kernels, where a GPU ran some.
std::string devices_of(const std::vector<Subject>& subjects, const std::string& gpu,
                       const std::string& others) {
  const bool only = std::ranges::all_of(subjects, [](const Subject& s) { return s.contract.is_host(); });
  return only ? gpu : fmt::format("{} and {}", others, gpu);
}

int audit(const Arguments& arguments, const Console& console) {
  // Everything that can be wrong with the arguments and the contracts is said before work begins.
  std::vector<SkippedDevice> skipped = skipped_devices(arguments.device);
  if (!arguments.report.empty()) check_report_folder(arguments.report);
  CampaignOptions options = campaign_options(arguments);
  const MutationRunOptions proof = proof_options(arguments, options.audit.seed);
  ProgressLine line;
  const CompileOptions compile_options = arguments.source.compile_options();
  std::vector<Subject> subjects = load_subjects(arguments.choice(), compile_options, console);
  say_that_it_is_guessed(subjects, console);
  const std::vector<Assignment> all = arguments.selected(subjects), assignments = arguments.sharded(all);
  options.shares_cases = all.size() > many_instances;
  const std::string gpu = skip_without_gpu(subjects);
  compile_subjects(subjects, compile_options, arguments.jobs, console, line);
  if (arguments.prove) check_all_excuses(assignments);
  CampaignResult result = run_campaign(assignments, options, line);
  result.report.skipped_devices = std::move(skipped);
  if (!gpu.empty()) result.report.device = devices_of(subjects, gpu, result.report.device);
  if (!result.wrong_input && !arguments.report.empty()) write_reports(arguments.report, result.report);
  if (arguments.prove && !result.wrong_input && !result.interrupted) prove(assignments, proof, result, line);
  return conclude(result, severity_named(arguments.fail_on).value(), console, line);
}

}  // namespace

Run attach_audit(CLI::App& app, Console& console) {
  auto a = std::make_shared<Arguments>();
  a->attach(app,
            fmt::format("40; where a run has more than {} instances, those of a contract share 80, at least "
                        "12 each",
                        many_instances));
  app.add_option("--device", a->device, "emulated, cuda or all; status 3 where one of them is not there")
      ->check(quietly(CLI::IsMember({"emulated", "cuda", "all"})))
      ->type_name("NAME");
  app.add_option(
         "--case", a->only_case,
         "Only this case, written as reports show it: a value for each variable of the contract's domain "
         "and a distribution, such as \"count=33 block=128 grid=1 uniform seed=7\"; distributions: " +
             recipe_names() + "; behind one, each after a +, modifiers: " + modifier_names())
      ->type_name("TEXT");
  app.add_option("--search", a->steered,
                 "Of the cases, so many are steered towards a larger error where a bound judges; default: a "
                 "quarter, at least 4")
      ->check(quietly(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40)))
      ->type_name("N");
  app.add_flag("--counters", a->counters,
               "Count what each instance does on 65536 elements with 256 threads a block, or the nearest");
  app.add_flag("--coverage", a->coverage,
               "Say how many cases there were of each class: counts, blocks, inputs, condition, laws, …");
  app.add_option("--store", a->store, "Folder of failing cases, replayed first; default: beside the contract")
      ->type_name("DIR");
  CLI::Option* prove = app.add_flag(
      "--prove", a->prove, "Delete or weaken one thing of a clean kernel at a time, and say what notices");
  app.add_option("--prove-budget", a->prove_budget, "Time for --prove; without it " + a->prove_budget)
      ->needs(prove)
      ->type_name("TIME");
  app.add_option("--report", a->report, "Folder for one report file a format")->type_name("DIR");
  return [a, &console] { return audit(*a, console); };
}

}  // namespace foldproof
