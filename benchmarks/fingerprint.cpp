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

#include "base/hash.h"
#include "base/task_pool.h"
#include "benchmarks/verbs.h"
#include "command/source_options.h"
#include "command/subjects.h"
#include "devices/emulated/runner.h"
#include "properties/audit.h"
#include "sanitizer/checks.h"

namespace foldproof {

namespace {

class Digest {
 public:
  void add(std::uint64_t value) { value_ = mixed(value_ ^ (value + 0x9e3779b97f4a7c15)); }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    for (const std::byte b : bytes) add(std::to_integer<std::uint64_t>(b));
  }
  void add(const Position& position) {
    add(std::string_view(std::filesystem::path(position.file).filename().native()));
    add(static_cast<std::uint64_t>(position.line));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

void add(Digest& digest, const ThreadId& thread) {
  digest.add(to_string(thread.block));
  digest.add(to_string(thread.thread));
}

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
  digest.add(static_cast<std::uint64_t>(finding.kind));
  digest.add(static_cast<std::uint64_t>(finding.severity));
  digest.add(without_folders(finding.message));
  digest.add(finding.at);
  if (finding.other) digest.add(*finding.other);
  for (const ThreadId& thread : finding.threads) add(digest, thread);
}

/// Hashes every event.
class Fingerprint final : public Observer {
 public:
  explicit Fingerprint(Digest& digest, bool executions) : digest_(digest), executions_(executions) {}

  void launch_begins(const LaunchView& launch) override {
    all(1, launch.threads_per_block(), launch.blocks_per_cluster(), launch.blocks(),
        launch.has_plain_strong_accesses());
    launch_ = &launch;
  }
  std::vector<Finding> launch_ends() override {
    all(2);
    return {};
  }
  void block_begins(BlockNumber block) override { all(3, block); }
  void block_ends(BlockNumber block) override { all(4, block); }
  bool wants_executions() const override { return executions_; }
  void executes(const ExecutionEvent& e) override { execution(5, e); }
  void branch_divides(const ExecutionEvent& e) override { execution(6, e); }
  void accesses(const AccessEvent& e) override {
    all(7, static_cast<unsigned>(e.what), e.strong, e.acquires, e.releases, e.returns, e.polled, e.confirmed,
        static_cast<unsigned>(e.scope), e.bytes, e.element_bytes, e.site, e.shared, e.consecutive, e.lanes,
        e.unchanged, e.warp.block, e.warp.warp);
    for_lanes(e.lanes, [&](unsigned lane) {
      all(e.at[lane], e.owner ? e.owner[lane] : e.warp.block);
      if (lane == 0) digest_.add(launch_->memory_at(e.shared, e.at[lane]));
    });
  }
  void fences(const FenceEvent& e) override {
    all(8, e.warp.block, e.warp.warp, e.lanes, static_cast<unsigned>(e.scope));
  }
  void warp_barrier_completes(const BarrierEvent& e) override { barrier(9, e); }
  void warp_sync_arrives(const WarpSyncEvent& e) override {
    all(10, e.warp.block, e.warp.warp, e.lanes, e.mask, e.site);
  }
  void warp_sync_completes(const WarpSyncEvent& e) override {
    all(11, e.warp.block, e.warp.warp, e.lanes, e.mask, e.site);
  }
  void barrier_arrives(const BarrierEvent& e) override { barrier(12, e); }
  void warps_arrive(BarrierEvent e, std::uint32_t warps) override {
    barrier(13, e);
    all(warps);
  }
  void barrier_completes(BlockNumber block, std::uint32_t number) override { all(14, block, number); }
  void leaves_behind(const BarrierEvent& e, LaneSet behind) override {
    barrier(15, e);
    all(behind);
  }
  void cluster_arrives(const BarrierEvent& e, bool releases) override {
    barrier(16, e);
    all(releases);
  }
  void cluster_completes(std::uint64_t cluster) override { all(17, cluster); }
  void cluster_waits(const BarrierEvent& e, bool acquires) override {
    barrier(18, e);
    all(acquires);
  }
  void exits(const BarrierEvent& e) override { barrier(19, e); }
  void job_begins(bool all_reads) override { all(20, all_reads); }

 private:
  template <class... Values>
  void all(Values... values) {
    (digest_.add(static_cast<std::uint64_t>(values)), ...);
  }
  void barrier(unsigned what, const BarrierEvent& e) {
    all(what, e.warp.block, e.warp.warp, e.lanes, e.barrier, e.waits, e.votes, e.aligned, e.threads, e.site);
  }
  void execution(unsigned what, const ExecutionEvent& e) {
    all(what, e.warp.block, e.warp.warp, e.live, e.active, e.site,
        static_cast<unsigned>(launch_->class_of(e.site)));
  }

  Digest& digest_;
  bool executions_;
  const LaunchView* launch_ = nullptr;
};

void add(Digest& digest, const ProvenanceTrace& trace) {
  const Expressions& all = trace.expressions;
  digest.add(all.inputs());
  for (NodeId id = 0; id < all.size(); ++id) {
    const Node& n = all[id];
    for (const std::uint64_t value :
         {static_cast<std::uint64_t>(n.operation), static_cast<std::uint64_t>(n.element),
          static_cast<std::uint64_t>(n.source), static_cast<std::uint64_t>(n.direction),
          std::uint64_t{n.flushes}, std::uint64_t{n.propagates_nan}, std::uint64_t{n.saturates},
          std::uint64_t{n.bytes}, std::uint64_t{n.first}, std::uint64_t{n.operand[0]},
          std::uint64_t{n.operand[1]}, std::uint64_t{n.operand[2]}, n.bits})
      digest.add(value);
  }
  for (const NodeId id : all.decisions()) digest.add(id);
  digest.add(all.incomplete().value_or(""));
  for (const NodeId id : trace.results) digest.add(id);
  for (const LaunchTrace& launch : trace.launches) {
    digest.add(launch.end);
    for (const NodeId id : launch.kept) digest.add(id);
  }
}

void add(Digest& digest, const JobResult& result) {
  for (const auto& contents : result.contents) digest.add(std::span<const std::byte>(contents));
  for (const Finding& finding : result.findings) add(digest, finding);
  digest.add(result.warp_instructions.value_or(0));
  digest.add(result.printed);
  digest.add(std::uint64_t{result.completed});
  digest.add(result.unsupported.value_or(""));
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

struct Arguments {
  std::string path;
  std::uint64_t cases = 2, largest = 4096;
  unsigned jobs = default_jobs();
  SourceOptions source;
};

std::string fingerprint_of(const Subject& subject, const Instance& instance, const Arguments& a) {
  AuditOptions options;
  options.cases = a.cases;
  options.guided = 0;
  options.largest_count = a.largest;
  options.shrinks = false;
  options.notes_missed = false;
  options.tries_stored = false;
  options.store = std::filesystem::temp_directory_path() / "foldproof-fingerprint";
  HashingRunner runner;
  const KernelReport report = audit_instance(subject.contract, instance, subject.image, runner, options);
  return fmt::format("{:016x} {:4} runs  {}", runner.digest(), runner.runs(),
                     report.kernel + " " + instance.label);
}

int fingerprint(const Arguments& a, const Console& console) {
  ProgressLine line;
  const CompileOptions compile_options = a.source.compile_options();
  std::vector<Subject> subjects = load_subjects({a.path, {}, {}}, compile_options, console);
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
    lines[task] = outcome.ending == Outcome::Ending::finished
                      ? outcome.text
                      : instances[task].first->contract.id + " " + outcome.reason();
  };
  if (!pool.run()) return exit_interrupted;
  line.clear();
  console.print(fmt::format("{}\n", fmt::join(lines, "\n")));
  return exit_ok;
}

}  // namespace

Run attach_fingerprint(CLI::App& app, Console& console) {
  auto a = std::make_shared<Arguments>();
  app.add_option("PATH", a->path, "Folder, source file or contract");
  app.add_option("--cases", a->cases, "Cases per instance (default: 2)")->type_name("N");
  app.add_option("--largest", a->largest, "Largest number of elements per case (default: 4096)")
      ->type_name("N");
  app.add_option("--jobs,-j", a->jobs, "Number of parallel processes")->type_name("N");
  a->source.attach(app);
  return [a, &console] { return fingerprint(*a, console); };
}

}  // namespace foldproof
