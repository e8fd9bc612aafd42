#include "cli/gpu_workers.h"

#include <filesystem>

namespace foldproof {

WorkerOptions gpu_worker_options(std::chrono::milliseconds limit) {
  std::error_code error;
  WorkerOptions options;
  options.command = {std::filesystem::read_symlink("/proc/self/exe", error).string(), "gpu-worker"};
  options.limit = limit;
  return options;
}

void GpuWorkers::prepare(unsigned slot) {
  if (workers_.size() <= slot) workers_.resize(slot + 1);
  std::shared_ptr<Worker>& worker = workers_[slot];
  if (!worker || !worker->is_alive()) worker = std::make_shared<Worker>(options_);
  current_ = worker;
}

}  // namespace foldproof
