// The first GPU of this machine as a runner, in this process: what it crashes dies with it
// (devices/worker.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "devices/runner.h"

namespace foldproof {

/// How buffers lie in the GPU's memory.
enum class GpuMemory : std::uint8_t {
  fenced,  ///< all of a batch in one block, canaries around each: what a kernel writes there is a finding
  plain  ///< an allocation each, of which only the initial bytes are written: what other tools want to watch
};

/// Runs jobs together, unless the memory is `plain`. A kernel that the GPU ends gives a finding:
/// `out-of-bounds` or `misaligned` for such an address, else `crash`; where several jobs ran, throws
/// SpoiltDevice (devices/worker.h), as it does for a canary that was written. Behind any of these the runner
/// is of no use.
///
/// It obeys a job's co-running load, unless the memory is `plain`.
///
/// Throws Unsupported where there is no GPU.
std::unique_ptr<Runner> make_cuda_runner(GpuMemory memory);

}  // namespace foldproof
