// foldproof-lab all-reduce: whether NCCL's all-reduce leaves the same bits on every rank, in every run, and
// under every algorithm and protocol.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "base/files.h"
#include "base/interrupts.h"
#include "base/task_pool.h"
#include "base/temporary_folders.h"
#include "benchmarks/all_reduce_page.h"
#include "benchmarks/verbs.h"
#include "command/compilation.h"
#include "command/shared_options.h"
#include "command/subjects.h"
#include "devices/gpus.h"
#include "devices/host_program.h"
#include "properties/audit.h"
#include "properties/instance_job.h"

namespace foldproof::all_reduce {

namespace {

namespace fs = std::filesystem;

struct AllReduceArguments {
  unsigned runs = 3, jobs = default_jobs();
};

/// The contracts admit up to 8 ranks.
unsigned ranks() { return std::min(gpus().count, 8U); }

using Selected = std::pair<const Subject*, const Instance*>;
using Bytes = std::vector<std::byte>;

/// The job with its launch repeated, each time with another output. The first output is at index `output`,
/// the others at the end.
Job repeated(const Job& job, std::uint32_t output, unsigned runs) {
  Job all = job;
  for (unsigned run = 1; run < runs; ++run) {
    const auto other = static_cast<std::uint32_t>(all.buffers.size());
    all.buffers.push_back(job.buffers[output]);
    for (JobStep step : job.steps) {
      if (auto* reset = std::get_if<JobReset>(&step); reset && reset->buffer == output) reset->buffer = other;
      if (auto* launch = std::get_if<JobLaunch>(&step))
        for (JobArgument& argument : launch->arguments)
          for (PointerPatch& pointer : argument.pointers)
            if (pointer.buffer == output) pointer.buffer = other;
      all.steps.push_back(std::move(step));
    }
  }
  return all;
}

bool has_equal_rows(std::span<const std::byte> bits, std::size_t rows) {
  const std::size_t row = bits.size() / rows;
  for (std::size_t i = 1; i < rows; ++i)
    if (!std::ranges::equal(bits.subspan(i * row, row), bits.first(row))) return false;
  return true;
}

/// Rows of few elements, some with fewer elements than there are ranks, and rows whose size in bytes is a
/// power of two, or one element fewer or more.
std::vector<std::int64_t> columns_for(Element element, std::int64_t ranks) {
  std::set<std::int64_t> columns{0, 1, ranks - 1, ranks, ranks + 1};
  for (const unsigned exponent : exponents) {
    const auto whole = static_cast<std::int64_t>((std::uint64_t{1} << exponent) / size_of(element));
    columns.insert({whole - 1, whole, whole + 1});
  }
  return {columns.begin(), columns.end()};
}

std::vector<Case> cases_of(const Instance& instance, std::int64_t ranks) {
  const Element element = instance.reduction->input;
  std::vector<InputStep> distributions{{"uniform"}, {"codes"}};
  if (is_float(element))
    distributions = {{"uniform"}, {"exponents"}, {"ill-conditioned", 20}, {"subnormals"}};
  if (is_float(element) && float_format(element).has_infinity) distributions.push_back({"infinities"});
  std::vector<Case> cases;
  for (const std::int64_t columns : columns_for(element, ranks)) {
    Case c;
    c.input.distribution = distributions[cases.size() % distributions.size()];
    c.input.seed = cases.size() + 1;
    c.variables = {{"columns", columns}, {"rows", ranks}, {"count", columns * ranks}};
    cases.push_back(std::move(c));
  }
  return cases;
}

void set_environment(const Setting& setting, const fs::path& debug) {
  const std::pair<const char*, std::string> variables[] = {{"NCCL_ALGO", std::string(setting.algorithm)},
                                                           {"NCCL_PROTO", std::string(setting.protocol)},
                                                           {"NCCL_NVLS_ENABLE", "0"},
                                                           {"NCCL_DEBUG", "INFO"},
                                                           {"NCCL_DEBUG_SUBSYS", "INIT,TUNING"},
                                                           {"NCCL_DEBUG_FILE", (debug / "%p").string()}};
  for (const auto& [name, value] : variables)
    if (value.empty())
      unsetenv(name);
    else
      setenv(name, value.c_str(), 1);
}

/// Two processes that call the functions of one contract under one setting.
class Processes {
 public:
  /// NCCL reads its environment when a process starts.
  Processes(const Setting& setting, const std::shared_ptr<const Image>& image) {
    set_environment(setting, debug_.path());
    for (auto& runner : runners_) {
      runner = make_host_runner();
      runner->entries(image);
    }
  }

  Runner& first() { return *runners_[0]; }

  /// The outputs of all runs; none, and a problem in `row`, if a run did not complete.
  std::vector<Bytes> run(const Job& all, std::size_t output, std::size_t first_repetition, const Case& c,
                         Row& row) {
    std::vector<Bytes> outputs;
    for (const auto& runner : runners_) {
      JobResult result = std::move(runner->run({all}).front());
      if (!result.completed || result.unsupported) {
        const std::string reason =
            result.findings.empty() ? result.unsupported.value_or("") : result.findings[0].message;
        row.problems.try_emplace(reason, describe(c));
        return {};
      }
      outputs.push_back(std::move(result.contents[output]));
      std::move(result.contents.begin() + static_cast<std::ptrdiff_t>(first_repetition),
                result.contents.end(), std::back_inserter(outputs));
    }
    return outputs;
  }

  void read_debug_files(Row& row) const { all_reduce::read_debug_files(debug_.path(), row); }

 private:
  TemporaryFolder debug_;
  std::array<std::unique_ptr<Runner>, 2> runners_;
};

/// Answers every job with one recorded output, so that the checks of an audit need no GPU.
class RecordedRunner final : public Runner {
 public:
  RecordedRunner(const Bytes& output, std::vector<EntryInfo> entries)
      : output_(output), entries_(std::move(entries)) {}

  Capabilities capabilities() const override {
    return {.observes_launches = false, .obeys_schedules = false};
  }

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i)
      for (const JobBuffer& buffer : jobs[i].buffers)
        results[i].contents.push_back(buffer.name == "output" ? output_ : buffer.initial);
    return results;
  }

  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>&) override { return entries_; }

 private:
  const Bytes& output_;
  std::vector<EntryInfo> entries_;
};

/// A case of an instance: what it left under each setting.
struct CaseOutputs {
  Case c;
  std::vector<Bytes> distinct;                                    ///< first outputs that differ in a bit
  std::array<std::optional<std::size_t>, settings.size()> index;  ///< into `distinct`, by setting
};

/// All instances under all settings. This process uses the GPUs for one job at a time: kernels of two
/// processes that wait for each other across GPUs make progress only by chance.
class Campaign {
 public:
  Campaign(const std::vector<Selected>& instances, const AllReduceArguments& a)
      : instances_(instances), a_(a) {}

  /// Returns the number of instances that it completed before the user interrupted it.
  std::size_t run() {
    const GracefulEnd partial_page;
    std::size_t completed = 0;
    for (const Selected& selected : instances_) {
      if (selected.first != subject_) start(*selected.first);
      line_.show(fmt::format("all-reduce: {} of {} instances", completed, instances_.size()));
      if (!run(selected)) break;
      ++completed;
    }
    stop();
    line_.clear();
    return completed;
  }

  const std::array<Row, settings.size()>& rows() const { return rows_; }

 private:
  void start(const Subject& subject) {
    stop();
    subject_ = &subject;
    for (const Setting& setting : settings)
      processes_.push_back(std::make_unique<Processes>(setting, subject.image));
  }

  void stop() {
    for (std::size_t i = 0; i < processes_.size(); ++i) processes_[i]->read_debug_files(rows_[i]);
    processes_.clear();
  }

  /// Returns false if the user interrupted it.
  bool run(const Selected& selected) {
    std::array<Row, settings.size()> rows;
    std::vector<CaseOutputs> all;
    for (const Case& c : cases_of(*selected.second, ranks())) {
      all.push_back(run_case(selected, c, rows));
      if (is_interrupted()) return false;
    }
    if (!check(selected, all, rows)) return false;
    const std::string name = empty_report(selected.first->contract, *selected.second).kernel;
    for (std::size_t i = 0; i < rows.size(); ++i) add(rows[i], name, rows_[i]);
    return true;
  }

  CaseOutputs run_case(const Selected& selected, const Case& c, std::span<Row> rows) {
    const Job job = instance_job(*selected.second, selected.first->image, processes_[0]->first(), c);
    const auto output = static_cast<std::uint32_t>(
        std::ranges::find(job.buffers, "output", &JobBuffer::name) - job.buffers.begin());
    const Job all = repeated(job, output, a_.runs);
    CaseOutputs made{.c = c, .distinct = {}, .index = {}};
    for (std::size_t i = 0; i < settings.size() && !is_interrupted(); ++i) {
      Row& row = rows[i];
      ++row.cases;
      std::vector<Bytes> outputs = processes_[i]->run(all, output, job.buffers.size(), c, row);
      if (outputs.empty()) continue;
      if (!has_equal_rows(outputs[0], ranks())) ++row.differ_between_ranks;
      if (std::ranges::count(outputs, outputs[0]) != std::ssize(outputs)) ++row.differ_between_runs;
      const auto known = std::ranges::find(made.distinct, outputs[0]);
      made.index[i] = known - made.distinct.begin();
      if (known == made.distinct.end()) made.distinct.push_back(std::move(outputs[0]));
      if (made.index[i] != made.index[0] && ++row.other_bits == 1) row.others.push_back(describe(c));
    }
    return made;
  }

  /// Checks the distinct outputs of all cases in parallel. Returns false if the user interrupted it.
  bool check(const Selected& selected, const std::vector<CaseOutputs>& all, std::span<Row> rows) {
    std::vector<std::pair<const CaseOutputs*, std::size_t>> outputs;
    for (const CaseOutputs& one : all)
      for (std::size_t i = 0; i < one.distinct.size(); ++i) outputs.emplace_back(&one, i);
    const std::vector<EntryInfo> entries = processes_[0]->first().entries(selected.first->image);
    TaskPool pool;
    pool.tasks = outputs.size();
    pool.processes = a_.jobs;
    pool.work = [&](std::size_t task, const auto&) {
      const auto& [one, i] = outputs[task];
      return problem_of(selected, one->c, RecordedRunner(one->distinct[i], entries));
    };
    pool.finished = [&](std::size_t task, const Outcome& outcome) {
      const std::string problem =
          outcome.ending == Outcome::Ending::finished ? outcome.text : outcome.reason();
      const auto& [one, index] = outputs[task];
      for (std::size_t i = 0; i < settings.size() && !problem.empty(); ++i) {
        if (one->index[i] != index) continue;
        ++rows[i].wrong;
        rows[i].problems.try_emplace(problem, describe(one->c));
      }
    };
    return pool.run();
  }

  /// Empty if the output is right.
  static std::string problem_of(const Selected& selected, const Case& c, RecordedRunner runner) {
    const auto& [subject, instance] = selected;
    AuditOptions options;
    options.largest_count = std::uint64_t{1} << 40;
    const KernelReport report = replay_case(subject->contract, *instance, subject->image, runner, c, options);
    if (report.verdict == Verdict::clean) return "";
    return report.findings.empty() ? report.reason : report.findings[0].message;
  }

  /// Adds the row of one instance.
  static void add(const Row& one, const std::string& instance, Row& all) {
    all.cases += one.cases;
    all.wrong += one.wrong;
    all.differ_between_ranks += one.differ_between_ranks;
    all.differ_between_runs += one.differ_between_runs;
    all.other_bits += one.other_bits;
    for (const std::string& first_case : one.others)
      all.others.push_back(fmt::format("{}: {} of {} cases differ from the first line, such as {}", instance,
                                       one.other_bits, one.cases, first_case));
    for (const auto& [problem, first_case] : one.problems)
      all.problems.try_emplace(fmt::format("{}: {}", instance, problem), first_case);
  }

  const std::vector<Selected>& instances_;
  const AllReduceArguments& a_;
  const Subject* subject_ = nullptr;                   ///< of the running processes
  std::vector<std::unique_ptr<Processes>> processes_;  ///< by setting
  std::array<Row, settings.size()> rows_;
  ProgressLine line_;
};

int run(const AllReduceArguments& a, const Console& console) {
  if (present_gpus().count < 2)
    throw Unsupported("only one CUDA device is available, but an all-reduce requires several");
  std::vector<Subject> subjects;
  for (const char* name : {"all_reduce.toml", "all_reduce_mean.toml"})
    for (Subject& subject :
         load_subjects({shipped_kernels() / "library" / name, {}, {}, Trust::full}, {}, console))
      subjects.push_back(std::move(subject));
  skip_without_gpu(subjects);
  {
    ProgressLine line;
    compile_subjects(subjects, {}, a.jobs, console, line);
  }
  const auto instances = checked_instances(subjects);
  Campaign campaign(instances, a);
  const std::size_t completed = campaign.run();
  const auto& rows = campaign.rows();
  console.print(page({console.command, completed, instances.size(), a.runs}, rows));
  if (completed < instances.size()) return exit_interrupted;
  return std::ranges::all_of(rows, &std::map<std::string, std::string>::empty, &Row::problems)
             ? exit_ok
             : exit_findings;
}

}  // namespace

}  // namespace foldproof::all_reduce

namespace foldproof {

Run attach_all_reduce(CLI::App& app, Console& console) {
  auto a = std::make_shared<all_reduce::AllReduceArguments>();
  app.add_option("--runs", a->runs, "Runs of each case in each of two processes (default: 3)")
      ->check(quietly(CLI::Range(1U, 1000U)))
      ->type_name("N");
  add_jobs(app, a->jobs, "Number of parallel processes that check values");
  return [a, &console] { return all_reduce::run(*a, console); };
}

}  // namespace foldproof
