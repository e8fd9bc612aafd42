// Machine code on the GPU: its kernels, and its variables, which are reset to their initial values before
// each job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/cuda/context.h"
#include "devices/image.h"
#include "devices/launch.h"

struct CUmod_st;  // as in cuda.h

namespace foldproof::cuda {

class Module {
 public:
  /// Loads the image's machine code, or lets the driver compile its PTX. Throws InputError with the
  /// compiler's message if the driver rejects it.
  Module(Context& context, const Image& image);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::vector<EntryInfo> entries() const;

  /// The kernel, prepared for launches of that shape: opts in to more than 48 KiB of shared memory and to
  /// clusters of more than 8 blocks if needed. Throws InputError if there is no such kernel, RefusedLaunch if
  /// a block cannot have that much shared memory.
  CUfunc_st* function(const std::string& entry, const LaunchShape& shape) const;

  /// Restores the initial values of the variables in global memory, in the context's stream.
  void reset();

 private:
  struct Variable {
    Address address = 0;
    Memory initial;
  };

  void keep_variables(const ptx::Module& module);

  Context& context_;
  std::string name_;
  CUmod_st* module_ = nullptr;
  std::vector<Variable> variables_;
};

}  // namespace foldproof::cuda
