#include "cli/campaign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <ranges>

#include "base/child.h"
#include "command/gpu_workers.h"
#include "devices/sanitized.h"

namespace foldproof {

namespace {

/// Tools slow kernels down a hundredfold.
constexpr std::chrono::seconds case_limit{30};
/// To print their version.
constexpr std::chrono::seconds start_limit{60};

class ToolRunner : public Runner {
 public:
  Capabilities capabilities() const override {
    return {.observes_launches = false, .obeys_schedules = false, .jobs_together = 1 << 20};
  }
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return entries_in(*image);
  }
};

/// Records jobs; their results are unknown.
class Recorder final : public ToolRunner {
 public:
  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    jobs_.insert(jobs_.end(), jobs.begin(), jobs.end());
    JobResult unknown;
    unknown.completed = false;
    std::vector<JobResult> results(jobs.size(), unknown);
    for (std::size_t j = 0; j < jobs.size(); ++j) results[j].contents.resize(jobs[j].buffers.size());
    return results;
  }

  std::vector<Job> take() { return std::move(jobs_); }

 private:
  std::vector<Job> jobs_;
};

/// Returns the results of the recorded jobs, which must be requested in the same order.
class Player final : public ToolRunner {
 public:
  explicit Player(std::vector<std::optional<JobResult>> results) : results_(std::move(results)) {}

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    for (std::size_t j = 0; j < jobs.size() && next_ < results_.size() && results_[next_]; ++j)
      results.push_back(*std::move(results_[next_++]));
    return results;
  }

 private:
  std::vector<std::optional<JobResult>> results_;
  std::size_t next_ = 0;
};

/// "racecheck, memcheck, synccheck, initcheck"
std::string tool_names() {
  return fmt::format(
      "{}",
      fmt::join(compute_sanitizer::tools() | std::views::transform(&compute_sanitizer::Tool::name), ", "));
}

}  // namespace

void add_sanitizer(CLI::App& app, std::string& value, const std::string& about) {
  app.add_option(
         "--sanitizer", value,
         fmt::format("{}: run these compute-sanitizer tools, separated by commas: {}", about, tool_names()))
      ->type_name("TOOLS");
}

void check_has_gpu(const std::string& sanitizer, bool has_gpu) {
  if (!sanitizer.empty() && !has_gpu) throw InputError("--sanitizer requires a GPU; add --device cuda");
}

std::vector<const compute_sanitizer::Tool*> tools_named(const std::string& list, Deadline deadline) {
  std::vector<const compute_sanitizer::Tool*> tools;
  if (list.empty()) return tools;
  for (const std::string& name : CLI::detail::split(list, ',')) {
    tools.push_back(compute_sanitizer::tool_named(name));
    if (tools.back() == nullptr)
      throw InputError(fmt::format("--sanitizer: unknown tool \"{}\"; choose from {}, separated by commas",
                                   name, tool_names()));
  }
  const ProcessResult version =
      run_process({compute_sanitizer::find_executable().string(), "--version"},
                  std::filesystem::temp_directory_path(), patient_until(start_limit, deadline));
  compute_sanitizer::version_in(version.output);
  return tools;
}

std::vector<KernelReport> audit_under_tool(std::span<const Assignment> assignments, const AuditBy& audit) {
  std::vector<Job> jobs;
  std::vector<std::size_t> ends;
  std::vector<std::optional<KernelReport>> wrong(assignments.size());
  for (std::size_t k = 0; k < assignments.size(); ++k) {
    Recorder recorder;
    try {
      audit(assignments[k], recorder);
      std::ranges::move(recorder.take(), std::back_inserter(jobs));
    } catch (const InputError& error) {
      wrong[k] = empty_report(assignments[k].subject->contract, *assignments[k].instance, Verdict::error,
                              error.what());
    }
    ends.push_back(jobs.size());
  }
  WorkerOptions worker = gpu_worker_options(case_limit);
  worker.command.emplace_back("--plain");
  auto results = run_sanitized(*assignments.front().tool, worker, compute_sanitizer::find_executable(), jobs);

  std::vector<KernelReport> reports;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < assignments.size(); begin = ends[k++]) {
    const auto at = [&](std::size_t job) {
      return std::make_move_iterator(results.begin() + static_cast<std::ptrdiff_t>(job));
    };
    Player player({at(begin), at(ends[k])});
    reports.push_back(wrong[k] ? *wrong[k] : audit(assignments[k], player));
  }
  return reports;
}

}  // namespace foldproof
