// The GPUs of this machine, as CUDA's driver counts them.
#pragma once

#include <string>

namespace foldproof {

struct Gpus {
  unsigned count = 0;
  std::string name;          ///< of the first: "NVIDIA H200, compute capability 9.0, driver of CUDA 13.0"
  std::string architecture;  ///< what machine code for the first is made for: "sm_90"; empty if not told
  std::string lack;          ///< why there is none, as a sentence; empty where there is one
};

/// The driver is asked once, in a process of its own: a process that has initialised it cannot use it in
/// those that it forks, as an audit does for each of its tasks.
const Gpus& gpus();

/// The same, for those who need one. Throws Unsupported where there is none.
const Gpus& present_gpus();

}  // namespace foldproof
