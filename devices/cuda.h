// Runner for the first GPU of this machine, in this process: a GPU error makes the process unusable for CUDA
// (devices/worker.h isolates it).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "devices/runner.h"

namespace foldproof {

/// How buffers are allocated in GPU memory.
enum class GpuMemory : std::uint8_t {
  fenced,  ///< all buffers of a batch in one allocation with canaries around each; an overwritten canary is a
           ///< finding
  plain    ///< one allocation per buffer, with only its initial bytes written (after a reset, the others keep
           ///< their contents): for other tools
};

/// Runs the jobs of a batch together, unless the memory is `plain`. A kernel that the GPU aborts is reported
/// as `out-of-bounds` or `misaligned` for an invalid address, as `timeout`, or otherwise as `crash`. If
/// several jobs ran together, an aborted kernel or an overwritten canary throws SpoiltDevice
/// (devices/worker.h) instead. After any of these the runner is unusable.
///
/// Applies a job's co-running load, unless the memory is `plain`.
///
/// Throws Unsupported if there is no GPU.
std::unique_ptr<Runner> make_cuda_runner(GpuMemory memory);

}  // namespace foldproof
