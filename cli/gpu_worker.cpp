// foldproof gpu-worker: what the program starts to have somebody else run kernels on a GPU. Not for users.
#include <memory>

#include "cli/verb.h"
#include "devices/cuda.h"
#include "devices/worker.h"

namespace foldproof {

Run attach_gpu_worker(CLI::App& app, Console&) {
  auto plain = std::make_shared<bool>(false);
  app.add_flag("--plain", *plain, "An allocation for each buffer, for other tools to watch");
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

}  // namespace foldproof
