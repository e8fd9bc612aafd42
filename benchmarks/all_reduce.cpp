// foldproof-lab all-reduce: whether NCCL's all-reduce leaves the same bits on every rank, in every run, and
// under every algorithm and protocol (docs/all_reduce.md).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <span>

#include "base/files.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/task_pool.h"
#include "benchmarks/verbs.h"
#include "command/subjects.h"
#include "devices/gpus.h"
#include "devices/host_program.h"
#include "properties/audit.h"
#include "properties/instance_job.h"

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

/// Rows of 2^10 to 2^21 bytes: NCCL changes its protocol at a power of two or between two of them.
constexpr unsigned smallest_exponent = 10, largest_exponent = 21;

struct Arguments {
  unsigned runs = 5, jobs = std::min(8U, default_jobs());
};

/// What one instance does under one setting.
struct Outcomes {
  std::uint64_t wrong = 0, differ_between_ranks = 0, differ_between_runs = 0;  ///< cases
  std::vector<std::uint64_t> digests;   ///< of the first output of each case
  std::vector<std::string> other_bits;  ///< the cases whose digest differs from that of the first setting
  /// What NCCL says that it used, such as "RING LL", with the smallest and largest row in bytes.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> used;
  std::string version;
  /// Findings and reasons why something did not run, each with the first case.
  std::map<std::string, std::string> problems;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcomes, wrong, differ_between_ranks, differ_between_runs, digests,
                                   other_bits, used, version, problems)

/// The calls of one instance in two processes.
class Processes {
 public:
  Processes(const Subject& subject, const Instance& instance) : subject_(subject), instance_(instance) {
    for (auto& runner : runners_) runner = make_host_runner();
  }

  Runner& first() { return *runners_[0]; }

  /// Runs the case once, and then `runs` times in each process. Returns the digest of the first output;
  /// nothing if the first run did not complete.
  std::optional<std::uint64_t> run(const Case& c, unsigned runs, Outcomes& outcomes) {
    const Job job = instance_job(instance_, subject_.image, first(), c);
    const std::vector<JobResult> result = first().run({job});
    if (result.empty() || !result[0].completed || result[0].unsupported) return std::nullopt;
    const auto output = static_cast<std::size_t>(std::ranges::find(job.buffers, "output", &JobBuffer::name) -
                                                 job.buffers.begin());
    const std::vector<std::byte>& bits = result[0].contents.at(output);
    if (!has_equal_rows(bits, gpus().count)) ++outcomes.differ_between_ranks;
    if (!repeats(job, result[0], runs)) ++outcomes.differ_between_runs;
    std::uint64_t digest = bits.size();
    for (const std::byte byte : bits) digest = mixed(digest ^ std::to_integer<std::uint64_t>(byte));
    return digest;
  }

 private:
  static bool has_equal_rows(std::span<const std::byte> bits, std::size_t rows) {
    const std::size_t row = bits.size() / rows;
    for (std::size_t i = 1; i < rows; ++i)
      if (!std::ranges::equal(bits.subspan(i * row, row), bits.first(row))) return false;
    return true;
  }

  bool repeats(const Job& job, const JobResult& result, unsigned runs) {
    for (const auto& runner : runners_)
      for (unsigned run = 0; run < runs; ++run) {
        const std::vector<JobResult> again = runner->run({job});
        if (again.empty() || !again[0].completed || again[0].contents != result.contents) return false;
      }
    return true;
  }

  const Subject& subject_;
  const Instance& instance_;
  std::array<std::unique_ptr<Runner>, 2> runners_;
};

/// Rows of few elements, fewer than there are ranks, and of a power of two of bytes and one element less and
/// more.
std::vector<std::int64_t> columns_for(Element element, std::int64_t ranks) {
  std::set<std::int64_t> columns{0, 1, ranks - 1, ranks, ranks + 1};
  for (unsigned exponent = smallest_exponent; exponent <= largest_exponent; ++exponent) {
    const auto whole = static_cast<std::int64_t>((std::uint64_t{1} << exponent) / size_of(element));
    columns.insert({whole - 1, whole, whole + 1});
  }
  return {columns.begin(), columns.end()};
}

std::vector<Case> cases_of(const Instance& instance, std::int64_t ranks) {
  const Element element = instance.reduction->input;
  const std::vector<const char*> distributions =
      is_float(element) ? std::vector<const char*>{"uniform", "exponents", "ill-conditioned:20", "infinities"}
                        : std::vector<const char*>{"uniform", "codes"};
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
                                                           {"NCCL_DEBUG", "INFO"},
                                                           {"NCCL_DEBUG_SUBSYS", "INIT,TUNING"},
                                                           {"NCCL_DEBUG_FILE", (debug / "%p").string()}};
  for (const auto& [name, value] : variables)
    if (value.empty())
      unsetenv(name);
    else
      setenv(name, value.c_str(), 1);
}

/// Called in a process of its own, because NCCL reads its environment only once. A case is checked unless its
/// bits are those of `checked`, the outcomes of the first setting.
Outcomes outcomes_of(const Subject& subject, const Instance& instance, const Setting& setting, unsigned runs,
                     const Outcomes* checked) {
  const TemporaryFolder debug;
  set_environment(setting, debug.path());
  Outcomes outcomes;
  AuditOptions options;
  options.largest_count = std::uint64_t{1} << 40;
  {
    Processes processes(subject, instance);
    for (const Case& c : cases_of(instance, gpus().count)) {
      const std::optional<std::uint64_t> digest = processes.run(c, runs, outcomes);
      const std::size_t index = outcomes.digests.size();
      outcomes.digests.push_back(digest.value_or(0));
      if (digest && checked != nullptr && index < checked->digests.size()) {
        if (checked->digests[index] == *digest) continue;
        outcomes.other_bits.push_back(describe(c));
      }
      const KernelReport report =
          replay_case(subject.contract, instance, subject.image, processes.first(), c, options);
      if (report.verdict != Verdict::clean) ++outcomes.wrong;
      for (const Finding& finding : report.findings)
        outcomes.problems.try_emplace(finding.message, finding.case_text);
      if (!report.reason.empty()) outcomes.problems.try_emplace(report.reason, describe(c));
    }
  }
  read_debug_files(debug.path(), outcomes);
  return outcomes;
}

/// Adds the outcomes of an instance to those of all instances.
void add(Outcomes& all, const Outcomes& one, const std::string& instance) {
  all.digests.insert(all.digests.end(), one.digests.begin(), one.digests.end());
  all.wrong += one.wrong;
  all.differ_between_ranks += one.differ_between_ranks;
  all.differ_between_runs += one.differ_between_runs;
  for (const std::string& c : one.other_bits) all.other_bits.push_back(instance + ": " + c);
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
      "row is 0, one "
      "element, about one element per rank, or a power of two of bytes from 2^{} to 2^{}, also with one "
      "element less and "
      "more. Each case runs once, is checked as in an audit, and runs {} more times in each of two "
      "processes. A case that "
      "leaves the bits of the first line is not checked again.\n\n"
      "NCCL's maintainers state that ring and tree add in an order that depends on the size and the topology "
      "([NCCL issue "
      "157](https://github.com/NVIDIA/nccl/issues/157)), and that NVLS, which adds on the switch, may give "
      "other bits in "
      "each call, but gives the same on all ranks ([NCCL issue "
      "1497](https://github.com/NVIDIA/nccl/issues/1497)). NVLS is "
      "turned off here.\n\n",
      markdown_code(command), gpus().count, markdown_text(gpus().name),
      rows[0].version.empty() ? "of unknown version" : markdown_text(rows[0].version), instances,
      smallest_exponent, largest_exponent, a.runs);
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
                        row.differ_between_ranks, row.differ_between_runs, row.other_bits.size());
    const auto detail = [&](const std::string& what) {
      details += "\n- " + markdown_text(fmt::format("{} {}: {}", word(algorithm), word(protocol), what));
    };
    for (const std::string& c : row.other_bits) detail("different from the first line: " + c);
    for (const auto& [problem, first_case] : row.problems)
      detail(fmt::format("{} ({})", problem, first_case));
  }
  return text + details + "\n";
}

/// All instances under all settings.
class Campaign {
 public:
  Campaign(const std::vector<std::pair<const Subject*, const Instance*>>& instances, const Arguments& a)
      : instances_(instances), a_(a), outcomes_(instances.size() * settings.size()) {}

  /// The first setting, whose cases are all checked, and then the others. Returns false if the user
  /// interrupted it.
  bool run() { return run(0, 1) && run(1, settings.size()); }

  /// A row per setting.
  std::vector<Outcomes> rows() const {
    std::vector<Outcomes> rows(settings.size());
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      const auto& [subject, instance] = instances_[i % instances_.size()];
      add(rows[i / instances_.size()], outcomes_[i], empty_report(subject->contract, *instance).kernel);
    }
    return rows;
  }

 private:
  bool run(std::size_t first_setting, std::size_t end_setting) {
    const std::size_t begin = first_setting * instances_.size();
    TaskPool pool;
    pool.tasks = end_setting * instances_.size() - begin;
    pool.processes = a_.jobs;
    pool.work = [&](std::size_t task, const auto&) {
      const std::size_t i = begin + task, which = i % instances_.size();
      const auto& [subject, instance] = instances_[which];
      return nlohmann::json(outcomes_of(*subject, *instance, settings[i / instances_.size()], a_.runs,
                                        i == which ? nullptr : &outcomes_[which]))
          .dump();
    };
    pool.finished = [&](std::size_t task, const Outcome& outcome) {
      Outcomes& one = outcomes_[begin + task];
      if (outcome.ending == Outcome::Ending::finished)
        one = nlohmann::json::parse(outcome.text).get<Outcomes>();
      else
        one.problems.try_emplace(outcome.reason(), "no case");
      line_.show(fmt::format("all-reduce: {} of {} combinations", ++ended_, outcomes_.size()));
    };
    return pool.run();
  }

  const std::vector<std::pair<const Subject*, const Instance*>>& instances_;
  const Arguments& a_;
  std::vector<Outcomes> outcomes_;  ///< by setting, then by instance
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
  app.add_option("--runs", a->runs, "Repetitions of each case in each of two processes (default: 5)")
      ->check(quietly(CLI::Range(1U, 1000U)))
      ->type_name("N");
  app.add_option("--jobs,-j", a->jobs,
                 "Number of parallel processes (default: up to 8; they take turns on the GPUs)")
      ->check(quietly(CLI::Range(1U, 1024U)))
      ->type_name("N");
  return [a, &console] { return all_reduce(*a, console); };
}

}  // namespace foldproof
