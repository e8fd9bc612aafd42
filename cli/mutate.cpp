// foldproof mutate: weakens clean kernels one statement at a time, to see whether an audit would notice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/interrupts.h"
#include "cli/audit_arguments.h"
#include "cli/mutation_run.h"
#include "cli/verbs.h"
#include "command/compilation.h"
#include "command/parse.h"
#include "reports/mutation.h"

namespace foldproof {

namespace {

struct MutateCommandLine : AuditArguments {
  MutateCommandLine() { fail_on = name(MutationOptions{}.fail_on); }
  std::optional<double> floor;
  bool all_instances = false;
};

/// Drops the subjects that satisfy `is_unfit`. `what`: their description in the note, for one and for
/// several. Throws InputError if none is left: `why_nothing`.
void leave_out(std::vector<Subject>& subjects, bool (*is_unfit)(const Subject&), const char* why_nothing,
               const char* one, const char* several, const Console& console) {
  const auto left_out = std::erase_if(subjects, is_unfit);
  if (left_out == 0) return;
  if (subjects.empty()) throw InputError(fmt::format("there is nothing to mutate: {}", why_nothing));
  console.note(fmt::format("skipped: {} {}", left_out, left_out == 1 ? one : several));
}

/// A defect has its own findings, which would hide the effect of a mutant; and a library's kernels are not in
/// the PTX of the function that calls them.
void leave_out_unfit(std::vector<Subject>& subjects, const Console& console) {
  leave_out(
      subjects, [](const Subject& subject) { return !subject.contract.expected.empty(); },
      "the source announces findings, but only clean kernels are mutated", "kernel with announced findings",
      "kernels with announced findings", console);
  leave_out(
      subjects, [](const Subject& subject) { return subject.contract.is_host_function(); },
      "the contract calls host functions, which have no PTX", "contract that calls host functions",
      "contracts that call host functions", console);
  leave_out(
      subjects, [](const Subject& subject) { return subject.contract.no_fit.has_value(); },
      "no contract can be guessed; `foldproof audit` says why", "kernel for which no contract can be guessed",
      "kernels for which no contract can be guessed", console);
}

MutationRunOptions options_of(const MutateCommandLine& arguments) {
  MutationRunOptions options;
  options.mutation.cases = arguments.cases.value_or(options.mutation.cases);
  options.mutation.seed = parse_seed(arguments.seed);
  options.mutation.largest_count = arguments.largest.value_or(AuditOptions{}.largest_count);
  options.mutation.fail_on = severity_named(arguments.fail_on).value();
  options.deadline = arguments.deadline();
  options.jobs = arguments.jobs;
  return options;
}

/// The exit status; if the floor cannot be checked, notes that on standard error.
Exit conclude(const MutationRun& run, std::optional<double> floor, const Console& console) {
  if (run.interrupted || is_interrupted()) return exit_interrupted;
  const Exit status = exit_status(run.reports, floor);
  if (!floor || status != exit_unable) return status;
  std::uint64_t skipped = 0;
  for (const MutationReport& report : run.reports) skipped += report.count(MutantStatus::skipped);
  const auto without_result =
      std::ranges::count_if(run.reports, [](const MutationReport& report) { return !report.reason.empty(); });
  if (skipped > 0)
    console.note(fmt::format("{} not finished, so --floor cannot be checked; increase --budget",
                             skipped == 1 ? "1 mutant was" : fmt::format("{} mutants were", skipped)));
  else if (without_result > 0)
    console.note(
        fmt::format("{} no result, so --floor cannot be checked",
                    without_result == 1 ? "1 kernel has" : fmt::format("{} kernels have", without_result)));
  return status;
}

std::vector<AssignedMutants> checked_mutants(const std::vector<Assignment>& assignments, Deadline deadline) {
  const TimeLimit reading(deadline);
  check_all_equivalents(assignments);
  return mutants_of(assignments);
}

int mutate(const MutateCommandLine& arguments, const Console& console) {
  if (arguments.floor && std::isnan(*arguments.floor))
    throw InputError("--floor must be a number from 0 to 100");  // CLI::Range accepts NaN
  const MutationRunOptions options = options_of(arguments);
  ProgressLine line;
  CompileOptions compile_options = arguments.source.compile_options();
  compile_options.deadline = options.deadline;
  std::vector<Subject>& subjects = kept(load_subjects(arguments.choice(), compile_options, console));
  leave_out_unfit(subjects, console);
  say_that_it_is_guessed(subjects, console);
  std::vector<Assignment> assignments = arguments.selected(subjects);
  if (!arguments.all_instances) assignments = representatives(assignments);
  assignments = arguments.sharded(assignments);
  check_number(assignments);
  compile_subjects(subjects, compile_options, arguments.jobs, console, line);
  const std::vector<AssignedMutants> mutants = checked_mutants(assignments, options.deadline);
  const GracefulEnd graceful;  // from here on, there are results to print
  const MutationRun run = run_mutations(assignments, mutants, options, line);
  line.clear();
  const bool is_printed = console.writes([&] {
    console.print_as_asked(
        [&] { return to_json(run.reports, run.device, options.mutation.seed); },
        [&] {
          return to_text(run.reports, {console.colored(), console.width(), line.elapsed()});
        });
  });
  return exit_status(conclude(run, arguments.floor, console), is_printed);
}

}  // namespace

Run attach_mutate(CLI::App& app, Console& console) {
  auto a = std::make_shared<MutateCommandLine>();
  a->attach(app, fmt::format("Maximum number of cases per mutant (default: {})", MutationOptions{}.cases),
            "Lowest severity of a finding that kills a mutant (default: warning)");
  app.add_option(
         "--floor", a->floor,
         "Minimum score in percent; exit status 1 if the score is lower, 3 if a mutant was not finished")
      ->check(quietly(CLI::Range(0.0, 100.0)))
      ->type_name("PERCENT");
  app.add_flag("--all-instances", a->all_instances, "All instances, instead of one per contract");
  return [a, &console] { return mutate(*a, console); };
}

}  // namespace foldproof
