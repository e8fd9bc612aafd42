// The client side: sends jobs to a worker, and monitors and replaces it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "devices/runner_parts.h"
#include "devices/worker.h"
#include "devices/worker/worker_client.h"

namespace foldproof {
namespace {

/// The cost of a job that ends its process, and of one that times out.
constexpr std::uint64_t cost_of_a_process = 1 << 22, cost_of_a_timeout = 1 << 22;
/// Limits per call: a kernel that does not end in two cases rarely ends in others, and further crashes of its
/// process give no new information.
constexpr unsigned max_timeouts = 2, max_processes = 3;

std::uint64_t bytes_of(const Job& job) {
  std::uint64_t bytes = 0;
  for (const JobBuffer& buffer : job.buffers) bytes += buffer.bytes;
  std::set<std::uint32_t> reset;  // the device keeps a copy of what these contain at first
  for (const JobStep& step : job.steps)
    if (const auto* one = std::get_if<JobReset>(&step); one != nullptr && reset.insert(one->buffer).second)
      bytes += job.buffers[one->buffer].bytes;
  return bytes;
}

}  // namespace

Worker::Worker(const WorkerOptions& options) : client_(std::make_unique<WorkerClient>(options.command)) {}

Worker::~Worker() = default;

bool Worker::is_alive() { return client_->connection().is_alive(); }

class WorkerRunner final : public Runner {
 public:
  WorkerRunner(WorkerOptions options, std::shared_ptr<Worker> first)
      : options_(std::move(options)), worker_(std::move(first)) {}

  Capabilities capabilities() const override {
    return {.observes_launches = false, .obeys_schedules = false, .jobs_together = options_.max_jobs};
  }

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    timeouts_ = processes_ = 0;
    spoilt_group_ = 0;
    for (std::span<const Job> left = jobs; !left.empty() && !is_enough();) {
      if (is_of_no_use(left.front())) {
        results.push_back(not_run());
        left = left.subspan(1);
        continue;
      }
      const std::span<const Job> batch = left.first(together(left));
      left = left.subspan(batch.size());
      run_batch(batch, results);
    }
    return results;
  }

  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return introduced(*image);
  }

 private:
  std::vector<EntryInfo> introduced(const Image& image) {
    try {
      return client().introduce(image, options_.start);
    } catch (const Ended& ended) {
      abandon();
      throw Unsupported(fmt::format("the worker process of the device {} while loading this image",
                                    ended.in_time ? ended.how : "did not answer"),
                        {image.name()});
    } catch (const ProtocolError& error) {
      abandon();
      throw Unsupported(fmt::format("the worker process sent an invalid reply: {}", error.what),
                        {image.name()});
    }
  }

  /// A new process first creates its context; that time does not count for a job.
  WorkerClient& client_for(const Image& image) {
    if (!worker_) introduced(image);
    return client();
  }

  /// The number of jobs to run together: of one image, within the size limit.
  std::size_t together(std::span<const Job> jobs) const {
    std::size_t count = 1;
    std::uint64_t bytes = bytes_of(jobs.front());
    for (; count < std::min(jobs.size(), options_.max_jobs); ++count) {
      bytes += bytes_of(jobs[count]);
      if (bytes > options_.max_bytes || jobs[count].image != jobs.front().image) break;
    }
    return count;
  }

  void run_batch(std::span<const Job> batch, std::vector<JobResult>& results) {
    if (batch.size() > 1) {
      if (auto all = attempt(batch)) {
        std::ranges::move(*all, std::back_inserter(results));
        return;
      }
      abandon();
    }
    for (const Job& job : batch) {
      results.push_back(is_of_no_use(job) ? not_run() : run_alone(job));
      account(job, results.back());
      if (is_enough()) return;
    }
  }

  /// Running the rest of a group after a job that ended its process would cost another process each.
  bool is_of_no_use(const Job& job) const { return job.group != 0 && job.group == spoilt_group_; }

  static JobResult not_run() {
    JobResult result;
    result.completed = false;
    result.cost = 0;
    return result;
  }

  bool is_enough() const { return timeouts_ == max_timeouts || processes_ == max_processes; }

  /// After a fatal finding, the worker is replaced and the rest of the job's group is skipped.
  void account(const Job& job, JobResult& result) {
    const auto has = [&](auto is_meant) {
      return std::ranges::any_of(result.findings, [&](const Finding& f) { return is_meant(f.kind); });
    };
    if (!has(is_fatal)) return;
    abandon();
    spoilt_group_ = job.group;
    const bool in_vain = has([](Kind kind) { return kind == Kind::timeout; });
    timeouts_ += in_vain ? 1 : 0;
    ++processes_;
    result.cost = in_vain ? cost_of_a_timeout : cost_of_a_process;
  }

  /// std::nullopt if one of the jobs invalidates the results of all.
  std::optional<std::vector<JobResult>> attempt(std::span<const Job> batch) {
    try {
      return client_for(*batch.front().image).run(batch, options_.limit, options_.start);
    } catch (const Ended&) {
    } catch (const ProtocolError&) {
    }
    return std::nullopt;
  }

  /// If the process was ended from outside, for example by the OOM killer, the job is not at fault: it is
  /// retried once in another process.
  JobResult run_alone(const Job& job, bool is_successor = false) {
    constexpr std::string_view who = "the process that ran the case on the device";
    try {
      auto results = client_for(*job.image).run({&job, 1}, options_.limit, options_.start);
      if (!results) throw ProtocolError{"a single job that cannot be run together with others"};
      return std::move(results->front());
    } catch (const Ended& ended) {
      if (ended.in_time && !ended.by_itself && !is_successor) {
        abandon();
        return run_alone(job, true);
      }
      return failed_job(job, who, ended, options_.limit);
    } catch (const ProtocolError& error) {
      return failed_job(job, who, error);
    }
  }

  /// Ends the worker for all holders: they see that it is not alive.
  void abandon() {
    if (worker_) worker_->client_->connection().end();
    worker_.reset();
  }

  WorkerClient& client() {
    if (!worker_) worker_ = std::make_shared<Worker>(options_);
    return *worker_->client_;
  }

  WorkerOptions options_;
  std::shared_ptr<Worker> worker_;
  unsigned timeouts_ = 0, processes_ = 0;  ///< jobs that timed out and processes that ended, in this `run`
  std::uint64_t spoilt_group_ = 0;         ///< of the last job that ended its process
};

std::unique_ptr<Runner> make_worker_runner(WorkerOptions options, std::shared_ptr<Worker> first) {
  return std::make_unique<WorkerRunner>(std::move(options), std::move(first));
}

}  // namespace foldproof
