// foldproof-lab bench gpu: how many small cases per second are generated, run on a GPU and checked, compared
// with a naive way that allocates, copies, launches, copies and frees for each case.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/printable.h"
#include "base/task_pool.h"
#include "benchmarks/bench.h"
#include "command/compilation.h"
#include "command/gpu_workers.h"
#include "command/subjects.h"
#include "devices/gpus.h"
#include "devices/runner_parts.h"
#include "properties/audit.h"
#include "properties/generator.h"

namespace foldproof {

namespace {

constexpr std::uint64_t largest_count = 4096;
/// Enough cases to take at least as long as the start of the processes, however many kernels share them.
constexpr std::uint64_t naive_cases = 13'000, batched_cases = 130'000;
/// One in this many instances has its results corrupted.
constexpr std::size_t instances_a_spoilt_one = 50;

/// Tests that everything is checked: returns results with other bytes in their buffers.
class Spoiling final : public WrappedRunner {
 public:
  using WrappedRunner::WrappedRunner;

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results = inner().run(jobs);
    for (JobResult& result : results)
      for (std::vector<std::byte>& content : result.contents)
        for (std::byte& byte : content) byte ^= std::byte{0x55};
    return results;
  }
};

using Instances = std::vector<std::pair<const Subject*, const Instance*>>;

struct Way {
  std::string name;
  WorkerOptions worker;
  std::uint64_t cases = 0;  ///< per instance
};

struct Measured {
  std::uint64_t cases = 0, checked = 0, spoilt = 0, spoilt_found = 0, other_findings = 0;
  double seconds = 0;
  std::vector<std::string> failures;  ///< of instances without a report
};

AuditOptions options_of(const Way& way) {
  AuditOptions options;
  options.cases = way.cases;
  options.guided = 0;
  options.largest_count = largest_count;
  options.notes_missed = false;
  options.shrinks = false;
  return options;
}

Measured measure(const Instances& instances, const Way& way, unsigned jobs, ProgressLine& line) {
  Measured measured;
  GpuWorkers workers(way.worker);
  const AuditOptions options = options_of(way);
  const auto is_spoilt = [](std::size_t task) { return task % instances_a_spoilt_one == 0; };
  TaskPool pool;
  pool.tasks = instances.size();
  pool.processes = jobs;
  pool.starting = [&](std::size_t, unsigned slot) { workers.prepare(slot); };
  pool.work = [&](std::size_t task, const auto&) {
    const auto& [subject, instance] = instances[task];
    std::unique_ptr<Runner> runner = workers.runner();
    if (is_spoilt(task)) runner = std::make_unique<Spoiling>(std::move(runner));
    return pack(to_json(audit_instance(subject->contract, *instance, subject->image, *runner, options)));
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    if (outcome.ending != Outcome::Ending::finished) {
      measured.failures.push_back(outcome.reason());
      return;
    }
    const KernelReport report = kernel_report_from(unpack(outcome.text));
    if (report.verdict == Verdict::unsupported) measured.failures.push_back(report.reason);
    measured.cases += report.cases;
    const auto& by = report.accuracy.checked_by;
    for (std::size_t layer = 1; layer < by.size(); ++layer) measured.checked += by[layer];
    measured.spoilt += is_spoilt(task) ? 1 : 0;
    measured.spoilt_found += is_spoilt(task) && !report.findings.empty() ? 1 : 0;
    if (is_spoilt(task) && report.findings.empty())
      measured.failures.push_back(
          fmt::format("{} [{}]: its wrong results were not detected", report.kernel, report.label));
    measured.other_findings += is_spoilt(task) ? 0 : report.findings.size();
    line.show(fmt::format("{}: {} cases", way.name, measured.cases));
  };
  const double begin = line.elapsed();
  if (!pool.run()) throw Interrupted{};
  measured.seconds = line.elapsed() - begin;
  return measured;
}

/// Number of distinct combinations of kernel, block and count among the cases.
std::size_t distinct_triples(const Instances& instances, const Way& way) {
  std::set<std::tuple<std::string, std::int64_t, std::int64_t>> triples;
  const AuditOptions options = options_of(way);
  for (const auto& [subject, instance] : instances) {
    const Domain domain(*instance, options.largest_count);
    const std::string identity = identity_of(subject->contract, *instance);
    const CaseGenerator generator(*instance, domain, identity, options.seed);
    for (std::uint64_t index = 0; index < options.cases; ++index) {
      const Variables variables = generator.generate(index).variables;
      const auto value = [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? -1 : found->second;
      };
      triples.emplace(identity, value("block"), value("count"));
    }
  }
  return triples.size();
}

double rate(const Measured& measured) { return static_cast<double>(measured.cases) / measured.seconds; }

Json row(const Way& way, const Measured& measured, std::size_t triples, std::optional<double> naive) {
  return {{"name", "gpu/" + way.name},
          {"unit", "cases/s"},
          {"value", rate(measured)},
          {"baseline", naive ? Json(*naive) : Json(nullptr)},
          {"ratio", naive ? Json(rate(measured) / *naive) : Json(nullptr)},
          {"cases", measured.cases},
          {"checked_by_value_or_bound", measured.checked},
          {"distinct_kernel_block_count", triples},
          {"seconds", measured.seconds},
          {"spoilt_instances", measured.spoilt},
          {"spoilt_instances_found", measured.spoilt_found},
          {"other_findings", measured.other_findings},
          {"failures", measured.failures}};
}

std::string text_of(const std::string& device, unsigned jobs, const Json& benchmarks) {
  std::string text = fmt::format(
      "{}: cases of at most {} elements, generated, run and checked by {} processes; wall time, including "
      "the creation of GPU contexts\n",
      printable(device), largest_count, jobs);
  for (const Json& b : benchmarks)
    text += fmt::format(
        "{:<12} {:8.0f} cases/s  {:7} cases, {:7} checked by value or bound, {:6} different (kernel, block, "
        "count)  {:6.1f} s  {} of {} instances with wrong results found, {} other findings\n",
        b["name"].get<std::string>(), b["value"].get<double>(), b["cases"].get<std::uint64_t>(),
        b["checked_by_value_or_bound"].get<std::uint64_t>(),
        b["distinct_kernel_block_count"].get<std::uint64_t>(), b["seconds"].get<double>(),
        b["spoilt_instances_found"].get<std::uint64_t>(), b["spoilt_instances"].get<std::uint64_t>(),
        b["other_findings"].get<std::uint64_t>());
  for (const Json& b : benchmarks)
    for (const Json& failure : b["failures"])
      text += "failed: " + shortened(printable(failure.get<std::string>())) + "\n";
  return text;
}

}  // namespace

int bench_gpu(const std::string& path, const Console& console) {
  const std::string device = present_gpus().name;
  ProgressLine line;
  CompileOptions compile_options;
  compile_options.machine = present_gpus().architecture;
  std::vector<Subject> subjects = load_right_subjects(path, compile_options, console);
  const unsigned jobs = default_jobs();
  compile_subjects(subjects, compile_options, jobs, console, line);
  const Instances instances = checked_instances(subjects);
  if (instances.empty())
    throw InputError("bench gpu has nothing to run: no kernel is meant to be right; specify another folder");

  const auto of_each = [&](std::uint64_t all) { return std::max<std::uint64_t>(1, all / instances.size()); };
  Way naive{"naive", gpu_worker_options(std::chrono::seconds(10)), of_each(naive_cases)};
  naive.worker.command.emplace_back("--plain");
  naive.worker.max_jobs = 1;
  const Way batched{"batched", gpu_worker_options(std::chrono::seconds(10)), of_each(batched_cases)};
  const Measured one_by_one = measure(instances, naive, jobs, line);
  const Measured together = measure(instances, batched, jobs, line);
  line.clear();
  const Json benchmarks{row(naive, one_by_one, distinct_triples(instances, naive), std::nullopt),
                        row(batched, together, distinct_triples(instances, batched), rate(one_by_one))};
  console.print_as_asked(
      [&] {
        return Json{{"device", device}, {"processes", jobs}, {"benchmarks", benchmarks}};
      },
      [&] { return text_of(device, jobs, benchmarks); });
  const auto is_whole = [](const Measured& m) {
    return m.cases > 0 && m.failures.empty() && m.spoilt_found == m.spoilt && m.other_findings == 0;
  };
  return is_whole(one_by_one) && is_whole(together) ? exit_ok : exit_findings;
}

}  // namespace foldproof
