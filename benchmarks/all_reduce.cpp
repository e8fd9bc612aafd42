// foldproof-lab all-reduce: whether NCCL's all-reduce leaves the same bits on every rank, in every run, and
// under every algorithm and protocol.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <sstream>

#include "base/files.h"
#include "base/printable.h"
#include "base/task_pool.h"
#include "benchmarks/verbs.h"
#include "command/compilation.h"
#include "command/subjects.h"
#include "devices/gpus.h"
#include "devices/host_program.h"
#include "properties/audit.h"
#include "properties/instance_job.h"
#include "properties/random.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

/// Values of NCCL_ALGO and NCCL_PROTO; empty: NCCL chooses. NVLS, which adds on the switch, needs multicast;
/// the catalogue's program turns it off. CollNet needs a network.
struct Setting {
  const char* algorithm;
  const char* protocol;
};
constexpr std::array<Setting, 7> settings{{{"", ""},
                                           {"Ring", "LL"},
                                           {"Ring", "LL128"},
                                           {"Ring", "Simple"},
                                           {"Tree", "LL"},
                                           {"Tree", "LL128"},
                                           {"Tree", "Simple"}}};

/// Rows of 2^k bytes: NCCL changes its protocol between two of them.
constexpr std::array exponents{10U, 12U, 14U, 16U, 18U, 20U, 21U};

struct Arguments {
  unsigned runs = 5, jobs = std::min(16U, default_jobs());
};

/// The contracts admit up to 8 ranks.
unsigned ranks() { return std::min(gpus().count, 8U); }

/// What one instance does under one setting.
struct Outcomes {
  std::uint64_t wrong = 0, differ_between_ranks = 0, differ_between_runs = 0;  ///< cases
  std::vector<std::uint64_t> digests;  ///< of the first output of each case
  std::uint64_t other_bits = 0;        ///< cases whose digest differs from that of the first setting
  std::vector<std::string> others;     ///< the first of them; in a sum, a sentence for each instance
  /// What NCCL says that it used, such as "RING LL", with the smallest and largest row in bytes.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> used;
  std::string version;
  /// Findings and reasons why something did not run, each with the first case.
  std::map<std::string, std::string> problems;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcomes, wrong, differ_between_ranks, differ_between_runs, digests,
                                   other_bits, others, used, version, problems)

/// The job with its launch repeated, each time with another output.
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

using Selected = std::pair<const Subject*, const Instance*>;

/// Two processes that call instances of one contract.
class Processes {
 public:
  Processes() {
    for (auto& runner : runners_) runner = make_host_runner();
  }

  Runner& first() { return *runners_[0]; }

  /// Runs the case `runs` times in each process and compares the outputs. Returns the digest of the first
  /// one; nothing if a job did not complete.
  std::optional<std::uint64_t> run(const Selected& selected, const Case& c, unsigned runs,
                                   Outcomes& outcomes) {
    const Job job = instance_job(*selected.second, selected.first->image, first(), c);
    const auto output = static_cast<std::uint32_t>(
        std::ranges::find(job.buffers, "output", &JobBuffer::name) - job.buffers.begin());
    const Job all = repeated(job, output, runs);
    std::vector<std::vector<std::byte>> outputs;
    for (const auto& runner : runners_) {
      std::vector<JobResult> result = runner->run({all});
      if (result.empty() || !result[0].completed || result[0].unsupported) return std::nullopt;
      auto& contents = result[0].contents;
      outputs.push_back(std::move(contents[output]));
      std::move(contents.begin() + static_cast<std::ptrdiff_t>(job.buffers.size()), contents.end(),
                std::back_inserter(outputs));
    }
    const std::vector<std::byte>& bits = outputs[0];
    if (!has_equal_rows(bits, ranks())) ++outcomes.differ_between_ranks;
    if (!std::ranges::all_of(outputs, [&](const auto& other) { return other == bits; }))
      ++outcomes.differ_between_runs;
    return hash_of({reinterpret_cast<const char*>(bits.data()), bits.size()});
  }

 private:
  static bool has_equal_rows(std::span<const std::byte> bits, std::size_t rows) {
    const std::size_t row = bits.size() / rows;
    for (std::size_t i = 1; i < rows; ++i)
      if (!std::ranges::equal(bits.subspan(i * row, row), bits.first(row))) return false;
    return true;
  }

  std::array<std::unique_ptr<Runner>, 2> runners_;
};

/// Rows of few elements, fewer than there are ranks, and of a power of two of bytes and one element less and
/// more.
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
  std::vector<const char*> distributions{"uniform", "codes"};
  if (is_float(element)) distributions = {"uniform", "exponents", "ill-conditioned:20", "subnormals"};
  if (is_float(element) && float_format(element).has_infinity) distributions.push_back("infinities");
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

/// Reads what NCCL wrote to its debug files.
void read_debug_files(const fs::path& folder, Outcomes& outcomes) {
  static const std::regex choice(R"(AllReduce: (\d+) Bytes -> Algo (\w+) proto (\w+))"),
      version(R"(NCCL version (\S+))");
  constexpr std::size_t largest_debug_file = 64 << 20;
  for (const auto& file : fs::directory_iterator(folder)) {
    std::istringstream text(read_text_file(file.path(), largest_debug_file));
    std::smatch found;
    for (std::string line; std::getline(text, line);) {
      if (std::regex_search(line, found, version)) outcomes.version = found[1];
      if (!std::regex_search(line, found, choice)) continue;
      const std::uint64_t bytes = std::stoull(found[1]);
      const auto [entry, is_new] =
          outcomes.used.try_emplace(found[2].str() + " " + found[3].str(), bytes, bytes);
      auto& [smallest, largest] = entry->second;
      smallest = std::min(smallest, bytes), largest = std::max(largest, bytes);
    }
  }
}

void set_environment(const Setting& setting, const fs::path& debug) {
  const std::pair<const char*, std::string> variables[] = {{"NCCL_ALGO", setting.algorithm},
                                                           {"NCCL_PROTO", setting.protocol},
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

/// A case is checked unless its bits are those of `checked`, the outcomes of the first setting.
Outcomes outcomes_of(const Selected& selected, Processes& processes, unsigned runs, const Outcomes* checked) {
  const auto& [subject, instance] = selected;
  Outcomes outcomes;
  AuditOptions options;
  options.largest_count = std::uint64_t{1} << 40;
  for (const Case& c : cases_of(*instance, ranks())) {
    const std::optional<std::uint64_t> digest = processes.run(selected, c, runs, outcomes);
    const std::size_t index = outcomes.digests.size();
    outcomes.digests.push_back(digest.value_or(0));
    if (digest && checked != nullptr && index < checked->digests.size()) {
      if (checked->digests[index] == *digest) continue;  // 0: the first setting has no result
      if (++outcomes.other_bits == 1) outcomes.others.push_back(describe(c));
    }
    const KernelReport report =
        replay_case(subject->contract, *instance, subject->image, processes.first(), c, options);
    if (report.verdict != Verdict::clean) ++outcomes.wrong;
    for (const Finding& finding : report.findings)
      outcomes.problems.try_emplace(finding.message, finding.case_text);
    if (!report.reason.empty()) outcomes.problems.try_emplace(report.reason, describe(c));
  }
  return outcomes;
}

/// Adds the outcomes of an instance to those of all instances.
void add(Outcomes& all, const Outcomes& one, const std::string& instance) {
  all.digests.insert(all.digests.end(), one.digests.begin(), one.digests.end());
  all.wrong += one.wrong;
  all.differ_between_ranks += one.differ_between_ranks;
  all.differ_between_runs += one.differ_between_runs;
  all.other_bits += one.other_bits;
  for (const std::string& first_case : one.others)
    all.others.push_back(fmt::format("{}: {} of {} cases differ from the first line, such as {}", instance,
                                     one.other_bits, one.digests.size(), first_case));
  for (const auto& [name, range] : one.used) {
    auto& [smallest, largest] = all.used.try_emplace(name, range).first->second;
    smallest = std::min(smallest, range.first), largest = std::max(largest, range.second);
  }
  if (!one.version.empty()) all.version = one.version;
  for (const auto& [problem, first_case] : one.problems)
    all.problems.try_emplace(instance + ": " + problem, first_case);
}

std::string used_text(const Outcomes& outcomes) {
  std::vector<std::string> parts;
  for (const auto& [name, range] : outcomes.used)
    parts.push_back(fmt::format("{} ({} to {} bytes)", name, range.first, range.second));
  return parts.empty() ? "unknown" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string page_of(const std::vector<Outcomes>& rows, std::size_t instances, const Arguments& a,
                    const std::string& command) {
  std::string text = fmt::format(
      "# All-reduce on several GPUs\n\n"
      "Generated by {} on {} GPUs: {}; NCCL {}. It runs the {} instances of C11 and C11-mean. The size of a "
      "row is 0, one element, about one element per rank, or one of {} powers of two of bytes from 2^{} to "
      "2^{}, also with one element less and more. Each case runs {} times in each of two processes, and is "
      "checked as in an audit unless it leaves the bits of the first line.\n\n"
      "NCCL's maintainers state that ring and tree add in an order that depends on the size and the topology "
      "([NCCL issue 157](https://github.com/NVIDIA/nccl/issues/157)), and that NVLS, which adds on the "
      "switch, may give other bits in each call, but gives the same on all ranks "
      "([NCCL issue 1497](https://github.com/NVIDIA/nccl/issues/1497)). NVLS is turned off here.\n\n",
      markdown_code(command), gpus().count, markdown_text(gpus().name),
      rows[0].version.empty() ? "of unknown version" : markdown_text(rows[0].version), instances,
      exponents.size(), exponents.front(), exponents.back(), a.runs);
  if (gpus().count == 2)
    text +=
        "With two ranks, each result combines two elements, so there is only one order. More GPUs are needed "
        "to see "
        "whether the order depends on algorithm or protocol.\n\n";
  text +=
      "| `NCCL_ALGO` | `NCCL_PROTO` | what NCCL used, for rows of | cases | wrong | different on another "
      "rank | "
      "different in another run | different from the first line |\n|---|---|---|---|---|---|---|---|\n";
  const auto word = [](const char* name) { return *name == '\0' ? "unset" : name; };
  std::string details;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const auto& [algorithm, protocol] = settings[s];
    const Outcomes& row = rows[s];
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", word(algorithm), word(protocol),
                        markdown_text(used_text(row)), row.digests.size(), row.wrong,
                        row.differ_between_ranks, row.differ_between_runs, row.other_bits);
    const auto detail = [&](const std::string& what) {
      details += "\n- " + markdown_text(fmt::format("{} {}: {}", word(algorithm), word(protocol), what));
    };
    for (const std::string& other : row.others) detail(other);
    for (const auto& [problem, first_case] : row.problems)
      detail(fmt::format("{} ({})", problem, first_case));
  }
  return text + details + "\n";
}

/// All instances under all settings.
class Campaign {
 public:
  Campaign(const std::vector<Selected>& instances, const Arguments& a)
      : instances_(instances), a_(a), outcomes_(settings.size(), std::vector<Outcomes>(instances.size())) {}

  /// Returns false if the user interrupted it.
  bool run() {
    const bool whole = run_all();
    line_.clear();
    return whole;
  }

  /// A row per setting.
  std::vector<Outcomes> rows() const {
    std::vector<Outcomes> rows(settings.size());
    for (std::size_t setting = 0; setting < settings.size(); ++setting)
      for (std::size_t i = 0; i < instances_.size(); ++i)
        add(rows[setting], outcomes_[setting][i],
            empty_report(instances_[i].first->contract, *instances_[i].second).kernel);
    return rows;
  }

 private:
  /// Instances of one contract under one setting.
  struct Task {
    std::size_t setting, begin, end;
  };

  bool run_all() {
    std::vector<Task> checked, others;
    for (std::size_t i = 0; i < instances_.size(); ++i) checked.push_back({0, i, i + 1});
    for (std::size_t setting = 1; setting < settings.size(); ++setting)
      for (std::size_t begin = 0, end = 0; begin < instances_.size(); begin = end) {
        while (end < instances_.size() && instances_[end].first == instances_[begin].first) ++end;
        others.push_back({setting, begin, end});
      }
    // Checks need the CPU; everything else needs the GPUs, on which processes only take turns.
    return run(checked, a_.jobs) && run(others, std::min(2U, a_.jobs));
  }

  /// In a process of its own, because NCCL reads its environment only once.
  std::vector<Outcomes> outcomes_of_task(const Task& task) const {
    const TemporaryFolder debug;
    set_environment(settings[task.setting], debug.path());
    std::vector<Outcomes> outcomes;
    {
      Processes processes;
      for (std::size_t i = task.begin; i < task.end; ++i)
        outcomes.push_back(
            outcomes_of(instances_[i], processes, a_.runs, task.setting == 0 ? nullptr : &outcomes_[0][i]));
    }
    read_debug_files(debug.path(), outcomes.front());
    return outcomes;
  }

  bool run(const std::vector<Task>& tasks, unsigned processes) {
    TaskPool pool;
    pool.tasks = tasks.size();
    pool.processes = processes;
    pool.work = [&](std::size_t task, const auto&) {
      return nlohmann::json(outcomes_of_task(tasks[task])).dump();
    };
    pool.finished = [&](std::size_t index, const Outcome& outcome) {
      const Task& task = tasks[index];
      std::vector<Outcomes> made(task.end - task.begin);
      if (outcome.ending == Outcome::Ending::finished)
        made = nlohmann::json::parse(outcome.text).get<std::vector<Outcomes>>();
      else
        for (Outcomes& one : made) one.problems.try_emplace(outcome.reason(), "no case");
      std::ranges::move(made, outcomes_[task.setting].begin() + static_cast<std::ptrdiff_t>(task.begin));
      ended_ += made.size();
      line_.show(fmt::format("all-reduce: {} of {} combinations of an instance and a setting", ended_,
                             instances_.size() * settings.size()));
    };
    return pool.run();
  }

  const std::vector<Selected>& instances_;
  const Arguments& a_;
  std::vector<std::vector<Outcomes>> outcomes_;  ///< by setting, then by instance
  std::size_t ended_ = 0;
  ProgressLine line_;
};

int all_reduce(const Arguments& a, const Console& console) {
  if (present_gpus().count < 2)
    throw Unsupported("only one CUDA device is available, and an all-reduce requires several");
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
  const bool whole = campaign.run();
  const std::vector<Outcomes> rows = campaign.rows();
  console.print(page_of(rows, instances.size(), a, console.command));
  if (!whole) return exit_interrupted;
  return std::ranges::all_of(rows, [](const Outcomes& row) { return row.problems.empty(); }) ? exit_ok
                                                                                             : exit_findings;
}

}  // namespace

Run attach_all_reduce(CLI::App& app, Console& console) {
  auto a = std::make_shared<Arguments>();
  app.add_option("--runs", a->runs, "Runs of each case in each of two processes (default: 5)")
      ->check(quietly(CLI::Range(1U, 1000U)))
      ->type_name("N");
  app.add_option("--jobs,-j", a->jobs, "Number of parallel processes that check values (default: up to 16)")
      ->check(quietly(CLI::Range(1U, 1024U)))
      ->type_name("N");
  return [a, &console] { return all_reduce(*a, console); };
}

}  // namespace foldproof
