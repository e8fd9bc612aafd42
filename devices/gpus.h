// The GPUs of this machine, as reported by the CUDA driver.
#pragma once

#include <string>

#include "base/bytes.h"

namespace foldproof {

struct Gpus {
  unsigned count = 0;
  std::string name;  ///< name of the first: "NVIDIA H200, compute capability 9.0, driver of CUDA 13.0"
  std::string architecture;  ///< of the first, to compile machine code for: "sm_90"; empty if unknown
  std::string lack;          ///< why there is none, as a sentence; empty if there is one
};

/// Queries the driver once, in a separate process: a process that has initialized the driver cannot use it in
/// its forks, but an audit forks for each of its tasks. A driver that does not answer within half a minute,
/// or half of the time until the deadline of the first call, counts as missing.
const Gpus& gpus(Deadline deadline = {});

/// The same for callers that require a GPU. Throws Unsupported if there is none.
const Gpus& present_gpus(Deadline deadline = {});

}  // namespace foldproof
