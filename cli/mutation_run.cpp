#include "cli/mutation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/memory.h"
#include "base/task_pool.h"
#include "command/emulated.h"
#include "reports/mutation.h"

namespace foldproof {

namespace {

/// Mutants per process. A fixed number, so that results do not depend on the number of processes.
constexpr std::size_t slice_size = 8;

struct Slice {
  std::size_t assignment;
  std::span<const Mutant> mutants;
};

std::vector<Slice> slices_of(const std::vector<std::vector<Mutant>>& mutants) {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < mutants.size(); ++i)
    for (std::span<const Mutant> rest = mutants[i]; !rest.empty();
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

void take(MutationReport& report, const Slice& slice, const Outcome& outcome) {
  if (outcome.ending == Outcome::Ending::out_of_time) {
    std::ranges::transform(slice.mutants, std::back_inserter(report.mutants), untried);
    return;
  }
  if (outcome.ending != Outcome::Ending::finished) {
    report.reason = outcome.reason();
    return;
  }
  const Json json = unpack(outcome.text);
  report.seconds += json.at("seconds").get<double>();
  for (const Json& mutant : json.at("mutants")) report.mutants.push_back(mutant_report_from(mutant));
}

/// Slices end in any order.
void sort_by_place(MutationReport& report, const std::vector<Mutant>& mutants) {
  std::map<std::tuple<std::string, unsigned, std::string>, std::size_t> order;
  const auto key = [](const auto& m) { return std::tuple(m.at.file, m.at.line, m.change); };
  for (std::size_t i = 0; i < mutants.size(); ++i) order[key(mutants[i])] = i;
  std::ranges::sort(report.mutants, {}, [&](const MutantReport& m) { return order.at(key(m)); });
}

MutationReport empty_report_of(const Assignment& assignment) {
  const KernelReport kernel = empty_report(assignment.subject->contract, *assignment.instance);
  MutationReport report;
  report.kernel = kernel.kernel;
  report.id = kernel.id;
  report.label = kernel.label;
  report.file = kernel.file;
  report.reason = assignment.subject->skipped;
  return report;
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
    check_equivalents(subject.contract, all);
  }
}

std::vector<std::vector<Mutant>> mutants_of(const std::vector<Assignment>& assignments) {
  std::vector<std::vector<Mutant>> mutants;
  for (const Assignment& assignment : assignments)
    mutants.push_back(assignment.subject->image ? mutants_of(*assignment.instance, *assignment.subject->image)
                                                : std::vector<Mutant>{});
  return mutants;
}

MutationRun run_mutations(const std::vector<Assignment>& assignments,
                          const std::vector<std::vector<Mutant>>& mutants, const MutationRunOptions& options,
                          ProgressLine& line) {
  const std::vector<Slice> slices = slices_of(mutants);
  MutationRun run;
  run.device = emulated::device_name;
  for (const Assignment& assignment : assignments) run.reports.push_back(empty_report_of(assignment));

  TaskPool pool;
  pool.tasks = slices.size();
  pool.processes = options.jobs;
  pool.memory = memory_share(pool.tasks, pool.processes);
  pool.can_end_early = true;
  pool.deadline = options.deadline;
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
    take(run.reports[slices[task].assignment], slices[task], outcome);
  };
  pool.progress = [&](std::uint64_t running) {
    line.show(fmt::format("mutants: {} of {}; running for {:.0f} s", done + running, all, line.elapsed()));
  };
  run.interrupted = !pool.run();
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    sort_by_place(run.reports[i], mutants[i]);
    apply_equivalents(run.reports[i], assignments[i].subject->contract);
  }
  return run;
}

}  // namespace foldproof
