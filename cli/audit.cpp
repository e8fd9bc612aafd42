// foldproof audit: checks every instance of one or more contracts.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "base/files.h"
#include "base/interrupts.h"
#include "base/memory.h"
#include "cli/audit_arguments.h"
#include "cli/campaign.h"
#include "cli/case_text.h"
#include "cli/mutation_run.h"
#include "cli/verbs.h"
#include "command/compilation.h"
#include "command/kernel_files.h"
#include "command/large_tools.h"
#include "command/parse.h"
#include "command/shared_options.h"
#include "contracts/compile_commands.h"
#include "devices/gpus.h"
#include "properties/distributions.h"
#include "reports/terminal.h"
#include "reports/writers.h"

namespace foldproof {

namespace {

struct AuditCommandLine : AuditArguments {
  std::string device = "emulated", sanitizer, case_limit, report, store, only_case, prove_budget = "30s";
  std::optional<std::uint64_t> guided, least_cases;
  std::optional<int> skip_status;
  bool prove = false, counters = false, coverage = false, large = false, strict = false;
};

CampaignOptions campaign_options(const AuditCommandLine& arguments) {
  CampaignOptions options;
  options.cases = arguments.cases;
  options.largest_count = arguments.largest;
  options.audit.guided = arguments.guided;
  options.audit.least_cases = arguments.least_cases;
  options.audit.seed = parse_seed(arguments.seed);
  options.deadline = arguments.deadline();
  if (!arguments.store.empty()) options.store = settled_path(arguments.store);
  if (!arguments.only_case.empty()) options.only_case = parse_case(arguments.only_case);
  if (!arguments.case_limit.empty())
    options.case_limit = parse_duration(arguments.case_limit, "--case-limit");
  options.counters = arguments.counters;
  options.coverage = arguments.coverage;
  options.jobs = arguments.jobs;
  options.replay_options = arguments.source.words();
  return options;
}

MutationRunOptions proof_options(const AuditCommandLine& arguments, std::uint64_t seed) {
  MutationRunOptions options;
  options.mutation.seed = seed;
  if (arguments.cases) options.mutation.cases = *arguments.cases;
  options.mutation.largest_count = arguments.largest.value_or(AuditOptions{}.largest_count);
  options.jobs = arguments.jobs;
  return options;
}

/// Throws InputError if `--large` can run none of them.
void check_some_are_large(const std::vector<Assignment>& assignments) {
  const auto is_served = [](const Assignment& assignment) {
    return serves_large_counts(*assignment.instance);
  };
  if (std::ranges::none_of(assignments, is_served))
    throw InputError(
        "--large has nothing to run: no selected contract claims a single sum of more than 2^20 "
        "floating-point elements");
}

/// The GPU, if `--device` names it: its name, or why it is not available. Throws Unsupported if no other
/// device was requested.
struct AskedGpu {
  std::string name, architecture;
  std::vector<SkippedDevice> skipped;
};
AskedGpu asked_gpu(const std::string& device, Deadline deadline) {
  if (device == "emulated") return {};
  if (device == "all" && !gpus(deadline).lack.empty()) return {"", "", {{"cuda", gpus().lack}}};
  const Gpus& present = present_gpus(deadline);
  return {present.name, present.architecture, {}};
}

/// Whether `--strict` turns success into exit_unable.
bool is_partial(const AuditReport& report) {
  const auto was_skipped = [](const KernelReport& kernel) { return kernel.verdict == Verdict::skipped; };
  return leaves_something_out(report) || std::ranges::any_of(report.kernels, was_skipped);
}

/// The source of a kernel whose contract is nothing but a guess, if there is one.
std::optional<std::string> guessed_source(const std::vector<Subject>& subjects) {
  const auto found = std::ranges::find_if(
      subjects, [](const Subject& subject) { return subject.is_guessed() && subject.contract.as.empty(); });
  return found == subjects.end() ? std::nullopt : std::optional(found->contract.source.string());
}

/// Whether a missing GPU is the only reason why the status is exit_unable.
bool lacks_only_gpu(const CampaignResult& result, bool strict) {
  const auto is_gpu = [](const SkippedDevice& skipped) { return skipped.device == "cuda"; };
  return !result.is_incomplete && !result.lack && !(strict && leaves_something_out(result.report)) &&
         std::ranges::all_of(result.report.skipped_devices, is_gpu) &&
         std::ranges::none_of(result.report.kernels, is_open);
}

/// The tools of compute-sanitizer that `--sanitizer` names. With `--device all`, a compute-sanitizer that
/// cannot be used is skipped.
std::vector<const compute_sanitizer::Tool*> asked_tools(const AuditCommandLine& a, Deadline deadline,
                                                        AskedGpu& gpu) {
  try {
    return tools_named(a.sanitizer, deadline);
  } catch (const Unsupported& error) {
    if (a.device != "all") throw;
    gpu.skipped.push_back({"cuda/" + a.sanitizer, error.sentence()});
    return {};
  }
}

/// `--large` has its own cases, and runs only on the GPU.
void check_large(const AuditCommandLine& a) {
  if (a.device == "emulated") throw InputError("--large requires a GPU; add --device cuda or --device all");
  const std::pair<const char*, bool> others[] = {{"--sanitizer", !a.sanitizer.empty()},
                                                 {"--case", !a.only_case.empty()},
                                                 {"--cases", a.cases.has_value()},
                                                 {"--search", a.guided.has_value()},
                                                 {"--budget", !a.budget.empty()},
                                                 {"--counters", a.counters},
                                                 {"--coverage", a.coverage},
                                                 {"--prove", a.prove}};
  for (const auto& [name, is_given] : others)
    if (is_given) throw InputError(fmt::format("--large generates its own cases; omit it or {}", name));
  if (a.largest && *a.largest < least_large_count)
    throw InputError(
        fmt::format("--large requires --largest to be at least {}; raise it or omit it", least_large_count));
}

/// Each of the instances on each requested device that is available, under each of the tools, or with large
/// inputs.
std::vector<Assignment> on_devices(const std::vector<Assignment>& all, const AuditCommandLine& arguments,
                                   const std::vector<const compute_sanitizer::Tool*>& tools, bool has_gpu) {
  const std::string& device = arguments.device;
  std::vector<Assignment> assignments;
  if (device != "cuda") assignments = all;
  if (!has_gpu) return assignments;
  const auto add = [&](const compute_sanitizer::Tool* tool) {
    for (Assignment assignment : all) {
      if (is_host_function(*assignment.instance) && (device == "all" || tool != nullptr))
        continue;  // these use the GPU anyway
      assignment.device = RunsOn::cuda;
      assignment.tool = tool;
      assignments.push_back(assignment);
    }
  };
  if (!arguments.large && (tools.empty() || device == "all")) add(nullptr);
  for (const auto* tool : tools) add(tool);
  for (const Assignment& assignment : all)
    if (arguments.large && serves_large_counts(*assignment.instance))
      assignments.push_back({assignment.subject, assignment.instance, RunsOn::cuda, nullptr, true});
  return assignments;
}

/// A source is compiled only if an instance of it is audited.
void skip_unassigned(std::vector<Subject>& subjects, const std::vector<Assignment>& assignments) {
  std::set<const Subject*> audited;
  for (const Assignment& assignment : assignments) audited.insert(assignment.subject);
  for (Subject& subject : subjects)
    if (subject.can_run() && !audited.contains(&subject))
      subject.obstacle = Obstacle{Verdict::skipped, "none of its instances is audited in this run"};
}

/// The files of an audited folder whose kernels contracts should cover.
KernelFiles kernel_files(const AuditCommandLine& arguments, const std::vector<Subject>& subjects,
                         const CompileOptions& options) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(arguments.path, error);
  if (!arguments.entry.empty() || !is_folder) return KernelFiles({}, {});  // an entry loads few contracts
  const TimeLimit reading(options.deadline);
  std::vector<std::string> flags = options.flags;
  for (const Subject& subject : subjects)
    flags.insert(flags.end(), subject.contract.flags.begin(), subject.contract.flags.end());
  if (!options.compile_commands.empty())
    std::ranges::move(all_flags_of_database(options.compile_commands), std::back_inserter(flags));
  return KernelFiles(arguments.path, flags);
}

/// The results of the audit are printed even if this fails.
std::vector<std::string> uncovered_files(const KernelFiles& files, const std::vector<Subject>& subjects,
                                         const Console& console) {
  try {
    return files.not_covered_by(subjects);
  } catch (const std::bad_alloc&) {
    console.complain("there is too little memory to find out which files the contracts cover", {});
    return files.all();
  }
}

/// Checks the annotations that --prove uses.
void check_annotations(const std::vector<Assignment>& assignments, Deadline deadline) {
  const TimeLimit reading(deadline);
  check_all_equivalents(assignments);
}

/// Whether nothing was found but what happens outside the guessed domain, in which all mutants run.
bool is_clean_in_domain(const KernelReport& report, const Assignment& assignment) {
  const auto is_precondition = [&](const Finding& finding) {
    return std::ranges::any_of(assignment.subject->contract.preconditions, [&](const Finding& outside) {
      return outside.kind == finding.kind && outside.message == finding.message;
    });
  };
  const bool has_only_preconditions = std::ranges::all_of(report.findings, is_precondition);
  return report.verdict == Verdict::clean ||
         (report.verdict == Verdict::findings && report.reason.empty() && has_only_preconditions);
}

/// Adds the mutation results of the kernels that were clean. Host functions have no PTX to change.
void prove(const std::vector<Assignment>& assignments, const MutationRunOptions& options,
           CampaignResult& result, ProgressLine& line) {
  std::vector<Assignment> clean;
  for (std::size_t i = 0; i < assignments.size(); ++i)
    if (is_clean_in_domain(result.report.kernels[i], assignments[i]) &&
        !is_host_function(*assignments[i].instance))
      clean.push_back(assignments[i]);
  clean = representatives(clean);
  MutationRun proof = run_mutations(clean, mutants_of(clean, options.deadline), options, line);
  result.proof = std::move(proof.reports);
  result.interrupted = proof.interrupted;
}

/// The same, but a failure is noted, so that the audit's results are still printed.
bool proves(const std::vector<Assignment>& assignments, const MutationRunOptions& options,
            CampaignResult& result, const Console& console, ProgressLine& line) {
  const auto fail = [&](const std::string& why, const Position& at) {
    line.clear();
    console.complain("--prove failed: " + why, at);
    return false;
  };
  try {
    prove(assignments, options, result, line);
    return true;
  } catch (const Unsupported& error) {
    return fail(error.sentence(), error.position());
  } catch (const InputError& error) {
    return fail(error.sentence(), error.position());
  } catch (const std::bad_alloc&) {
    return fail(fmt::format("it needs more than {} MiB of memory", memory_limit() >> 20), {});
  }
}

/// The devices that ran the kernels: the emulated device, a GPU, or both.
std::string devices_of(const std::vector<Assignment>& assignments, const std::string& gpu,
                       const std::string& emulated) {
  const auto uses_gpu = [](const Assignment& a) {
    return a.device == RunsOn::cuda || is_host_function(*a.instance);
  };
  if (gpu.empty() || std::ranges::none_of(assignments, uses_gpu)) return emulated;
  return std::ranges::all_of(assignments, uses_gpu) ? gpu : fmt::format("{} and {}", emulated, gpu);
}

/// The status if `--device cuda` cannot be served: that of a wrong path, contract or selection comes first.
int without_gpu(const AuditCommandLine& arguments, Deadline deadline, const Console& console) {
  CompileOptions compile_options = arguments.source.compile_options();
  compile_options.deadline = deadline;
  const std::vector<Subject> subjects = load_subjects(arguments.choice(), compile_options, console);
  check_number(arguments.sharded(arguments.selected(subjects)));
  try {
    tools_named(arguments.sanitizer, deadline);
  } catch (const Unsupported&) {  // no tool without a GPU
  }
  console.fail(gpus(deadline).lack, {});
  return arguments.skip_status.value_or(exit_unable);
}

int audit(const AuditCommandLine& arguments, const Console& console) {
  std::optional<ReportFolder> reports;
  // A machine without room for the reports must still find what is wrong.
  const bool has_reports = console.writes([&] {
    if (!arguments.report.empty()) reports.emplace(arguments.report);
  });
  // All errors in the arguments and the contracts are reported before work begins.
  check_has_gpu(arguments.sanitizer, arguments.device != "emulated");
  if (arguments.large) check_large(arguments);
  CampaignOptions options = campaign_options(arguments);
  if (arguments.device == "cuda" && !gpus(options.deadline).lack.empty())
    return without_gpu(arguments, options.deadline, console);
  AskedGpu gpu = asked_gpu(arguments.device, options.deadline);
  const auto tools = asked_tools(arguments, options.deadline, gpu);
  refuse_links(arguments.store);
  MutationRunOptions proof = proof_options(arguments, options.audit.seed);
  const std::chrono::milliseconds proof_time = parse_duration(arguments.prove_budget, "--prove-budget");
  ProgressLine line;
  CompileOptions compile_options = arguments.source.compile_options();
  compile_options.deadline = options.deadline;
  compile_options.machine = gpu.architecture;
  std::vector<Subject>& subjects = kept(load_subjects(arguments.choice(), compile_options, console));
  say_that_it_is_guessed(subjects, console);
  const KernelFiles files = kernel_files(arguments, subjects, compile_options);
  const bool has_gpu = !gpu.name.empty();
  const std::vector<Assignment> all = arguments.selected(subjects),
                                assignments = on_devices(arguments.sharded(all), arguments, tools, has_gpu);
  check_number(assignments);
  if (arguments.large) check_some_are_large(all);
  options.shares_cases = all.size() > many_instances;
  if (const std::string name = skip_without_gpu(subjects, options.deadline); gpu.name.empty())
    gpu.name = name;
  skip_unassigned(subjects, assignments);
  Compilation compilation(subjects, compile_options);
  // --prove checks its annotations against all PTX before work begins.
  if (arguments.prove) {
    if (!run(compilation, options.deadline, arguments.jobs, line)) {
      complain(compilation.errors(), console);
      throw Interrupted{};
    }
    check_annotations(assignments, options.deadline);
  }
  if (!console.json() && subjects.size() > 1)
    options.subject_done = [&](std::span<const KernelReport> instances) {
      line.clear();
      console.progress(kernel_line(instances));
    };
  std::optional<LargeTools> large;
  if (arguments.large && has_gpu) options.large_tools = large.emplace(compile_options, console).tools();
  const GracefulEnd graceful;  // from here on, there are results to print
  CampaignResult result = run_campaign(assignments, compilation, options, line);
  result.report.skipped_devices = std::move(gpu.skipped);
  result.report.sources_without_contract = uncovered_files(files, subjects, console);
  result.report.device = devices_of(assignments, gpu.name, result.report.device);
  const bool is_written = has_reports && (is_refused(result) || !reports ||
                                          console.writes([&] { reports->write(result.report); }));
  proof.deadline = earlier(options.deadline, std::chrono::steady_clock::now() + proof_time);
  const bool wants_proof = arguments.prove && !is_refused(result) && !result.interrupted;
  const bool is_proven = !wants_proof || proves(assignments, proof, result, console, line);
  Exit status = conclude(result, severity_named(arguments.fail_on).value(), console, line);
  if (arguments.strict) {
    const auto guessed = guessed_source(subjects);
    const bool leaves_out = is_partial(result.report);
    if (guessed)
      console.complain("--strict requires a contract; `foldproof init` writes the guessed one", {*guessed});
    if (leaves_out)
      console.note(
          "--strict: something was skipped or not audited (see the report), so the exit status is not 0");
    status = exit_status(status, !guessed && !leaves_out);
  }
  if (status == exit_unable && is_written && is_proven && lacks_only_gpu(result, arguments.strict))
    return arguments.skip_status.value_or(exit_unable);
  return exit_status(status, is_written && is_proven);
}

}  // namespace

Run attach_audit(CLI::App& app, Console& console) {
  auto a = std::make_shared<AuditCommandLine>();
  a->attach(
      app,
      fmt::format("Cases per instance (default: {}; in a run of more than {} instances, the instances of "
                  "each contract share {} cases, with at least {} each); for --prove, the maximum per "
                  "mutant (default: {})",
                  AuditOptions{}.cases, many_instances, shared_cases, least_cases, MutationOptions{}.cases),
      about_fail_on);
  app.add_option("--device", a->device,
                 "Device: emulated, cuda or all; exit status 3 if one of them is not available")
      ->check(quietly(CLI::IsMember({"emulated", "cuda", "all"})))
      ->type_name("NAME");
  add_case_limit(app, a->case_limit);
  add_sanitizer(app, a->sanitizer, "With --device cuda or all, in 12 cases each");
  app.add_flag("--large", a->large,
               "With --device cuda or all: instead of the usual cases, sums of up to 2^32 + 9 elements "
               "generated in GPU memory, compared with their exact sums");
  app.add_option(
         "--case", a->only_case,
         "Run a single case, written as in reports: a value for each variable of the contract's domain and a "
         "distribution, such as \"count=33 block=128 grid=1 uniform seed=7\"; distributions: " +
             names_of(distributions()) +
             "; followed by transforms, each after a +: " + names_of(transforms()))
      ->type_name("TEXT");
  app.add_option("--search", a->guided,
                 "Cases spent on guided search for a larger error (default: a quarter, at least 4)")
      ->check(quietly(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40)))
      ->type_name("N");
  app.add_option("--min-cases", a->least_cases,
                 "Minimum number of cases per instance; an instance that --budget ends with fewer is skipped "
                 "(default: all its cases)")
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32)))
      ->type_name("N");
  app.add_option(
         "--skip-status", a->skip_status,
         "Exit status if nothing failed and only audits that need a missing GPU, such as those of host "
         "functions, could not run (default: 3)")
      ->check(quietly(CLI::Range(1, 255)))
      ->type_name("N");
  app.add_flag(
      "--strict", a->strict,
      "Also exit with status 3 if an instance was skipped, or if the report lists a kernel, a launch, a "
      "source or a stored case as not audited");
  app.add_flag(
      "--counters", a->counters,
      "Report performance counters for each instance, measured with 65536 elements and 256 threads per block "
      "or the nearest values that the contract permits");
  app.add_flag("--verbose,-v", console.verbose, "Also show how the values of clean kernels were checked");
  app.add_flag("--coverage", a->coverage, "Report input coverage: cases by count, block, distribution, …");
  app.add_option(
         "--store", a->store,
         "Folder for failing cases (default: next to the contract); cases stored in either one run first")
      ->take_last()
      ->type_name("DIR");
  CLI::Option* prove = app.add_flag("--prove", a->prove,
                                    "Mutation-test the clean kernels: delete or weaken one statement at a "
                                    "time and report what detects it");
  app.add_option("--prove-budget", a->prove_budget,
                 "Time budget for --prove, within --budget; default: " + a->prove_budget)
      ->needs(prove)
      ->type_name("TIME");
  app.add_option("--report", a->report,
                 "Folder for reports, one file per format; those of an earlier run are removed first")
      ->type_name("DIR");
  return
      [a, &console] { return a->reference.asks_for_list() ? list_references(console) : audit(*a, console); };
}

}  // namespace foldproof
