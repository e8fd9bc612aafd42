// A runner in another process, which may hang or die of a job without taking anybody else with it.
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
  std::chrono::milliseconds limit{10'000};   ///< for each job, and for all that are run together
  std::chrono::milliseconds start{120'000};  ///< for a process until it has loaded its first image
  std::size_t most_jobs = 64;                ///< that are run together
  std::uint64_t most_bytes = 64 << 20;       ///< of the buffers of jobs that are run together
};

/// One process that serves. It ends with this.
class Worker {
 public:
  /// Throws InputError where it cannot be started.
  explicit Worker(const WorkerOptions& options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// To be asked by the process that started it.
  bool is_alive();

 private:
  friend class WorkerRunner;
  std::unique_ptr<WorkerClient> client_;
};

/// Runs jobs in a worker, and in a new one where a job ended the one before. Jobs of one image are run
/// together; where that fails, each alone, so that nothing but the job that is to blame has a finding: a
/// `timeout` where it takes longer than the limit, a `crash` where the process ends. Behind a timeout no job
/// is run.
///
/// `first` is spoken to as long as it lives; a process that was forked from the one that started it may do so
/// in its place.
std::unique_ptr<Runner> make_worker_runner(WorkerOptions options, std::shared_ptr<Worker> first = nullptr);

/// Does what a worker is asked to, over the socket at standard input, until nobody asks any more. A runner
/// that is of no use after a job throws SpoiltDevice or gives a result that is not completed; its process is
/// replaced then.
void serve(Runner& runner);
/// Answers whoever asks that there is no device, and why.
void serve_nothing(const Unsupported& reason);

/// Thrown by runners that ran several jobs at once, one of which spoilt the results of all.
struct SpoiltDevice {};

}  // namespace foldproof
