#include "cli/campaign.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <list>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/memory.h"
#include "base/task_pool.h"
#include "command/emulated.h"
#include "command/gpu_workers.h"
#include "command/program.h"
#include "devices/host_program.h"
#include "properties/representative.h"
#include "reports/mutation.h"
#include "reports/terminal.h"

namespace foldproof {

namespace {

using std::chrono::milliseconds;

/// Instances whose cases run together under a tool of compute-sanitizer, which takes seconds to start.
constexpr std::size_t instances_of_a_tool = 16;
/// Large inputs fill a GPU's memory.
constexpr unsigned most_large_processes = 4;
/// A dozen cases contain all classes of counts; with larger counts, a race produces millions of records.
constexpr std::uint64_t cases_under_a_tool = 12, largest_count_under_a_tool = 4096;

/// The counters of the requested case, otherwise of a representative one.
void count(const Assignment& assignment, const CampaignOptions& options, KernelReport& report) {
  const Case c = options.only_case ? *options.only_case
                                   : representative_case(*assignment.instance, options.audit.largest_count);
  auto result = counted(*assignment.subject, *assignment.instance, c);
  if (auto* counters = std::get_if<Counted>(&result))
    report.counters = std::move(*counters);
  else
    report.notes.push_back(std::get<std::string>(result));
}

std::string device_of(const Assignment& assignment) {
  if (is_host_function(*assignment.instance)) return "host";
  if (assignment.tool != nullptr) return fmt::format("cuda/{}", assignment.tool->name);
  if (assignment.is_large) return "cuda/large";
  return assignment.device == RunsOn::cuda ? "cuda" : "emulated";
}

/// The options with which `replay` runs a case as the assignment does.
std::string device_options(const Assignment& assignment) {
  if (assignment.device != RunsOn::cuda) return "";
  const std::string tool =
      assignment.tool == nullptr ? "" : fmt::format(" --sanitizer {}", assignment.tool->name);
  return " --device cuda" + tool;
}

std::unique_ptr<Runner> runner_for(const Assignment& assignment, const GpuWorkers& workers) {
  if (is_host_function(*assignment.instance)) return make_host_runner();
  return assignment.device == RunsOn::cuda ? workers.runner() : checked_runner();
}

void add_guesses(const Subject& subject, KernelReport& report) {
  report.notes.insert(report.notes.end(), subject.guesses.begin(), subject.guesses.end());
}

KernelReport check(const Assignment& assignment, Runner& runner, const CampaignOptions& options) {
  const Subject& subject = *assignment.subject;
  const Instance& instance = *assignment.instance;
  KernelReport report =
      options.only_case
          ? replay_case(subject.contract, instance, subject.image, runner, *options.only_case, options.audit)
          : audit_instance(subject.contract, instance, subject.image, runner, options.audit);
  add_guesses(subject, report);
  if (!options.coverage) report.coverage.clear();
  // For a host function, the machine lacks something, rather than the device an instruction.
  if (is_host_function(instance) && report.verdict == Verdict::unsupported) report.verdict = Verdict::skipped;
  if (options.counters && report.verdict != Verdict::unsupported) count(assignment, options, report);
  for (Finding& finding : report.findings)
    if (!finding.replay.empty()) finding.replay += device_options(assignment);
  return report;
}

/// For a process that did not end normally.
KernelReport unfinished(const Assignment& assignment, const Outcome& outcome) {
  const bool ended_early = outcome.ending == Outcome::Ending::interrupted ||
                           outcome.ending == Outcome::Ending::out_of_time ||
                           outcome.ending == Outcome::Ending::too_slow;
  const Verdict verdict = outcome.ending == Outcome::Ending::unsupported ? Verdict::unsupported
                          : ended_early                                  ? Verdict::skipped
                                                                         : Verdict::error;
  return empty_report(assignment.subject->contract, *assignment.instance, verdict, outcome.reason());
}

/// The findings that a process reported before it ended abnormally.
KernelReport broken_off(const Json& so_far, const Assignment& assignment, const Outcome& outcome) {
  KernelReport report = kernel_report_from(so_far);
  if (report.findings.empty()) return unfinished(assignment, outcome);
  report.notes.push_back("the process did not finish: " + outcome.reason());
  return report;
}

KernelReport check_large(const Assignment& assignment, const CampaignOptions& options,
                         const std::function<void(const std::string&)>& report_so_far) {
  LargeAuditOptions large;
  large.seed = options.audit.seed;
  large.limit = options.case_limit.value_or(gpu_case_limit);
  if (options.largest_count) large.largest_count = *options.largest_count;
  large.so_far = [&](const KernelReport& report) { report_so_far(pack(Json::array({to_json(report)}))); };
  const Subject& subject = *assignment.subject;
  KernelReport report =
      audit_large(subject.contract, *assignment.instance, subject.image, options.large_tools, large);
  add_guesses(subject, report);
  return report;
}

/// Cases must not depend on the results of earlier ones, nor on what other processes store meanwhile.
void suit_a_tool(AuditOptions& options) {
  options.guided = 0;
  options.shrinks = options.tries_stored = false;
}

std::uint64_t cases_of(const Assignment& assignment, const CampaignOptions& options) {
  if (assignment.is_large) return 0;  // they have their own
  if (options.only_case) return 1;
  if (options.cases) return *options.cases;
  if (assignment.tool != nullptr) return cases_under_a_tool;
  const std::uint64_t most = AuditOptions{}.cases;
  if (!options.shares_cases) return most;
  return std::clamp(shared_cases / assignment.subject->contract.instances.size(), least_cases, most);
}

/// The folder of a contract's failing cases unless --store names another one: next to the contract. Nothing
/// if that cannot be written, so that they go to the user's cache.
std::optional<std::filesystem::path> default_store(const Subject& subject) {
  if (access(subject.folder.empty() ? "." : subject.folder.c_str(), W_OK) != 0) return std::nullopt;
  return subject.folder / case_store_folder;
}

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

/// What one process audits: one instance, or several under the same tool.
using Bundle = std::span<const Assignment>;

std::vector<Bundle> bundles_of(const std::vector<Assignment>& assignments) {
  std::vector<Bundle> bundles;
  for (Bundle left = assignments; !left.empty(); left = left.subspan(bundles.back().size())) {
    std::size_t count = 1;
    while (left[0].tool != nullptr && count < std::min(left.size(), instances_of_a_tool) &&
           left[count].tool == left[0].tool)
      ++count;
    bundles.push_back(left.first(count));
  }
  return bundles;
}

std::uint64_t cases_of(const std::vector<Assignment>& assignments, const CampaignOptions& options) {
  std::uint64_t cases = 0;
  for (const Assignment& assignment : assignments) cases += cases_of(assignment, options);
  return cases;
}

/// Number of parallel processes.
unsigned processes_for(const std::vector<Assignment>& assignments, unsigned jobs) {
  const bool has_large = std::ranges::any_of(assignments, &Assignment::is_large);
  return has_large ? std::min(jobs, most_large_processes) : jobs;
}

/// The options of one assignment, except for its share of the budget.
CampaignOptions options_of(const Assignment& assignment, const CampaignOptions& options,
                           const TaskReporter& reporter) {
  CampaignOptions own = options;
  own.audit.cases = cases_of(assignment, options);
  own.audit.notes_missed = own.audit.cases >= AuditOptions{}.cases || options.cases;  // not for shared cases
  own.audit.store = options.store ? options.store : default_store(*assignment.subject);
  own.audit.largest_count = options.largest_count.value_or(
      assignment.tool != nullptr ? largest_count_under_a_tool : AuditOptions{}.largest_count);
  own.audit.case_limit = options.case_limit.value_or(emulated_case_limit);
  own.audit.progress = [&reporter](std::uint64_t done, std::uint64_t) { reporter.done(done); };
  if (assignment.tool != nullptr) suit_a_tool(own.audit);
  return own;
}

bool runs_on_emulated_device(const Assignment& assignment) {
  return assignment.device != RunsOn::cuda && !is_host_function(*assignment.instance);
}

bool needs_gpu_worker(const Assignment& assignment) {
  return assignment.device == RunsOn::cuda && assignment.tool == nullptr && !assignment.is_large &&
         !is_host_function(*assignment.instance);
}

std::vector<KernelReport> check(Bundle bundle, const GpuWorkers& workers,
                                const std::function<CampaignOptions(const Assignment&)>& options,
                                const TaskReporter& reporter) {
  if (bundle.front().tool != nullptr)
    return audit_under_tool(bundle, [&](const Assignment& assignment, Runner& runner) {
      return check(assignment, runner, options(assignment));
    });
  const Assignment& only = bundle.front();
  if (only.is_large) return {check_large(only, options(only), reporter.so_far)};
  const Subject& subject = *only.subject;
  if (!subject.skipped.empty())
    return {empty_report(subject.contract, *only.instance, Verdict::skipped, subject.skipped)};
  return {check(only, *runner_for(only, workers), options(only))};
}

Json to_json(const std::vector<KernelReport>& reports) {
  Json all = Json::array();
  for (const KernelReport& report : reports) all.push_back(to_json(report));
  return all;
}

/// The reports of the bundle's instances, from the process's complete or partial output.
std::vector<KernelReport> reports_of(Bundle bundle, const Outcome& outcome) {
  const bool finished = outcome.ending == Outcome::Ending::finished;
  const std::string& said = finished ? outcome.text : outcome.so_far;
  const Json reports = said.empty() ? Json() : unpack(said);
  std::vector<KernelReport> all;
  for (std::size_t k = 0; k < bundle.size(); ++k) {
    const Assignment& assignment = bundle[k];
    all.push_back(finished       ? kernel_report_from(reports.at(k))
                  : said.empty() ? unfinished(assignment, outcome)
                                 : broken_off(reports.at(k), assignment, outcome));
    all.back().device = device_of(assignment);
    all.back().bindings = assignment.instance->bindings;
  }
  return all;
}

}  // namespace

void check_number(const std::vector<Assignment>& assignments) {
  if (assignments.size() > most_instances)
    throw InputError(
        fmt::format("the run has {} instances, and at most {} are possible; select some with "
                    "--only or --shard",
                    assignments.size(), most_instances));
}

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

CampaignResult run_campaign(const std::vector<Assignment>& assignments, const CampaignOptions& options,
                            ProgressLine& line) {
  CampaignResult result;
  result.report.device = emulated::device_name;
  result.report.seed = options.audit.seed;
  result.report.kernels.resize(assignments.size());
  result.is_incomplete = std::ranges::any_of(
      assignments, [](const Assignment& assignment) { return assignment.subject->is_out_of_time; });
  std::size_t ended = 0, checked = 0;
  std::uint64_t cases = 0;

  GpuWorkers workers(gpu_worker_options(options.case_limit.value_or(gpu_case_limit)));
  const std::vector<Bundle> bundles = bundles_of(assignments);
  TaskPool pool;
  pool.tasks = bundles.size();
  pool.processes = processes_for(assignments, options.jobs);
  pool.can_end_early = true;
  pool.deadline = options.deadline;
  pool.memory = memory_share(pool.tasks, pool.processes);
  const milliseconds patience = options.case_limit.value_or(emulated_case_limit);
  pool.patience = [&](std::size_t task) {
    return runs_on_emulated_device(bundles[task].front()) ? std::optional(patience) : std::nullopt;
  };
  pool.starting = [&](std::size_t task, unsigned slot) {
    if (needs_gpu_worker(bundles[task].front())) workers.prepare(slot);
  };
  pool.work = [&](std::size_t task, const TaskReporter& reporter) {
    const auto options_for = [&](const Assignment& assignment) {
      CampaignOptions own = options_of(assignment, options, reporter);
      if (options.deadline && assignment.tool == nullptr)
        own.audit.budget = share(*options.deadline, bundles.size() - task, options.jobs);
      return own;
    };
    return pack(to_json(check(bundles[task], workers, options_for, reporter)));
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    ended += bundles[task].size();
    result.is_incomplete |=
        outcome.ending == Outcome::Ending::out_of_time || outcome.ending == Outcome::Ending::too_slow;
    if (outcome.ending == Outcome::Ending::wrong_input) {
      if (!result.wrong_input) result.wrong_input.emplace(outcome.text, outcome.position);
    } else {
      ++checked;
    }
    auto report = result.report.kernels.begin() + (bundles[task].data() - assignments.data());
    auto assignment = bundles[task].begin();
    for (KernelReport& one : reports_of(bundles[task], outcome)) {
      result.is_incomplete |= one.verdict == Verdict::skipped && assignment->subject->skipped.empty() &&
                              !is_host_function(*assignment->instance);
      ++assignment;
      cases += one.cases;
      *report++ = std::move(one);
    }
  };
  const std::uint64_t all_cases = cases_of(assignments, options);
  pool.progress = [&](std::uint64_t running) {
    line.show(fmt::format("audited: {} of {} instances, {} of {} cases; running for {:.0f} s", ended,
                          assignments.size(), std::min(cases + running, all_cases), all_cases,
                          line.elapsed()));
  };
  result.interrupted = !pool.run();
  if (checked != 0) result.wrong_input.reset();
  return result;
}

Exit conclude(const CampaignResult& result, Severity fail_on, const Console& console, ProgressLine& line) {
  line.clear();
  if (result.wrong_input) throw *result.wrong_input;
  console.print_as_asked([&] { return json_of(result); },
                         [&] {
                           return text_of(result, {console.colored(), console.width(), line.elapsed()});
                         });
  if (result.interrupted) return exit_interrupted;
  const Exit status = exit_status(result, fail_on);
  return status == exit_ok && result.is_incomplete ? exit_unable : status;
}

}  // namespace foldproof
