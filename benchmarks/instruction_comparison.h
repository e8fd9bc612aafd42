// Executes forms of instructions on two devices and compares what they leave, bit for bit.
#pragma once

#include <string>

#include "benchmarks/instruction_evidence.h"
#include "benchmarks/instruction_kernels.h"
#include "devices/runner.h"

namespace foldproof {

class InstructionComparison {
 public:
  /// `target`: of the PTX, such as "sm_90a".
  InstructionComparison(Runner& emulated, Runner& gpu, std::string target)
      : emulated_(emulated), gpu_(gpu), target_(std::move(target)) {}

  /// A form that the GPU's driver refuses is counted with the reason and does not affect the others.
  GpuEvidence compare(const FormGroup& group);

 private:
  void compare(const FormGroup& group, GpuEvidence& evidence);
  void run(const FormGroup& group, const std::shared_ptr<const Image>& image, GpuEvidence& evidence);

  Runner& emulated_;
  Runner& gpu_;
  std::string target_;
};

}  // namespace foldproof
