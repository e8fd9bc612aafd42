// foldproof compare: the same cases on the emulated device and on a GPU, bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/gpu_workers.h"
#include "cli/parse.h"
#include "cli/processes.h"
#include "cli/source_options.h"
#include "cli/subjects.h"
#include "cli/verb.h"
#include "contracts/entry_facts.h"
#include "devices/cuda.h"
#include "oracles/number.h"
#include "properties/audit.h"
#include "reports/json.h"

namespace foldproof {

namespace {

struct Arguments {
  std::string path, seed = "1";
  std::uint64_t cases = 48, largest = 4096;
  unsigned jobs = default_jobs();
  bool contracted = false;
  SourceOptions source;
};

/// What became of the runs of an instance.
struct Tally {
  std::uint64_t runs = 0, same = 0;  ///< both devices ended; and left the same bits
  std::uint64_t other_nan = 0;       ///< but for NaNs of f64, which differ in sign or payload
  std::uint64_t left_out = 0;        ///< one of the devices did not end, or lacks an instruction
};

/// Runs jobs on both devices and tells how often they differ. The GPU's results are handed on; where bits
/// must be the same and are not, with a finding.
class ComparingRunner final : public Runner {
 public:
  ComparingRunner(std::unique_ptr<Runner> gpu, const Instance& instance, bool must_be_same)
      : gpu_(std::move(gpu)), instance_(instance), must_be_same_(must_be_same) {}

  bool watches() const override { return gpu_->watches(); }
  std::size_t jobs_together() const override { return gpu_->jobs_together(); }
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return gpu_->entries(image);
  }

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results = gpu_->run(jobs);
    for (std::size_t j = 0; j < results.size(); ++j) {
      Job job = jobs[j];
      job.follow.reset();
      const std::vector<JobResult> emulated = emulated_->run({job});
      if (auto finding = compare(job, emulated.front(), results[j])) results[j].findings.push_back(*finding);
    }
    return results;
  }

  const Tally& tally() const { return tally_; }

 private:
  std::optional<Finding> compare(const Job& job, const JobResult& emulated, const JobResult& real) {
    if (!emulated.completed || !real.completed) {
      ++tally_.left_out;
      return std::nullopt;
    }
    ++tally_.runs;
    bool is_same = true;
    for (std::size_t b = 0; b < job.buffers.size(); ++b) {
      if (emulated.contents[b] == real.contents[b]) continue;
      is_same = false;
      if (is_f64(job.buffers[b].name) && differ_in_nans_only(emulated.contents[b], real.contents[b]))
        continue;
      return must_be_same_ ? std::optional(difference(job, b, emulated, real)) : std::nullopt;
    }
    ++(is_same ? tally_.same : tally_.other_nan);
    return std::nullopt;
  }

  bool is_f64(const std::string& buffer) const {
    const auto of = [&](const Reduction& reduction) { return reduction.output == Element::f64; };
    if (buffer == instance_.output_name) return of(*instance_.reduction);
    return std::ranges::any_of(instance_.further, [&](const FurtherResult& further) {
      return further.buffer == buffer && of(further.reduction);
    });
  }

  /// f64 hands on the NaN of an operand. Where two meet, ptxas chooses: it may swap the operands of a sum or
  /// product.
  static bool differ_in_nans_only(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    for (std::size_t i = 0; i < a.size() / sizeof(double); ++i) {
      const std::uint64_t here = load(Element::f64, a, i), there = load(Element::f64, b, i);
      if (here != there &&
          !(std::isnan(std::bit_cast<double>(here)) && std::isnan(std::bit_cast<double>(there))))
        return false;
    }
    return true;
  }

  static Finding difference(const Job& job, std::size_t buffer, const JobResult& emulated,
                            const JobResult& real) {
    const auto& a = emulated.contents[buffer];
    const auto& b = real.contents[buffer];
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin()) / 8 * 8;
    const auto hex = [&](const std::vector<std::byte>& bytes) {
      std::string text;
      for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i)
        text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned>(bytes[i]));
      return text;
    };
    Finding finding;
    finding.kind = Kind::not_reproducible;
    finding.message = fmt::format(
        "the devices differ in the buffer \"{}\": from byte {} on, the emulated one has {} and the GPU {}",
        job.buffers[buffer].name, at, hex(a), hex(b));
    for (const JobStep& step : job.steps)
      if (const auto* launch = std::get_if<JobLaunch>(&step)) finding.at = launch->where;
    return finding;
  }

  std::unique_ptr<Runner> gpu_, emulated_ = make_runner(make_emulated_device());
  const Instance& instance_;
  bool must_be_same_;
  Tally tally_;
};

/// Whether the contract and the code leave no choice of bits: one order of combination, nothing approximated.
bool has_one_answer(const Instance& instance, const Image& image) {
  return instance.claims.deterministic &&
         std::ranges::none_of(instance.launches, [&](const LaunchContract& launch) {
           return facts_of(image.ptx, launch.lowered).approximates;
         });
}

struct Compared {
  std::string folder, kernel, instance, trouble;
  bool must_be_same = false;
  std::uint64_t cases = 0;
  Tally tally;
  std::vector<Finding> findings;
};

Json packed(const KernelReport& report, const Tally& tally, bool must_be_same) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) findings.push_back(to_json(finding));
  return {{"must_be_same", must_be_same}, {"cases", report.cases},        {"runs", tally.runs},
          {"same", tally.same},           {"other_nan", tally.other_nan}, {"left_out", tally.left_out},
          {"reason", report.reason},      {"findings", findings}};
}

void unpack_into(Compared& one, const Json& json) {
  one.must_be_same = json.at("must_be_same").get<bool>();
  one.cases = json.at("cases").get<std::uint64_t>();
  one.tally = {json.at("runs").get<std::uint64_t>(), json.at("same").get<std::uint64_t>(),
               json.at("other_nan").get<std::uint64_t>(), json.at("left_out").get<std::uint64_t>()};
  one.trouble = json.at("reason").get<std::string>();
  for (const Json& finding : json.at("findings")) one.findings.push_back(finding_from(finding));
}

/// What a folder's instances came to, of those that must be the same and of the others.
struct Row {
  std::uint64_t instances = 0, cases = 0, runs = 0, same = 0, other_nan = 0, left_out = 0, findings = 0;
  void add(const Compared& one) {
    ++instances;
    cases += one.cases, runs += one.tally.runs, same += one.tally.same;
    other_nan += one.tally.other_nan, left_out += one.tally.left_out;
    findings += one.findings.size();
  }
};

std::string page_of(const std::vector<Compared>& all, const std::string& device, const Arguments& a,
                    const std::string& command) {
  std::map<std::pair<std::string, bool>, Row> rows;
  Row sum;
  for (const Compared& one : all) rows[{one.folder, !one.must_be_same}].add(one), sum.add(one);
  std::string text = fmt::format(
      "# The emulated device against a GPU\n\n"
      "Made by `{}` on: {}. {}. {} random cases of at most {} elements, with the further runs that each is "
      "compared with.\n\n"
      "Kernels need not have the same bits where their contract claims no single order, or where PTX leaves "
      "the "
      "result of an instruction to the hardware (`.approx`): these are held against their bounds alone. A "
      "NaN of "
      "f64 may have another sign or payload where two NaNs met: PTX does not say which of them goes on, and "
      "ptxas "
      "may swap the operands of a sum or product.\n\n"
      "| kernels | must have the same bits | instances | cases | runs | with the same bits | but for NaNs of "
      "f64 "
      "| left out | findings |\n"
      "|---|---|---|---|---|---|---|---|---|\n",
      command, device,
      a.contracted
          ? "Built as the contracts say, so that ptxas may contract a product and a sum into one operation: "
            "results are held against their bounds"
          : "Built with `-fmad=false`",
      sum.cases, a.largest);
  const auto line = [&](const std::string& name, const std::string& must, const Row& row) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, must, row.instances,
                        row.cases, row.runs, row.same, row.other_nan, row.left_out, row.findings);
  };
  for (const auto& [key, row] : rows) line(key.first, key.second ? "no" : "yes", row);
  line("all", "", sum);
  for (const Compared& one : all) {
    if (!one.trouble.empty())
      text += fmt::format("\n- {} [{}] was not compared: {}", one.kernel, one.instance, one.trouble);
    for (const Finding& finding : one.findings)
      text +=
          fmt::format("\n- {} [{}]: {} ({})", one.kernel, one.instance, finding.message, finding.case_text);
  }
  return text + "\n";
}

Json json_of(const std::vector<Compared>& all, const std::string& device, const Arguments& a) {
  Json kernels = Json::array();
  for (const Compared& one : all) {
    Json findings = Json::array();
    for (const Finding& finding : one.findings) findings.push_back(to_json(finding));
    kernels.push_back({{"kernel", one.kernel},
                       {"instance", one.instance},
                       {"must_be_same", one.must_be_same},
                       {"cases", one.cases},
                       {"runs", one.tally.runs},
                       {"same", one.tally.same},
                       {"other_nan", one.tally.other_nan},
                       {"left_out", one.tally.left_out},
                       {"reason", one.trouble.empty() ? Json(nullptr) : Json(one.trouble)},
                       {"findings", findings}});
  }
  return {{"device", device}, {"fmad", a.contracted}, {"kernels", kernels}};
}

int compare(const Arguments& a, const Console& console) {
  const std::string device = cuda_device_name();
  ProgressLine line;
  CompileOptions compile_options = a.source.compile_options();
  compile_options.machine = gpu_architecture();
  if (!a.contracted) compile_options.flags.emplace_back("-fmad=false");
  std::vector<Subject> subjects = load_subjects({a.path, {}, {}}, compile_options, console);
  std::erase_if(subjects, [](const Subject& subject) {
    return subject.contract.is_host() || !subject.contract.expected.empty();
  });
  compile_subjects(subjects, compile_options, a.jobs, console, line);

  const auto instances = right_instances(subjects);
  std::vector<Compared> all(instances.size());
  AuditOptions options;
  options.cases = a.cases;
  options.steered = 0;
  options.largest_count = a.largest;
  options.seed = parse_seed(a.seed);
  options.tells_missed = false;
  GpuWorkers workers(gpu_worker_options(std::chrono::seconds(10)));
  std::size_t ended = 0;
  Tasks tasks;
  tasks.count = instances.size();
  tasks.jobs = a.jobs;
  tasks.starting = [&](std::size_t, unsigned slot) { workers.prepare(slot); };
  tasks.work = [&](std::size_t task, const auto&) {
    const auto& [subject, instance] = instances[task];
    const bool must_be_same = !a.contracted && has_one_answer(*instance, *subject->image);
    ComparingRunner runner(workers.runner(), *instance, must_be_same);
    const KernelReport report = audit_instance(subject->contract, *instance, subject->image, runner, options);
    return pack(packed(report, runner.tally(), must_be_same));
  };
  tasks.finished = [&](std::size_t task, const Outcome& outcome) {
    const auto& [subject, instance] = instances[task];
    Compared& one = all[task];
    one.folder = subject->contract.source.parent_path().filename().string();
    one.kernel = empty_report(subject->contract, *instance).kernel;
    one.instance = instance->label;
    if (outcome.ending == Outcome::Ending::finished)
      unpack_into(one, unpack(outcome.text));
    else
      one.trouble = outcome.reason();
    line.show(fmt::format("compared: {} of {} instances", ++ended, instances.size()));
  };
  const bool whole = run_in_processes(tasks);
  line.clear();
  if (console.json())
    console.print(json_of(all, device, a));
  else
    console.print(page_of(all, device, a, console.command));
  if (!whole) return exit_interrupted;
  const auto is_bad = [](const Compared& one) { return !one.findings.empty() || !one.trouble.empty(); };
  return std::ranges::any_of(all, is_bad) ? exit_findings : exit_ok;
}

}  // namespace

Run attach_compare(CLI::App& app, Console& console) {
  auto a = std::make_shared<Arguments>();
  app.add_option("PATH", a->path, "A folder, source or contract; without one the kernels that come along");
  app.add_option("--cases", a->cases, "Of each instance; default: 48")
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40)))
      ->type_name("N");
  app.add_option("--largest", a->largest, "Elements of a case at most; default: 4096")
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30)))
      ->type_name("N");
  app.add_option("--seed", a->seed, "Of the cases: a number, or random")->type_name("SEED");
  app.add_option("--jobs,-j", a->jobs, "Processes at a time")
      ->check(quietly(CLI::Range(1U, 1024U)))
      ->type_name("N");
  app.add_flag("--contracted", a->contracted,
               "Build as the contracts say, without -fmad=false: results must stay inside their bounds");
  a->source.attach(app);
  return [a, &console] { return compare(*a, console); };
}

}  // namespace foldproof
