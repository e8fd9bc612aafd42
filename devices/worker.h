// A runner in another process, isolated so that a job that hangs or crashes does not affect other jobs.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "devices/runner.h"

namespace foldproof {

class WorkerClient;

struct WorkerOptions {
  std::vector<std::string> command;          ///< the program that calls `serve`, and its arguments
  std::chrono::milliseconds limit{10'000};   ///< per job, and for all jobs run together
  std::chrono::milliseconds start{120'000};  ///< for a process until its first image is loaded
  std::size_t max_jobs = 64;                 ///< to run together
  std::uint64_t max_bytes = 64 << 20;        ///< total buffer size of jobs to run together, in bytes
};

/// One worker process. The destructor ends it.
class Worker {
 public:
  /// Throws InputError or Unsupported if it cannot be started.
  explicit Worker(const WorkerOptions& options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Must be called by the process that started it.
  bool is_alive();

 private:
  friend class WorkerRunner;
  std::unique_ptr<WorkerClient> client_;
};

/// Runs jobs in a worker, which is replaced by a new one after a job that ended it. Jobs of one image are run
/// together; if that fails, each is run alone, so that only the job at fault has a finding: a `timeout` if it
/// exceeds the limit, a `crash` if the process ends. No job is run after a timeout.
///
/// `first` is used as long as it is alive, also by a fork of the process that started it.
std::unique_ptr<Runner> make_worker_runner(WorkerOptions options, std::shared_ptr<Worker> first = nullptr);

/// Serves requests over the socket at standard input until it is closed. A runner that becomes unusable after
/// a job throws SpoiltDevice or returns a result that is not completed; its process is replaced then.
void serve(Runner& runner);
/// Replies to every request that there is no device, and why.
void serve_nothing(const Unsupported& reason);

/// Thrown by runners that ran several jobs at once if one of them invalidated the results of all.
struct SpoiltDevice {};

}  // namespace foldproof
