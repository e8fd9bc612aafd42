#include "cli/instance_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <variant>

#include "command/emulated.h"
#include "devices/host_program.h"
#include "properties/representative.h"
#include "reports/json.h"

namespace foldproof {

namespace {

/// The counters of the requested case, otherwise of a representative one; or why there are none.
std::variant<Counted, std::string> counters_of(const Assignment& assignment, const CampaignOptions& options) {
  try {
    const Case c = options.only_case ? *options.only_case
                                     : representative_case(*assignment.instance, options.audit.largest_count);
    return counted(*assignment.subject, *assignment.instance, c);
  } catch (const std::bad_alloc&) {
    return "counters omitted: the counted case needs too much memory";
  } catch (const std::runtime_error& error) {  // InputError or Unsupported
    return fmt::format("counters omitted: {}", error.what());
  }
}

void add_counters(const Assignment& assignment, const CampaignOptions& options, KernelReport& report) {
  auto result = counters_of(assignment, options);
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
  if (is_host_function(*assignment.instance)) return " --trust";
  if (assignment.device != RunsOn::cuda) return "";
  const std::string tool =
      assignment.tool == nullptr ? "" : fmt::format(" --sanitizer {}", assignment.tool->name);
  return " --device cuda" + tool;
}

/// The emulated device of this process. The instances of one source share it, so that its PTX is lowered
/// once.
Runner& emulated_runner(const std::shared_ptr<const Image>& image) {
  static std::shared_ptr<const Image> last;
  static std::unique_ptr<Runner> runner;
  if (!runner || last != image) {
    runner = checked_runner();
    last = image;
  }
  return *runner;
}

void add_subject_notes(const Subject& subject, KernelReport& report) {
  std::ranges::copy(subject.notes, std::back_inserter(report.notes));
  std::ranges::copy(subject.not_audited, std::back_inserter(report.not_audited));
}

/// Sends a partial report, used if the process does not finish.
using SendSoFar = std::function<void(const KernelReport&)>;

/// What an audit does not know: notes of the subject, requested sections, the device.
KernelReport completed(KernelReport report, const Assignment& assignment, const CampaignOptions& options) {
  add_subject_notes(*assignment.subject, report);
  if (!options.coverage) report.coverage.clear();
  // For a host function, the machine lacks something, rather than the device an instruction.
  if (is_host_function(*assignment.instance) && report.verdict == Verdict::unsupported)
    report.verdict = Verdict::skipped;
  for (Finding& finding : report.findings)
    if (!finding.replay.empty()) finding.replay += options.replay_options + device_options(assignment);
  return report;
}

KernelReport check(const Assignment& assignment, Runner& runner, CampaignOptions options,
                   const SendSoFar& send_so_far) {
  const Subject& subject = *assignment.subject;
  const Instance& instance = *assignment.instance;
  if (send_so_far)
    options.audit.so_far = [&](const KernelReport& so_far) {
      send_so_far(completed(so_far, assignment, options));
    };
  KernelReport report = completed(
      options.only_case
          ? replay_case(subject.contract, instance, subject.image, runner, *options.only_case, options.audit)
          : audit_instance(subject.contract, instance, subject.image, runner, options.audit),
      assignment, options);
  // A counted case of an instance that ended early would most likely take as long, and hide the reason.
  const bool ended_early = report.verdict == Verdict::unsupported || report.verdict == Verdict::skipped;
  if (options.counters && !ended_early) {
    if (send_so_far) send_so_far(report);
    add_counters(assignment, options, report);
  }
  return report;
}

/// The report of an instance whose subject cannot run.
KernelReport not_run(const Assignment& assignment) {
  const Subject& subject = *assignment.subject;
  KernelReport report = empty_report(subject.contract, *assignment.instance, subject.obstacle->verdict,
                                     subject.obstacle->reason);
  report.findings = subject.contract.preconditions;
  return report;
}

/// For a process that did not end normally.
KernelReport unfinished(const Assignment& assignment, const Outcome& outcome) {
  if (!assignment.subject->can_run()) return not_run(assignment);
  const bool ended_early = outcome.ending == Outcome::Ending::interrupted ||
                           outcome.ending == Outcome::Ending::out_of_time ||
                           outcome.ending == Outcome::Ending::too_slow;
  const Verdict verdict = outcome.ending == Outcome::Ending::unsupported ? Verdict::unsupported
                          : ended_early                                  ? Verdict::skipped
                                                                         : Verdict::error;
  KernelReport report =
      empty_report(assignment.subject->contract, *assignment.instance, verdict, outcome.reason());
  report.is_cut_off = outcome.ending == Outcome::Ending::out_of_time;
  return report;
}

/// What a process reported before it ended abnormally.
KernelReport broken_off(const Json& so_far, const Assignment& assignment, const Outcome& outcome) {
  KernelReport report = kernel_report_from(so_far);
  report.is_cut_off |= outcome.ending == Outcome::Ending::out_of_time;
  if (report.verdict == Verdict::skipped) {
    KernelReport without_findings = unfinished(assignment, outcome);
    if (report.findings.empty()) return without_findings;
    report.verdict = without_findings.verdict;
    report.reason = without_findings.reason;
  } else if (has_only_warnings(report)) {
    report.reason = outcome.reason();
  }
  report.notes.push_back("the process did not finish: " + outcome.reason());
  return report;
}

KernelReport check_large(const Assignment& assignment, const CampaignOptions& options,
                         const SendSoFar& send_so_far) {
  LargeAuditOptions large;
  large.seed = options.audit.seed;
  large.limit = options.case_limit.value_or(gpu_case_limit);
  if (options.largest_count) large.largest_count = *options.largest_count;
  large.so_far = [&](KernelReport so_far) {
    add_subject_notes(*assignment.subject, so_far);
    send_so_far(so_far);
  };
  const Subject& subject = *assignment.subject;
  KernelReport report =
      audit_large(subject.contract, *assignment.instance, subject.image, options.large_tools, large);
  add_subject_notes(subject, report);
  return report;
}

using OptionsFor = std::function<CampaignOptions(const Assignment&)>;

std::vector<KernelReport> check_under_tool(InstanceGroup group, const OptionsFor& options) {
  const auto can_run = [](const Assignment& assignment) { return assignment.subject->can_run(); };
  std::vector<Assignment> able;
  std::ranges::copy_if(group, std::back_inserter(able), can_run);
  std::vector<KernelReport> audited;
  if (!able.empty())
    audited = audit_under_tool(able, [&](const Assignment& assignment, Runner& runner) {
      return check(assignment, runner, options(assignment), {});
    });
  std::vector<KernelReport> reports;
  auto next = audited.begin();
  for (const Assignment& assignment : group)
    reports.push_back(can_run(assignment) ? std::move(*next++) : not_run(assignment));
  return reports;
}

std::vector<KernelReport> check(InstanceGroup group, const GpuWorkers& workers, const OptionsFor& options,
                                const TaskReporter& reporter) {
  if (group.front().tool != nullptr) return check_under_tool(group, options);
  const Assignment& only = group.front();
  if (!only.subject->can_run()) return {not_run(only)};
  const SendSoFar send_so_far = [&](const KernelReport& report) {
    reporter.so_far(pack(Json::array({to_json(report)})));
  };
  if (only.is_large) return {check_large(only, options(only), send_so_far)};
  if (runs_on_emulated_device(only))
    return {check(only, emulated_runner(only.subject->image), options(only), send_so_far)};
  const auto runner = is_host_function(*only.instance) ? make_host_runner() : workers.runner();
  return {check(only, *runner, options(only), send_so_far)};
}

Json to_json(const std::vector<KernelReport>& reports) {
  Json all = Json::array();
  for (const KernelReport& report : reports) all.push_back(to_json(report));
  return all;
}

}  // namespace

std::string audit_group(InstanceGroup group, const GpuWorkers& workers,
                        const std::function<CampaignOptions(const Assignment&)>& options,
                        const TaskReporter& reporter) {
  return pack(to_json(check(group, workers, options, reporter)));
}

std::vector<KernelReport> reports_of(InstanceGroup group, const Outcome& outcome) {
  const bool finished = outcome.ending == Outcome::Ending::finished;
  const std::string& said = finished ? outcome.text : outcome.so_far;
  const Json reports = said.empty() ? Json() : unpack(said);
  std::vector<KernelReport> all;
  for (std::size_t k = 0; k < group.size(); ++k) {
    const Assignment& assignment = group[k];
    all.push_back(finished       ? kernel_report_from(reports.at(k))
                  : said.empty() ? unfinished(assignment, outcome)
                                 : broken_off(reports.at(k), assignment, outcome));
    all.back().device = device_of(assignment);
    all.back().bindings = assignment.instance->bindings;
  }
  return all;
}

}  // namespace foldproof
