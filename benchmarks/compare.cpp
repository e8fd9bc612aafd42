// foldproof-lab compare: compares the same cases on the emulated device and on a GPU, bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/task_pool.h"
#include "benchmarks/comparing_runner.h"
#include "benchmarks/comparison.h"
#include "benchmarks/verbs.h"
#include "command/gpu_workers.h"
#include "command/parse.h"
#include "command/source_options.h"
#include "command/subjects.h"
#include "contracts/entry_facts.h"
#include "devices/gpus.h"
#include "properties/audit.h"

namespace foldproof {

namespace {

struct Arguments {
  std::string path, seed = "1", case_limit = "10s";
  std::uint64_t cases = 48, largest = 4096;
  unsigned jobs = default_jobs();
  bool contracted = false;
  SourceOptions source;
};

/// Whether contract and code determine all bits: a single order of combination, and no approximate
/// instruction.
bool has_one_answer(const Instance& instance, const Image& image) {
  return instance.claims.deterministic &&
         std::ranges::none_of(instance.launches, [&](const LaunchContract& launch) {
           return facts_of(image.ptx, launch.lowered).approximates;
         });
}

AuditOptions audit_options(const Arguments& a) {
  AuditOptions options;
  options.cases = a.cases;
  options.guided = 0;
  options.largest_count = a.largest;
  options.seed = parse_seed(a.seed);
  options.notes_missed = false;
  return options;
}

Compared begun(const Subject& subject, const Instance& instance) {
  Compared one;
  one.folder = subject.contract.source.parent_path().filename().string();
  one.kernel = empty_report(subject.contract, instance).kernel;
  one.instance = instance.label;
  return one;
}

Compared compared(const Subject& subject, const Instance& instance, std::unique_ptr<Runner> gpu,
                  bool contracted, const AuditOptions& options) {
  Compared one = begun(subject, instance);
  one.must_be_same = !contracted && has_one_answer(instance, *subject.image);
  ComparingRunner runner(std::move(gpu), instance, one.must_be_same);
  const KernelReport report = audit_instance(subject.contract, instance, subject.image, runner, options);
  one.cases = report.cases;
  one.tally = runner.tally();
  one.findings = report.findings;
  one.trouble = report.reason;
  return one;
}

/// False if the user interrupted it.
bool compare_all(const std::vector<Subject>& subjects, const Arguments& a, Comparison& comparison,
                 ProgressLine& line) {
  const auto instances = checked_instances(subjects);
  const AuditOptions options = audit_options(a);
  comparison.kernels.resize(instances.size());
  GpuWorkers workers(gpu_worker_options(parse_duration(a.case_limit, "--case-limit")));
  std::size_t ended = 0;
  TaskPool pool;
  pool.tasks = instances.size();
  pool.processes = a.jobs;
  pool.starting = [&](std::size_t, unsigned slot) { workers.prepare(slot); };
  pool.work = [&](std::size_t task, const auto&) {
    const auto& [subject, instance] = instances[task];
    return pack(to_json(compared(*subject, *instance, workers.runner(), a.contracted, options)));
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    Compared& one = comparison.kernels[task];
    if (outcome.ending == Outcome::Ending::finished) {
      one = compared_from(unpack(outcome.text));
    } else {
      one = begun(*instances[task].first, *instances[task].second);
      one.trouble = outcome.reason();
    }
    line.show(fmt::format("compared: {} of {} instances", ++ended, instances.size()));
  };
  return pool.run();
}

int compare(const Arguments& a, const Console& console) {
  Comparison comparison{present_gpus().name, a.contracted, a.largest, {}};
  ProgressLine line;
  CompileOptions compile_options = a.source.compile_options();
  compile_options.machine = present_gpus().architecture;
  if (!a.contracted) compile_options.flags.emplace_back("-fmad=false");
  std::vector<Subject> subjects = load_right_subjects(a.path, compile_options, console);
  compile_subjects(subjects, compile_options, a.jobs, console, line);

  const bool whole = compare_all(subjects, a, comparison, line);
  line.clear();
  console.print_as_asked([&] { return to_json(comparison); },
                         [&] { return page_of(comparison, console.command); });
  if (!whole) return exit_interrupted;
  const auto is_bad = [](const Compared& one) { return !one.findings.empty() || !one.trouble.empty(); };
  return std::ranges::any_of(comparison.kernels, is_bad) ? exit_findings : exit_ok;
}

}  // namespace

Run attach_compare(CLI::App& app, Console& console) {
  auto a = std::make_shared<Arguments>();
  app.add_option("PATH", a->path, "Folder, source file or contract (default: the bundled catalogue)");
  app.add_option("--cases", a->cases, "Cases per instance (default: 48)")
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40)))
      ->type_name("N");
  app.add_option("--largest", a->largest, "Maximum number of elements per case (default: 4096)")
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30)))
      ->type_name("N");
  app.add_option("--seed", a->seed, "Seed of the cases: a number or \"random\"")->type_name("SEED");
  app.add_option("--jobs,-j", a->jobs, "Number of parallel processes")
      ->check(quietly(CLI::Range(1U, 1024U)))
      ->type_name("N");
  app.add_option("--case-limit", a->case_limit, "Time limit per case on the GPU; default: " + a->case_limit)
      ->type_name("TIME");
  app.add_flag(
      "--contracted", a->contracted,
      "Build as the contracts specify, without -fmad=false; results are checked against their bounds");
  a->source.attach(app);
  return [a, &console] { return compare(*a, console); };
}

}  // namespace foldproof
