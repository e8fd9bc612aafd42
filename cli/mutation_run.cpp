#include "cli/mutation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/interrupts.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "command/emulated.h"
#include "reports/mutation.h"

namespace foldproof {

namespace {

/// Mutants per process. A fixed number, so that results do not depend on the number of processes.
constexpr std::size_t slice_size = 8;

/// Mutants per run: every one is in the report, tried or not.
constexpr std::size_t most_mutants = std::size_t{1} << 17;
/// For mutants that must be generated before a deadline.
constexpr std::size_t largest_ptx = std::size_t{16} << 20;

struct Slice {
  std::size_t assignment;
  std::span<const Mutant> mutants;
};

std::vector<Slice> slices_of(const std::vector<AssignedMutants>& mutants) {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < mutants.size(); ++i)
    for (std::span<const Mutant> rest = mutants[i].mutants; !rest.empty();
         rest = rest.subspan(std::min(slice_size, rest.size())))
      slices.push_back({i, rest.first(std::min(slice_size, rest.size()))});
  return slices;
}

std::string checked(const Assignment& assignment, std::span<const Mutant> mutants,
                    const MutationOptions& options) {
  const Subject& subject = *assignment.subject;
  const auto runner = [] { return checked_runner(); };
  const auto begin = std::chrono::steady_clock::now();
  Json json = {{"mutants", Json::array()}};
  for (const MutantReport& mutant :
       try_mutants(subject.contract, *assignment.instance, subject.image, mutants, runner, options))
    json["mutants"].push_back(to_json(mutant));
  json["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return pack(json);
}

/// The reports of the slice's mutants; those without a result are skipped, with the reason in `report` unless
/// it is the time limit.
std::vector<MutantReport> reports_of(const Slice& slice, const Outcome& outcome, MutationReport& report) {
  std::vector<MutantReport> mutants;
  if (outcome.ending != Outcome::Ending::finished) {
    std::ranges::transform(slice.mutants, std::back_inserter(mutants), untried);
    if (outcome.ending != Outcome::Ending::out_of_time) report.reason = outcome.reason();
  } else {
    const Json json = unpack(outcome.text);
    report.seconds += json.at("seconds").get<double>();
    for (const Json& mutant : json.at("mutants")) mutants.push_back(mutant_report_from(mutant));
  }
  return mutants;
}

MutationReport empty_report_of(const Assignment& assignment, const std::string& reason) {
  const KernelReport kernel = empty_report(assignment.subject->contract, *assignment.instance);
  MutationReport report;
  report.kernel = kernel.kernel;
  report.id = kernel.id;
  report.label = kernel.label;
  report.file = kernel.file;
  report.reason = reason;
  return report;
}

/// Why the search for mutants ends; empty if it goes on.
std::string reason_to_stop(std::size_t mutants, std::size_t most, Deadline deadline) {
  if (is_interrupted()) return "the run was interrupted";
  if (deadline && std::chrono::steady_clock::now() >= *deadline)
    return "the time budget was exhausted before its mutants were generated";
  if (mutants > most)
    return fmt::format("the run has more than {} mutants; select some instances with --only or --shard",
                       most_mutants);
  return "";
}

/// All mutants of the assignment if there are at most `most` and the time suffices, otherwise none.
AssignedMutants generated(const Assignment& assignment, std::size_t most, Deadline deadline) {
  const Subject& subject = *assignment.subject;
  if (!subject.image) return {{}, subject.skipped};
  if (deadline && subject.image->ptx.text().size() > largest_ptx)
    return {{},
            fmt::format("its PTX is larger than {} MiB; `foldproof mutate` has no such limit",
                        largest_ptx >> 20)};
  AssignedMutants result;
  const auto goes_on = [&](std::size_t mutants) {
    result.reason = reason_to_stop(mutants, most, deadline);
    return result.reason.empty();
  };
  if (goes_on(0)) result.mutants = mutants_of(*assignment.instance, *subject.image, goes_on);
  if (!goes_on(result.mutants.size())) result.mutants.clear();
  return result;
}

void apply_equivalents(const std::vector<Assignment>& assignments, std::vector<MutationReport>& reports) {
  std::map<const Subject*, EquivalentMutants> equivalents;
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const Subject* subject = assignments[i].subject;
    try {
      equivalents.try_emplace(subject, subject->contract).first->second.apply(reports[i]);
    } catch (const InputError& error) {  // the source has disappeared since check_all_equivalents()
      reports[i].reason = error.what();
    }
  }
}

}  // namespace

std::vector<Assignment> representatives(const std::vector<Assignment>& assignments) {
  std::vector<Assignment> chosen;
  Bindings names;  ///< the non-numeric bindings of the last one chosen
  for (const Assignment& assignment : assignments) {
    Bindings words = assignment.instance->bindings;
    std::erase_if(words, [](const Binding& binding) {
      return binding.value.find_first_not_of("0123456789") == std::string::npos;
    });
    if (chosen.empty() || chosen.back().subject != assignment.subject) {
      chosen.push_back(assignment);
      names = words;
    } else if (words == names) {
      chosen.back() = assignment;
    }
  }
  return chosen;
}

void check_all_equivalents(const std::vector<Assignment>& assignments) {
  std::set<const Subject*> checked;
  for (const Assignment& assignment : assignments) {
    const Subject& subject = *assignment.subject;
    if (!subject.image || subject.contract.equivalents.empty() || !checked.insert(&subject).second) continue;
    std::vector<Mutant> all;
    for (const Instance& instance : subject.contract.instances)
      std::ranges::move(mutants_of(instance, *subject.image), std::back_inserter(all));
    EquivalentMutants(subject.contract).check(all);
  }
}

std::vector<AssignedMutants> mutants_of(const std::vector<Assignment>& assignments, Deadline deadline) {
  std::vector<AssignedMutants> all;
  std::size_t count = 0;
  for (const Assignment& assignment : assignments) {
    all.push_back(generated(assignment, most_mutants - count, deadline));
    count += all.back().mutants.size();
  }
  return all;
}

MutationRun run_mutations(const std::vector<Assignment>& assignments,
                          const std::vector<AssignedMutants>& mutants, const MutationRunOptions& options,
                          ProgressLine& line) {
  const std::vector<Slice> slices = slices_of(mutants);
  std::vector<std::vector<MutantReport>> results(slices.size());  // slices end in any order
  MutationRun run;
  run.device = emulated::device_name;
  for (std::size_t i = 0; i < assignments.size(); ++i)
    run.reports.push_back(empty_report_of(assignments[i], mutants[i].reason));

  TaskPool pool;
  pool.tasks = slices.size();
  pool.processes = options.jobs;
  pool.memory = memory_share(pool.tasks, pool.processes);
  pool.can_end_early = true;
  pool.deadline = options.deadline;
  pool.may_share_process = [](std::size_t) { return true; };
  pool.work = [&](std::size_t task, const TaskReporter& reporter) {
    MutationOptions mutation = options.mutation;
    mutation.progress = reporter.done;
    if (options.deadline)
      mutation.deadline =
          std::chrono::steady_clock::now() + share(*options.deadline, slices.size() - task, options.jobs);
    return checked(assignments[slices[task].assignment], slices[task].mutants, mutation);
  };
  std::size_t done = 0, all = 0;
  for (const Slice& slice : slices) all += slice.mutants.size();
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    done += slices[task].mutants.size();
    results[task] = reports_of(slices[task], outcome, run.reports[slices[task].assignment]);
  };
  pool.progress = [&](std::uint64_t running) {
    line.show(fmt::format("mutants: {} of {}; running for {:.0f} s", done + running, all, line.elapsed()));
  };
  run.interrupted = !pool.run();
  for (std::size_t task = 0; task < slices.size(); ++task)
    std::ranges::move(results[task], std::back_inserter(run.reports[slices[task].assignment].mutants));
  apply_equivalents(assignments, run.reports);
  return run;
}

}  // namespace foldproof
