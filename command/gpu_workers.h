// The processes that run kernels on the GPU, one for each task that runs at a time. They outlive tasks,
// because creating a GPU context takes longer than an audit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command/program.h"
#include "devices/runner.h"
#include "devices/worker.h"

namespace foldproof {

/// How to start such a process. `limit`: per case.
WorkerOptions gpu_worker_options(std::chrono::milliseconds limit);

/// The verb `gpu-worker`, with which a program starts itself to run kernels on a GPU. Not for users.
Run attach_gpu_worker(CLI::App& app, Console& console);

class GpuWorkers {
 public:
  explicit GpuWorkers(WorkerOptions options) : options_(std::move(options)) {}

  /// Called before the process of a task is started, which then finds its worker here. Starts a new worker if
  /// the slot's has ended.
  void prepare(unsigned slot);
  /// Called in the task's process.
  std::unique_ptr<Runner> runner() const { return make_worker_runner(options_, current_); }

 private:
  WorkerOptions options_;
  std::vector<std::shared_ptr<Worker>> workers_;  ///< by slot
  std::shared_ptr<Worker> current_;
};

}  // namespace foldproof
