#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "devices/cuda/launch_sites.h"
#include "devices/sanitized.h"
#include "devices/worker/conversation.h"
#include "sanitizer/compute_sanitizer/findings.h"
#include "sanitizer/compute_sanitizer/self_test.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;
using namespace compute_sanitizer;

/// How often one call may begin anew because a job spoilt the device.
constexpr unsigned most_processes = 4;
/// Of a job under a tool, which writes down what a process costs.
constexpr std::uint64_t instructions_a_job = 1 << 20;
constexpr std::chrono::seconds for_its_records{120};

/// A file in the folder for temporary ones, gone with this.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string name = (fs::temp_directory_path() / "foldproof-records-XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) throw InputError("no file for compute-sanitizer's records can be made", {name});
    close(file);
    path_ = name;
  }
  ~TemporaryFile() {
    std::error_code error;
    fs::remove(path_, error);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const fs::path& path() const { return path_; }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  fs::path path_;
};

Job self_test_job(const Tool& tool) {
  static const auto image = std::make_shared<const Image>(
      Image{"the self-test of compute-sanitizer's tools", std::string(self_test_ptx())});
  Job job;
  job.image = image;
  job.buffers = {{"four bytes", self_test_first_bytes, {}, 0, false},
                 {"result", self_test_second_bytes, {}, 0, false}};
  JobLaunch launch{std::string(tool.self_test), {{1, 1, 1}, {self_test_threads, 1, 1}}, {}};
  for (std::uint32_t buffer : {0U, 1U})
    launch.arguments.push_back({ArgumentBytes(sizeof(Address)), {{0, buffer, 0}}});
  job.steps = {launch};
  return job;
}

std::uint64_t launches_of(const Job& job) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      job.steps, [](const JobStep& step) { return std::holds_alternative<JobLaunch>(step); }));
}

bool is_spoilt(const JobResult& result) {
  return std::ranges::any_of(result.findings, [](const Finding& f) { return is_fatal(f.kind); });
}

class SanitizedRunner final : public Runner {
 public:
  SanitizedRunner(const Tool& tool, WorkerOptions worker, fs::path executable)
      : tool_(tool), worker_(std::move(worker)), executable_(std::move(executable)) {
    worker_.most_jobs = cuda::launch_site_count;
  }

  bool watches() const override { return false; }
  std::size_t jobs_together() const override { return worker_.most_jobs; }

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    for (unsigned process = 0; process < most_processes && results.size() < jobs.size(); ++process) {
      const std::span<const Job> left = std::span(jobs).subspan(results.size());
      std::ranges::move(run_some(left.first(std::min(left.size(), worker_.most_jobs))),
                        std::back_inserter(results));
    }
    return results;
  }

  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return make_runner(make_emulated_device())->entries(image);
  }

 private:
  /// The results of the first jobs, of one at least: those before the first that spoils the device, and of
  /// it.
  std::vector<JobResult> run_some(std::span<const Job> jobs) {
    const TemporaryFile records;
    std::vector<std::string> command = command_line(tool_, executable_, records.path());
    std::ranges::copy(worker_.command, std::back_inserter(command));
    try {
      Conversation conversation(command);
      std::vector<JobResult> results = results_of(conversation, jobs);
      conversation.connection().limit(for_its_records);
      if (!conversation.connection().finish())
        throw Unsupported(fmt::format("compute-sanitizer's {} did not write down what it saw", tool_.name));
      attribute(records.text(), jobs, results);
      return results;
    } catch (const Ended& ended) {
      if (jobs.size() > 1) return run_some(jobs.first(jobs.size() / 2));
      return {failed(jobs.front(), ended)};
    } catch (const Garbled& garbled) {
      throw Unsupported(fmt::format("the worker under compute-sanitizer's {} answers what is no answer: {}",
                                    tool_.name, garbled.what));
    }
  }

  std::vector<JobResult> results_of(Conversation& conversation, std::span<const Job> jobs) const {
    conversation.introduce(*jobs.front().image, worker_.start);
    std::vector<JobResult> results = conversation.run(jobs, worker_.limit, worker_.start).value();
    for (JobResult& result : results) result.warp_instructions = instructions_a_job;
    const auto spoilt = std::ranges::find_if(results, is_spoilt);
    if (spoilt != results.end()) results.erase(spoilt + 1, results.end());
    if (is_spoilt(results.back())) return results;  // nothing runs on such a device any more
    const Job test = self_test_job(tool_);
    conversation.run({&test, 1}, worker_.limit, worker_.start);
    return results;
  }

  /// Gives each job what the tool saw of it.
  void attribute(const std::string& xml, std::span<const Job> jobs, std::vector<JobResult>& results) const {
    const std::vector<ToolFinding> all = findings(tool_, read_records(xml), cuda::launch_sites());
    const std::vector<ToolFinding> of_jobs = without_self_test(all, tool_.self_test);
    // Behind a job that ended the context no other kernel runs; that it was reported shows that the tool
    // sees.
    const bool ended_by_job = is_spoilt(results.back()) && !of_jobs.empty();
    if (const auto why = silent(tool_, all, tool_.self_test); why && !ended_by_job) throw Unsupported(*why);
    std::vector<std::vector<Finding>> seen(results.size());
    for (const ToolFinding& found : of_jobs) {
      const std::size_t job = job_of(found, jobs);
      if (job >= seen.size()) continue;  // which is run again
      seen[job].push_back(found.finding);
      if (found.finding.at.file.empty()) seen[job].back().at = last_launch(jobs[job]).where;
    }
    for (std::size_t j = 0; j < seen.size(); ++j) {
      if (seen[j].empty()) continue;
      results[j].completed &= std::ranges::count(seen[j], Severity::error, &Finding::severity) == 0;
      results[j].findings = std::move(seen[j]);  // they say more than the error that the device was left with
    }
  }

  static const JobLaunch& last_launch(const Job& job) {
    for (auto step = job.steps.rbegin();; ++step)
      if (const auto* launch = std::get_if<JobLaunch>(&*step)) return *launch;
  }

  std::size_t job_of(const ToolFinding& found, std::span<const Job> jobs) const {
    if (found.site) return *found.site;
    std::uint64_t launches = 0;
    for (std::size_t j = 0; found.launch && j < jobs.size(); ++j) {
      launches += launches_of(jobs[j]);
      if (*found.launch <= launches) return j;
    }
    return 0;
  }

  JobResult failed(const Job& job, const Ended& ended) const {
    JobResult result;
    result.contents.resize(job.buffers.size());
    result.completed = false;
    result.warp_instructions = instructions_a_job;
    Finding finding;
    finding.kind = ended.in_time ? Kind::crash : Kind::timeout;
    finding.message =
        ended.in_time
            ? fmt::format("under compute-sanitizer's {}, the process that ran it {}", tool_.name, ended.how)
            : fmt::format("under compute-sanitizer's {}, it did not end within {} s", tool_.name,
                          std::chrono::duration<double>(worker_.limit).count());
    finding.at = last_launch(job).where;
    result.findings.push_back(std::move(finding));
    return result;
  }

  const Tool& tool_;
  WorkerOptions worker_;
  fs::path executable_;
};

}  // namespace

std::unique_ptr<Runner> make_sanitized_runner(const Tool& tool, WorkerOptions worker, fs::path executable) {
  return std::make_unique<SanitizedRunner>(tool, std::move(worker), std::move(executable));
}

}  // namespace foldproof
