#include "cli/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/interrupts.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "cli/instance_group.h"
#include "command/emulated.h"
#include "command/gpu_workers.h"
#include "command/program.h"
#include "reports/mutation.h"
#include "reports/terminal.h"

namespace foldproof {

namespace {

using std::chrono::milliseconds;

/// Instances whose cases run together under a tool of compute-sanitizer, which takes seconds to start.
constexpr std::size_t instances_of_a_tool = 4;
/// Large inputs fill a GPU's memory.
constexpr unsigned most_large_processes = 4;

Json json_of(const CampaignResult& result) {
  Json json = to_json(result.report);
  if (result.proof) json["mutation"] = to_json(*result.proof, result.report.device, result.report.seed);
  return json;
}

/// The exit status of the audit, or of the proof if that is worse.
Exit exit_status(const CampaignResult& result, Severity fail_on) {
  const Exit audit = exit_status(result.report, fail_on);
  const Exit proof = result.proof ? exit_status(*result.proof, std::nullopt) : exit_ok;
  return audit == exit_ok || proof == exit_findings ? proof : audit;
}

std::string text_of(const CampaignResult& result, const TerminalStyle& style) {
  const std::string text = to_text(result.report, style);
  return result.proof ? text + "\n" + proof_text(*result.proof, style) : text;
}

std::vector<InstanceGroup> groups_of(const std::vector<Assignment>& assignments) {
  std::vector<InstanceGroup> groups;
  for (InstanceGroup left = assignments; !left.empty(); left = left.subspan(groups.back().size())) {
    std::size_t count = 1;
    while (left[0].tool != nullptr && count < std::min(left.size(), instances_of_a_tool) &&
           left[count].tool == left[0].tool)
      ++count;
    groups.push_back(left.first(count));
  }
  return groups;
}

std::uint64_t total_cases(const std::vector<Assignment>& assignments, const CampaignOptions& options) {
  std::uint64_t cases = 0;
  for (const Assignment& assignment : assignments) cases += cases_of(assignment, options);
  return cases;
}

/// Number of parallel processes.
unsigned processes_for(const std::vector<Assignment>& assignments, unsigned jobs) {
  const bool has_large = std::ranges::any_of(assignments, &Assignment::is_large);
  return has_large ? std::min(jobs, most_large_processes) : jobs;
}

bool needs_gpu_worker(const Assignment& assignment) {
  return assignment.device == RunsOn::cuda && assignment.tool == nullptr && !assignment.is_large &&
         !is_host_function(*assignment.instance);
}

}  // namespace

std::vector<Subject>& kept(std::vector<Subject> subjects) {
  static auto& all = *new std::list<std::vector<Subject>>;
  return all.emplace_back(std::move(subjects));
}

milliseconds share(std::chrono::steady_clock::time_point deadline, std::size_t left, unsigned jobs) {
  const double remaining =
      std::chrono::duration<double, std::milli>(deadline - std::chrono::steady_clock::now()).count();
  const double each =
      remaining * std::min<double>(jobs, static_cast<double>(left)) / static_cast<double>(left);
  return milliseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(each)));
}

namespace {

/// One run of a campaign: compilations and audits as tasks of one pool.
class Campaign {
 public:
  Campaign(const std::vector<Assignment>& assignments, Compilation& compilation,
           const CampaignOptions& options, ProgressLine& line)
      : assignments_(assignments),
        compilation_(compilation),
        options_(options),
        line_(line),
        groups_(groups_of(assignments)),
        workers_(gpu_worker_options(options.case_limit.value_or(gpu_case_limit))) {
    result_.report.device = emulated::device_name;
    result_.report.seed = options.audit.seed;
    result_.report.kernels.resize(assignments.size());
    has_ended_.resize(assignments.size());
  }

  CampaignResult run() {
    plan();
    result_.interrupted = !run_tasks();
    while (!result_.interrupted && plan_again()) result_.interrupted = !run_tasks();
    for (std::size_t at = 0; at < assignments_.size(); ++at)
      if (result_.report.kernels[at].is_cut_off) announce(at);
    for (const InputError& error : compilation_.errors()) add_error(error);
    result_.lack = compilation_.lack();
    for (std::size_t at = 0; at < assignments_.size(); ++at) result_.is_incomplete |= is_incomplete(at);
    add_other_kernels();
    return std::move(result_);
  }

 private:
  /// The compilation of a subject, or the audit of a group.
  struct Task {
    bool compiles;
    std::size_t index;
    std::size_t left = 0;  ///< audits that have not started, this one included
  };

  /// Returns false if the user interrupted the run.
  bool run_tasks() {
    TaskPool pool;
    pool.tasks = tasks_.size();
    pool.processes = processes_for(assignments_, options_.jobs);
    pool.can_end_early = true;
    pool.deadline = options_.deadline;
    pool.memory = memory_share(std::max(groups_.size(), compilation_.tasks()), pool.processes);
    const milliseconds patience = options_.case_limit.value_or(emulated_case_limit);
    pool.patience = [&](std::size_t task) {
      return is_emulated_audit(task) ? std::optional(patience) : std::nullopt;
    };
    pool.time = [&](std::size_t task) -> std::optional<milliseconds> {
      if (!options_.deadline || !is_emulated_audit(task)) return std::nullopt;
      constexpr milliseconds to_end_between_cases{200};
      return share_of(task) + to_end_between_cases;
    };
    pool.can_start = [&](std::size_t task) { return can_start(task); };
    pool.may_share_process = [&](std::size_t task) { return is_emulated_audit(task); };
    pool.starting = [&](std::size_t task, unsigned slot) {
      if (!tasks_[task].compiles && needs_gpu_worker(group(task).front())) workers_.prepare(slot);
    };
    pool.work = [&](std::size_t task, const TaskReporter& reporter) {
      return tasks_[task].compiles ? compilation_.work(tasks_[task].index) : audit(task, reporter);
    };
    pool.finished = [&](std::size_t task, const Outcome& outcome) {
      if (tasks_[task].compiles)
        compilation_.finished(tasks_[task].index, outcome);
      else
        take(task, outcome);
    };
    const std::uint64_t all_cases = total_cases(assignments_, options_);
    pool.progress = [&](std::uint64_t running) {
      show_progress(std::min(cases_ + running, all_cases), all_cases);
    };
    return pool.run();
  }

  void add_other_kernels() {
    std::map<const Subject*, std::string> known;
    for (const Assignment& assignment : assignments_) {
      const auto [at, is_new] = known.try_emplace(assignment.subject);
      if (is_new) at->second = compilation_.other_kernels(*assignment.subject);
      if (!at->second.empty()) report_of(assignment).not_audited.push_back(at->second);
    }
  }

  /// Each subject before the first group that needs it.
  void plan() {
    std::map<const Subject*, std::size_t> to_compile;
    for (std::size_t i = 0; i < compilation_.tasks(); ++i)
      for (const Subject* subject : compilation_.group_of(i)) to_compile.emplace(subject, i);
    std::set<std::size_t> planned;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      for (const Assignment& assignment : groups_[i])
        if (const auto found = to_compile.extract(assignment.subject);
            !found.empty() && !compilation_.is_done(*assignment.subject) &&
            planned.insert(found.mapped()).second)
          tasks_.push_back({true, found.mapped()});
      tasks_.push_back({false, i, groups_.size() - i});
    }
  }

  /// Plans a second audit of instances that their share of the budget cut off, of as many as can each get
  /// clearly more time than they had. Returns whether there are any.
  bool plan_again() {
    tasks_.clear();
    if (!options_.deadline || std::chrono::steady_clock::now() >= *options_.deadline) return false;
    double longest = 0;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const KernelReport& report = report_of(groups_[i].front());
      if (!report.is_cut_off || groups_[i].front().tool != nullptr) continue;
      tasks_.push_back({false, i});
      longest = std::max(longest, report.seconds);
    }
    constexpr double clearly_more = 1.5;
    const auto gives_more = [&] {
      const milliseconds each = share(*options_.deadline, tasks_.size(), options_.jobs);
      return std::chrono::duration<double>(each).count() > clearly_more * longest;
    };
    while (!tasks_.empty() && !gives_more()) tasks_.pop_back();
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      tasks_[k].left = tasks_.size() - k;
      cases_ -= report_of(group(k).front()).cases;
      --ended_;
    }
    return !tasks_.empty();
  }

  std::size_t index_of(const Assignment& assignment) const {
    return static_cast<std::size_t>(&assignment - assignments_.data());
  }

  KernelReport& report_of(const Assignment& assignment) {
    return result_.report.kernels[index_of(assignment)];
  }

  /// Whether a time limit left the instance unchecked.
  bool is_incomplete(std::size_t at) {
    const Assignment& assignment = assignments_[at];
    const bool lacks_a_device = !assignment.subject->can_run() || is_host_function(*assignment.instance);
    const KernelReport& report = result_.report.kernels[at];
    const std::uint64_t least = options_.audit.least_cases.value_or(cases_of(assignment, options_));
    return assignment.subject->is_out_of_time || (report.is_cut_off && report.cases < least) ||
           (report.verdict == Verdict::skipped && !lacks_a_device);
  }

  InstanceGroup group(std::size_t task) const { return groups_[tasks_[task].index]; }

  bool is_emulated_audit(std::size_t task) const {
    return !tasks_[task].compiles && runs_on_emulated_device(group(task).front());
  }

  bool can_start(std::size_t task) const {
    if (tasks_[task].compiles) return true;
    return std::ranges::all_of(
        group(task), [&](const Assignment& assignment) { return compilation_.is_done(*assignment.subject); });
  }

  milliseconds share_of(std::size_t task) const {
    return share(*options_.deadline, tasks_[task].left, options_.jobs);
  }

  std::string audit(std::size_t task, const TaskReporter& reporter) const {
    const auto options_for = [&](const Assignment& assignment) {
      CampaignOptions own = options_of(assignment, options_, reporter);
      if (options_.deadline && assignment.tool == nullptr) own.audit.budget = share_of(task);
      return own;
    };
    return audit_group(group(task), workers_, options_for, reporter);
  }

  void take(std::size_t task, const Outcome& outcome) {
    ended_ += group(task).size();
    const auto can_run = [](const Assignment& assignment) { return assignment.subject->can_run(); };
    result_.has_results |= std::ranges::any_of(group(task), can_run) &&
                           (outcome.ending != Outcome::Ending::wrong_input || !outcome.so_far.empty());
    if (outcome.ending == Outcome::Ending::wrong_input) add_error(InputError(outcome.text, outcome.position));
    auto assignment = group(task).begin();
    for (KernelReport& one : reports_of(group(task), outcome)) {
      KernelReport& report = report_of(*assignment++);
      if (!shows_less(one, report)) report = std::move(one);
      cases_ += report.cases;
    }
    if (outcome.ending == Outcome::Ending::interrupted || outcome.ending == Outcome::Ending::out_of_time)
      return;
    for (const Assignment& one : group(task))
      if (!report_of(one).is_cut_off) announce(index_of(one));
  }

  /// Whether an audit that was cut off again shows less than the earlier one.
  static bool shows_less(const KernelReport& again, const KernelReport& earlier) {
    if (again.findings.empty() && !earlier.findings.empty() && again.verdict != Verdict::clean) return true;
    return (again.is_cut_off || again.verdict == Verdict::skipped) && again.cases < earlier.cases;
  }

  /// The instances of a contract may all have the same error.
  void add_error(const InputError& error) {
    const auto is_same = [&](const InputError& other) {
      return std::string_view(other.what()) == error.what();
    };
    if (std::ranges::none_of(result_.errors, is_same)) result_.errors.push_back(error);
  }

  /// Calls subject_done if all assignments next to this one with the same subject have ended.
  void announce(std::size_t at) {
    has_ended_[at] = true;
    if (!options_.subject_done) return;
    std::size_t begin = at, end = at + 1;
    const auto is_same = [&](std::size_t i) { return assignments_[i].subject == assignments_[at].subject; };
    while (begin > 0 && is_same(begin - 1)) --begin;
    while (end < assignments_.size() && is_same(end)) ++end;
    const auto all_ended =
        std::ranges::all_of(std::views::iota(begin, end), [&](std::size_t i) { return has_ended_[i]; });
    if (all_ended) options_.subject_done(std::span(result_.report.kernels).subspan(begin, end - begin));
  }

  void show_progress(std::uint64_t cases, std::uint64_t all_cases) {
    // With fewer cases, the estimate would change every second.
    const double done =
        static_cast<double>(cases) / static_cast<double>(std::max<std::uint64_t>(1, all_cases));
    const std::string left =
        done < 0.05 ? "" : fmt::format("; about {:.0f} s left", line_.elapsed() * (1 - done) / done);
    line_.show(fmt::format("audited: {} of {} instances, {} of {} cases; running for {:.0f} s{}", ended_,
                           assignments_.size(), cases, all_cases, line_.elapsed(), left));
  }

  const std::vector<Assignment>& assignments_;
  Compilation& compilation_;
  const CampaignOptions& options_;
  ProgressLine& line_;
  std::vector<InstanceGroup> groups_;
  std::vector<Task> tasks_;
  GpuWorkers workers_;
  CampaignResult result_;
  std::vector<bool> has_ended_;  ///< by assignment
  std::size_t ended_ = 0;
  std::uint64_t cases_ = 0;
};

}  // namespace

CampaignResult run_campaign(const std::vector<Assignment>& assignments, Compilation& compilation,
                            const CampaignOptions& options, ProgressLine& line) {
  return Campaign(assignments, compilation, options, line).run();
}

CampaignResult run_campaign(const std::vector<Assignment>& assignments, const CampaignOptions& options,
                            ProgressLine& line) {
  std::vector<Subject> none;
  Compilation nothing(none, {});
  return run_campaign(assignments, nothing, options, line);
}

bool is_refused(const CampaignResult& result) {
  return !result.interrupted && !result.has_results && (!result.errors.empty() || result.lack);
}

Exit conclude(const CampaignResult& result, Severity fail_on, const Console& console, ProgressLine& line) {
  line.clear();
  const bool refused = is_refused(result);
  const bool is_printed = refused || console.writes([&] {
    console.print_as_asked(
        [&] { return json_of(result); },
        [&] {
          return text_of(result, {console.colored(), console.width(), line.elapsed(), console.verbose});
        });
  });
  if (refused && result.errors.empty()) throw *result.lack;
  if (result.lack) console.complain(result.lack->sentence(), result.lack->position());
  if (refused) throw_last(result.errors, console);
  complain(result.errors, console);
  if (result.interrupted || is_interrupted()) return exit_interrupted;
  if (!result.errors.empty()) return exit_usage;
  return exit_status(exit_status(result, fail_on), is_printed && !result.is_incomplete);
}

}  // namespace foldproof
