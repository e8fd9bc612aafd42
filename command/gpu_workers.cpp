#include "command/gpu_workers.h"

#include <filesystem>

#include "devices/cuda.h"

namespace foldproof {

WorkerOptions gpu_worker_options(std::chrono::milliseconds limit) {
  std::error_code error;
  WorkerOptions options;
  options.command = {std::filesystem::read_symlink("/proc/self/exe", error).string(), "gpu-worker"};
  options.limit = limit;
  return options;
}

Run attach_gpu_worker(CLI::App& app, Console&) {
  auto plain = std::make_shared<bool>(false);
  app.add_flag("--plain", *plain, "Separate allocation per buffer, for other tools to observe");
  return [plain] {
    try {
      const auto runner = make_cuda_runner(*plain ? GpuMemory::plain : GpuMemory::fenced);
      serve(*runner);
    } catch (const Unsupported& reason) {
      serve_nothing(reason);
    }
    return int{exit_ok};
  };
}

void GpuWorkers::prepare(unsigned slot) {
  if (workers_.size() <= slot) workers_.resize(slot + 1);
  std::shared_ptr<Worker>& worker = workers_[slot];
  if (!worker || !worker->is_alive()) worker = std::make_shared<Worker>(options_);
  current_ = worker;
}

}  // namespace foldproof
