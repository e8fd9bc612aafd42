// foldproof-lab fingerprint: hashes everything that the emulated device does with the cases of an audit, one
// hash per instance.
//
//   For a change that must not affect behaviour: run it before and after, and compare the lines. A hash
//   covers the events that observers see, in order, the memory and results, the findings and the provenance,
//   of every case under five schedules and with four sets of observers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>

#include "base/files.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/task_pool.h"
#include "base/temporary_folders.h"
#include "benchmarks/verbs.h"
#include "command/compilation.h"
#include "command/shared_options.h"
#include "command/source_options.h"
#include "command/subjects.h"
#include "devices/emulated/runner.h"
#include "properties/audit.h"
#include "sanitizer/checks.h"

namespace foldproof {

namespace {

class Digest {
 public:
  void operator()(const auto&... values) { (add(values), ...); }
  std::uint64_t value() const { return value_; }

 private:
  void number(std::uint64_t value) { value_ = mixed(value_ ^ (value + 0x9e3779b97f4a7c15)); }
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>)
      add(std::as_bytes(std::span(std::string_view(value))));
    else
      number(static_cast<std::uint64_t>(value));
  }
  void add(std::span<const std::byte> bytes) {
    number(bytes.size());
    for (const std::byte b : bytes) number(std::to_integer<std::uint64_t>(b));
  }
  void add(const Position& position) {
    add(std::filesystem::path(position.file).filename().native());
    number(position.line);
  }

  std::uint64_t value_ = 0;
};

/// Makes the text independent of the folder of the checkout.
std::string without_folders(std::string text) {
  for (std::size_t slash; (slash = text.find('/')) != std::string::npos;) {
    const std::size_t before = text.find_last_of(" (\"", slash);
    text.erase(before == std::string::npos ? 0 : before + 1,
               slash - (before == std::string::npos ? 0 : before + 1) + 1);
  }
  return text;
}

void add(Digest& digest, const Finding& finding) {
  digest(finding.kind, finding.severity, without_folders(finding.message), finding.at);
  if (finding.other) digest(*finding.other);
  for (const ThreadId& thread : finding.threads) digest(to_string(thread.block), to_string(thread.thread));
}

/// Hashes every event.
class Fingerprint final : public Observer {
 public:
  explicit Fingerprint(Digest& digest, bool executions) : digest_(digest), executions_(executions) {}

  void launch_begins(const LaunchView& launch) override {
    digest_(1, launch.threads_per_block(), launch.blocks_per_cluster(), launch.blocks(),
            launch.has_plain_strong_accesses());
    launch_ = &launch;
  }
  std::vector<Finding> launch_ends() override {
    digest_(2);
    return {};
  }
  void block_begins(BlockNumber block) override { digest_(3, block); }
  void block_ends(BlockNumber block) override { digest_(4, block); }
  bool wants_executions() const override { return executions_; }
  void executes(const ExecutionEvent& e) override { execution(5, e); }
  void branch_divides(const ExecutionEvent& e) override { execution(6, e); }
  void accesses(const AccessEvent& e) override {
    digest_(7, e.what, e.strong, e.acquires, e.releases, e.returns, e.polled, e.cas_confirmed, e.scope,
            e.bytes, e.element_bytes, e.site, e.shared, e.consecutive, e.lanes, e.unchanged, e.warp.block,
            e.warp.warp);
    for_lanes(e.lanes, [&](unsigned lane) {
      digest_(e.at[lane], e.owner ? e.owner[lane] : e.warp.block);
      if (lane == 0) digest_(launch_->memory_at(e.shared, e.at[lane]));
    });
  }
  void fences(const FenceEvent& e) override { digest_(8, e.warp.block, e.warp.warp, e.lanes, e.scope); }
  void warp_barrier_completes(const BarrierEvent& e) override { barrier(9, e); }
  void warp_sync_arrives(const WarpSyncEvent& e) override {
    digest_(10, e.warp.block, e.warp.warp, e.lanes, e.mask, e.site);
  }
  void warp_sync_completes(const WarpSyncEvent& e) override {
    digest_(11, e.warp.block, e.warp.warp, e.lanes, e.mask, e.site);
  }
  void barrier_arrives(const BarrierEvent& e) override { barrier(12, e); }
  void warps_arrive(BarrierEvent e, std::uint32_t warps) override {
    barrier(13, e);
    digest_(warps);
  }
  void barrier_completes(BlockNumber block, std::uint32_t number) override { digest_(14, block, number); }
  void leaves_behind(const BarrierEvent& e, LaneSet behind) override {
    barrier(15, e);
    digest_(behind);
  }
  void cluster_arrives(const BarrierEvent& e, bool releases) override {
    barrier(16, e);
    digest_(releases);
  }
  void cluster_completes(std::uint64_t cluster) override { digest_(17, cluster); }
  void cluster_waits(const BarrierEvent& e, bool acquires) override {
    barrier(18, e);
    digest_(acquires);
  }
  void exits(const BarrierEvent& e) override { barrier(19, e); }
  void job_begins(bool all_reads) override { digest_(20, all_reads); }

 private:
  void barrier(unsigned what, const BarrierEvent& e) {
    digest_(what, e.warp.block, e.warp.warp, e.lanes, e.barrier, e.waits, e.votes, e.aligned, e.threads,
            e.site);
  }
  void execution(unsigned what, const ExecutionEvent& e) {
    digest_(what, e.warp.block, e.warp.warp, e.live, e.active, e.site, launch_->class_of(e.site));
  }

  Digest& digest_;
  bool executions_;
  const LaunchView* launch_ = nullptr;
};

void add(Digest& digest, const ProvenanceTrace& trace) {
  const Expressions& all = trace.expressions;
  digest(all.inputs());
  for (NodeId id = 0; id < all.size(); ++id) {
    const Node& n = all[id];
    digest(n.operation, n.element, n.source, n.direction, n.flushes, n.propagates_nan, n.saturates, n.bytes,
           n.first, n.operand[0], n.operand[1], n.operand[2], n.bits);
  }
  for (const NodeId id : all.decisions()) digest(id);
  digest(all.incomplete().value_or(""));
  for (const std::vector<NodeId>& output : trace.results)
    for (const NodeId id : output) digest(id);
  for (const LaunchTrace& launch : trace.launches) {
    digest(launch.end);
    for (const NodeId id : launch.kept) digest(id);
  }
}

void add(Digest& digest, const JobResult& result) {
  for (const auto& contents : result.contents) digest(std::span<const std::byte>(contents));
  for (const Finding& finding : result.findings) add(digest, finding);
  digest(result.warp_instructions.value_or(0), result.printed, result.completed,
         result.unsupported.value_or(""));
  if (result.trace) add(digest, *result.trace);
}

/// One configuration in which the device can observe a job.
struct Watching {
  bool checks, executions, definedness, provenance;
};
constexpr std::array<Watching, 4> ways{{{false, false, false, false},
                                        {true, false, true, true},
                                        {false, true, false, true},
                                        {true, true, true, false}}};

/// Runs each job of an audit in every configuration under every schedule, and hashes the results.
class HashingRunner final : public Runner {
 public:
  HashingRunner() : audited_(emulated::make_runner(all_checks(), true)) {
    for (const Watching& way : ways) {
      Observers observers;
      if (way.checks) observers = all_checks();
      if (way.checks || way.executions)
        observers.push_back(std::make_unique<Fingerprint>(digest_, way.executions));
      runners_.push_back(emulated::make_runner(std::move(observers), way.definedness));
    }
  }

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    constexpr std::array schedules{"converging", "lanes-forward", "lanes-backward", "warps-backward",
                                   "random:7"};
    for (const Job& job : jobs)
      for (const char* schedule : schedules)
        for (std::size_t w = 0; w < ways.size(); ++w) {
          Job one = job;
          one.order = schedule_named(schedule);
          one.limits.warp_instructions = std::min<std::uint64_t>(one.limits.warp_instructions, 2'000'000);
          if (!ways[w].provenance) one.trace.reset();
          for (const JobResult& result : runners_[w]->run({one})) add(digest_, result);
          ++runs_;
        }
    return audited_->run(jobs);
  }
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    for (const auto& runner : runners_) runner->entries(image);
    return audited_->entries(image);
  }

  std::uint64_t digest() const { return digest_.value(); }
  std::uint64_t runs() const { return runs_; }

 private:
  Digest digest_;
  std::uint64_t runs_ = 0;
  std::unique_ptr<Runner> audited_;
  std::vector<std::unique_ptr<Runner>> runners_;
};

struct FingerprintArguments {
  std::string path;
  std::uint64_t cases = 2, largest = 4096;
  unsigned jobs = default_jobs();
  SourceOptions source;
};

std::string fingerprint_of(const Subject& subject, const Instance& instance, const FingerprintArguments& a) {
  AuditOptions options;
  options.cases = a.cases;
  options.guided = 0;
  options.largest_count = a.largest;
  options.shrinks = false;
  options.notes_missed = false;
  options.tries_stored = false;
  const TemporaryFolder store;
  options.store = store.path();
  HashingRunner runner;
  const KernelReport report = audit_instance(subject.contract, instance, subject.image, runner, options);
  return fmt::format("{:016x} {:4} runs  {}", runner.digest(), runner.runs(),
                     report.kernel + " " + instance.label);
}

int fingerprint(const FingerprintArguments& a, const Console& console) {
  ProgressLine line;
  const CompileOptions compile_options = a.source.compile_options();
  std::vector<Subject> subjects = load_subjects({a.path, {}, {}, Trust::full}, compile_options, console);
  std::erase_if(subjects, [](const Subject& s) { return s.contract.is_host_function(); });
  compile_subjects(subjects, compile_options, a.jobs, console, line);
  std::vector<std::pair<const Subject*, const Instance*>> instances;
  for (const Subject& subject : subjects)
    for (const Instance& instance : subject.contract.instances) instances.emplace_back(&subject, &instance);
  std::vector<std::string> lines(instances.size());
  TaskPool pool;
  pool.tasks = instances.size();
  pool.processes = a.jobs;
  pool.work = [&](std::size_t task, const auto&) {
    return fingerprint_of(*instances[task].first, *instances[task].second, a);
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    lines[task] = printable(outcome.ending == Outcome::Ending::finished
                                ? outcome.text
                                : instances[task].first->contract.id + " " + outcome.reason());
  };
  if (!pool.run()) return exit_interrupted;
  line.clear();
  console.print(fmt::format("{}\n", fmt::join(lines, "\n")));
  return exit_ok;
}

}  // namespace

Run attach_fingerprint(CLI::App& app, Console& console) {
  auto a = std::make_shared<FingerprintArguments>();
  app.add_option("PATH", a->path, "Folder, source file or contract");
  app.add_option("--cases", a->cases, "Cases per instance (default: 2)")->type_name("N");
  app.add_option("--largest", a->largest, "Largest number of elements per case (default: 4096)")
      ->type_name("N");
  add_jobs(app, a->jobs);
  a->source.attach(app);
  return [a, &console] { return fingerprint(*a, console); };
}

}  // namespace foldproof
