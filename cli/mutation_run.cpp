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

/// Mutants of one assignment that one process tries.
struct Slice {
  std::size_t assignment;
  std::vector<std::size_t> mutants;  ///< indices
};

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
  if (!subject.image) return {{}, subject.obstacle ? subject.obstacle->reason : ""};
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

namespace {

/// Tries mutants in several processes.
class MutationTrials {
 public:
  MutationTrials(const std::vector<Assignment>& assignments, const std::vector<AssignedMutants>& mutants,
                 const MutationRunOptions& options, ProgressLine& line)
      : assignments_(assignments), mutants_(mutants), options_(options), line_(line) {
    for (std::size_t i = 0; i < assignments.size(); ++i) {
      MutationReport& report = reports_.emplace_back(empty_report_of(assignments[i], mutants[i].reason));
      std::ranges::transform(mutants[i].mutants, std::back_inserter(report.mutants), untried);
    }
  }

  /// A slice has its share of the time. What other slices leave of theirs is for mutants that were not
  /// finished.
  MutationRun run() {
    std::vector<Slice> slices = unfinished();
    bool is_complete = run(slices);
    for (std::size_t left = size(slices); is_complete && has_time(); left = size(slices)) {
      slices = unfinished();
      if (slices.empty() || size(slices) >= left) break;
      is_complete = run(slices);
    }
    apply_equivalents(assignments_, reports_);
    return {std::string(emulated::device_name), std::move(reports_), !is_complete};
  }

 private:
  bool has_time() const { return options_.deadline && std::chrono::steady_clock::now() < *options_.deadline; }

  static std::size_t size(const std::vector<Slice>& slices) {
    std::size_t mutants = 0;
    for (const Slice& slice : slices) mutants += slice.mutants.size();
    return mutants;
  }

  /// The mutants without a result, except where there cannot be one.
  std::vector<Slice> unfinished() const {
    std::vector<Slice> slices;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      for (const std::size_t k : unfinished_of(reports_[i])) {
        const bool continues =
            !slices.empty() && slices.back().assignment == i && slices.back().mutants.size() < slice_size;
        if (!continues) slices.push_back({i, {}});
        slices.back().mutants.push_back(k);
      }
    }
    return slices;
  }

  /// If time may run out, barriers, fences and bounds come first, as in the table of mutations.
  std::vector<std::size_t> unfinished_of(const MutationReport& report) const {
    std::vector<std::size_t> mutants;
    for (std::size_t k = 0; k < report.mutants.size() && report.reason.empty(); ++k)
      if (report.mutants[k].status == MutantStatus::skipped) mutants.push_back(k);
    if (!options_.deadline) return mutants;
    const std::vector<MutationInfo> table = mutations();
    std::ranges::stable_sort(mutants, {}, [&](std::size_t k) {
      return std::ranges::find(table, report.mutants[k].mutation, &MutationInfo::name) - table.begin();
    });
    return mutants;
  }

  bool run(const std::vector<Slice>& slices) {
    TaskPool pool;
    pool.tasks = slices.size();
    pool.processes = options_.jobs;
    pool.memory = memory_share(pool.tasks, pool.processes);
    pool.can_end_early = true;
    pool.deadline = options_.deadline;
    pool.may_share_process = [](std::size_t) { return true; };
    pool.work = [&](std::size_t task, const TaskReporter& reporter) {
      MutationOptions mutation = options_.mutation;
      mutation.progress = reporter.done;
      if (options_.deadline)
        mutation.deadline =
            std::chrono::steady_clock::now() + share(*options_.deadline, slices.size() - task, options_.jobs);
      return try_slice(slices[task], mutation);
    };
    pool.finished = [&](std::size_t task, const Outcome& outcome) { take(slices[task], outcome); };
    pool.progress = [&](std::uint64_t running) {
      line_.show(
          fmt::format("mutants: {} of {}; running for {:.0f} s", tried_ + running, all(), line_.elapsed()));
    };
    return pool.run();
  }

  std::string try_slice(const Slice& slice, const MutationOptions& options) const {
    std::vector<Mutant> chosen;
    for (const std::size_t k : slice.mutants) chosen.push_back(mutants_[slice.assignment].mutants[k]);
    return checked(assignments_[slice.assignment], chosen, options);
  }

  /// Mutants of a process that did not finish remain skipped, with the reason in the report unless it is the
  /// time limit.
  void take(const Slice& slice, const Outcome& outcome) {
    MutationReport& report = reports_[slice.assignment];
    if (outcome.ending != Outcome::Ending::finished) {
      if (outcome.ending != Outcome::Ending::out_of_time) report.reason = outcome.reason();
      return;
    }
    const Json json = unpack(outcome.text);
    report.seconds += json.at("seconds").get<double>();
    for (std::size_t k = 0; k < slice.mutants.size(); ++k) {
      MutantReport& mutant = report.mutants[slice.mutants[k]];
      mutant = mutant_report_from(json.at("mutants").at(k));
      tried_ += mutant.status != MutantStatus::skipped ? 1 : 0;
    }
  }

  std::size_t all() const {
    std::size_t count = 0;
    for (const MutationReport& report : reports_) count += report.mutants.size();
    return count;
  }

  const std::vector<Assignment>& assignments_;
  const std::vector<AssignedMutants>& mutants_;
  const MutationRunOptions& options_;
  ProgressLine& line_;
  std::vector<MutationReport> reports_;
  std::size_t tried_ = 0;
};

}  // namespace

MutationRun run_mutations(const std::vector<Assignment>& assignments,
                          const std::vector<AssignedMutants>& mutants, const MutationRunOptions& options,
                          ProgressLine& line) {
  return MutationTrials(assignments, mutants, options, line).run();
}

}  // namespace foldproof
