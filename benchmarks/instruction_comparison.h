// Executes forms of instructions on two devices and compares what they leave, bit for bit.
#pragma once

#include <string>

#include "benchmarks/instruction_evidence.h"
#include "benchmarks/instruction_kernels.h"
#include "devices/runner.h"

namespace foldproof {

/// `target`: of the PTX, such as "sm_90a". A form that the GPU's driver refuses is counted with the reason
/// and does not affect the others. Throws Unsupported if a device does not run the others to their end.
GpuEvidence compared(const FormGroup& group, Runner& emulated, Runner& gpu, const std::string& target);

}  // namespace foldproof
