#include "devices/sanitized.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "devices/cuda/launch_sites.h"
#include "devices/runner_parts.h"
#include "devices/worker/worker_client.h"
#include "sanitizer/compute_sanitizer/findings.h"
#include "sanitizer/compute_sanitizer/self_test.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;
using namespace compute_sanitizer;

constexpr std::chrono::minutes for_its_records{3};

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

/// Instances of one contract share an image and differ in their kernels.
bool is_of_one_kernel(const Job& a, const Job& b) {
  return a.image == b.image && launch_before(a).entry == launch_before(b).entry;
}

/// Jobs that one process ran, in order: their indices among all jobs, and their results.
struct Ran {
  std::vector<std::size_t> index;
  std::vector<JobResult> results;
  bool is_spoilt() const { return !results.empty() && foldproof::is_spoilt(results.back()); }
};

/// Thrown if the tool did not report its self-test, or wrote no valid records.
struct Silent {
  std::string why;
};

class SanitizedRun {
 public:
  SanitizedRun(const Tool& tool, const WorkerOptions& worker, const fs::path& executable,
               std::span<const Job> jobs)
      : tool_(tool), worker_(worker), executable_(executable), jobs_(jobs), results_(jobs.size()) {}

  std::vector<std::optional<JobResult>> run() {
    std::vector<std::size_t> left(jobs_.size());
    for (std::size_t j = 0; j < left.size(); ++j) left[j] = j;
    while (!left.empty()) {
      const std::size_t count = std::min<std::size_t>(left.size(), cuda::launch_site_count - 1);
      const std::span<const std::size_t> chosen = std::span(left).first(count);
      spoiler_.reset();
      const std::size_t done = run_process(chosen);
      left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(done));
      if (spoiler_)
        std::erase_if(left, [&](std::size_t j) { return is_of_one_kernel(jobs_[j], jobs_[*spoiler_]); });
    }
    if (!is_proven_) run_process({});
    return std::move(results_);
  }

 private:
  /// Returns how many of the jobs have a result now: all of them, or those up to and including the first that
  /// corrupts the device or does not end.
  std::size_t run_process(std::span<const std::size_t> jobs) {
    const TemporaryFolder folder;
    const fs::path records = folder.path() / "records.xml";
    std::vector<std::string> command = command_line(tool_, executable_, records);
    std::ranges::copy(worker_.command, std::back_inserter(command));
    Ran ran;
    try {
      WorkerClient client(command);
      run_in(client, jobs, ran);
      if (!ran.is_spoilt()) run_self_test(client);  // nothing can run on a corrupted device
      client.connection().limit(for_its_records);
      if (!client.connection().finish())
        throw Unsupported(fmt::format("compute-sanitizer's {} did not write its records", tool_.name));
      if (ran.is_spoilt()) spoiler_ = ran.index.back();
      attribute(read_if_possible(records).value_or(""), ran);
      return keep(std::move(ran));
    } catch (const Ended& ended) {
      const std::size_t done = ran.results.size();
      if (done == jobs.size())
        throw Unsupported(fmt::format("a worker under compute-sanitizer's {} {}", tool_.name,
                                      ended.in_time ? ended.how : "did not run its self-test in time"));
      // The tool's records of the earlier jobs are lost with the process, so those jobs are run again.
      if (done > 0)
        if (const std::size_t again = run_process(jobs.first(done)); again < done) return again;
      results_[jobs[done]] = failed(jobs_[jobs[done]], ended);
      spoiler_ = jobs[done];
      return done + 1;
    } catch (const Silent& silent) {
      return run_unproven(jobs, silent);
    } catch (const ProtocolError& error) {
      throw Unsupported(fmt::format("the worker under compute-sanitizer's {} sent an invalid reply: {}",
                                    tool_.name, error.what));
    }
  }

  /// Bisects to the kernel next to which the tool is silent. Throws Unsupported if it is silent without any.
  std::size_t run_unproven(std::span<const std::size_t> jobs, const Silent& silent) {
    if (jobs.empty()) throw Unsupported(silent.why);
    if (!is_proven_) run_process({});
    return run_process(jobs.first(jobs.size() / 2));
  }

  /// False if there are none.
  bool are_of_one_kernel(const std::vector<std::size_t>& jobs) const {
    return !jobs.empty() && std::ranges::all_of(jobs, [&](std::size_t j) {
      return is_of_one_kernel(jobs_[j], jobs_[jobs.front()]);
    });
  }

  std::size_t keep(Ran ran) {
    for (std::size_t k = 0; k < ran.results.size(); ++k) results_[ran.index[k]] = std::move(ran.results[k]);
    return ran.results.size();
  }

  /// Runs the jobs one by one, so that a job that does not end can be identified.
  void run_in(WorkerClient& client, std::span<const std::size_t> jobs, Ran& ran) const {
    for (const std::size_t j : jobs) {
      if (ran.is_spoilt()) return;
      const Job& job = jobs_[j];
      const bool is_new = ran.index.empty() || jobs_[ran.index.back()].image != job.image;
      ran.results.push_back(result_of(job, is_new, client));
      ran.index.push_back(j);
    }
  }

  JobResult result_of(const Job& job, bool is_new, WorkerClient& client) const {
    try {
      if (is_new) client.introduce(*job.image, worker_.start);
      return std::move(client.run({&job, 1}, worker_.limit, worker_.start).value().front());
    } catch (const InputError& refusal) {  // of an image by the driver: it does not affect other images
      return unsupported_job(job, refusal.what());
    }
  }

  /// It gets more time than a case, since other work on the GPU may delay it.
  void run_self_test(WorkerClient& client) const {
    const Job test = self_test_job(tool_);
    client.introduce(*test.image, worker_.start);
    client.run({&test, 1}, worker_.start, worker_.start);
  }

  /// Assigns the tool's findings to the jobs.
  void attribute(const std::string& xml, Ran& ran) {
    std::vector<ToolFinding> all;
    std::optional<std::string> why;
    try {
      all = findings(tool_, read_records(xml), cuda::launch_sites());
      if (!ran.is_spoilt()) why = silent(tool_, all, tool_.self_test);
    } catch (const InputError& error) {  // the tool failed, perhaps at one of the kernels only
      why = error.what();
    }
    is_proven_ |= !ran.is_spoilt() && !why;
    if (why && !are_of_one_kernel(ran.index)) throw Silent{*why};
    std::vector<std::vector<Finding>> seen(ran.results.size());
    for (const ToolFinding& found : without_self_test(all, tool_.self_test)) {
      const std::size_t k = place_of(found, ran);
      if (k >= seen.size()) continue;  // after the job that corrupted the device: it is run again
      seen[k].push_back(found.finding);
      if (found.finding.at.file.empty()) seen[k].back().at = launch_before(jobs_[ran.index[k]]).where;
    }
    for (std::size_t k = 0; k < seen.size(); ++k) {
      // The tool may not have been able to see anything.
      if (why && seen[k].empty() && !foldproof::is_spoilt(ran.results[k])) {
        ran.results[k].completed = false;
        ran.results[k].unsupported = why;
      }
      if (seen[k].empty()) continue;
      JobResult& result = ran.results[k];
      const bool has_error = std::ranges::count(seen[k], Severity::error, &Finding::severity) != 0;
      if (has_error) result.findings.clear();  // the tool reports more detail than the device's error
      result.completed &= !has_error;
      std::ranges::move(seen[k], std::back_inserter(result.findings));
    }
  }

  /// The index of the job that a finding concerns: the tool reports the launch or its site; neither for a
  /// summary.
  std::size_t place_of(const ToolFinding& found, const Ran& ran) const {
    if (found.site) return *found.site;
    std::uint64_t launches = 0;
    for (std::size_t k = 0; found.launch && k < ran.index.size(); ++k) {
      if (!ran.results[k].unsupported) launches += launches_of(jobs_[ran.index[k]]);
      if (*found.launch <= launches) return k;
    }
    if (found.launch) return ran.index.size();
    const auto launches_it = [&](std::size_t j) { return launch_before(jobs_[j]).entry == found.function; };
    const auto first = std::ranges::find_if(ran.index, launches_it);
    return first == ran.index.end() ? 0 : static_cast<std::size_t>(first - ran.index.begin());
  }

  JobResult failed(const Job& job, const Ended& ended) const {
    if (ended.in_time)
      return failed_job(job, Kind::crash,
                        fmt::format("under compute-sanitizer's {}, the process that ran the case {}",
                                    tool_.name, ended.how));
    return failed_job(job, Kind::timeout,
                      fmt::format("under compute-sanitizer's {}, the case did not end within {} s",
                                  tool_.name, std::chrono::duration<double>(worker_.limit).count()));
  }

  const Tool& tool_;
  const WorkerOptions& worker_;
  const fs::path& executable_;
  std::span<const Job> jobs_;
  std::vector<std::optional<JobResult>> results_;
  std::optional<std::size_t> spoiler_;  ///< of the last process: the job after which no other could run
  bool is_proven_ = false;              ///< the tool reported its self-test in some process
};

}  // namespace

std::vector<std::optional<JobResult>> run_sanitized(const Tool& tool, const WorkerOptions& worker,
                                                    const fs::path& executable, std::span<const Job> jobs) {
  return SanitizedRun(tool, worker, executable, jobs).run();
}

}  // namespace foldproof
