// Machine code on the GPU: its kernels, and its variables, which every job finds as they were loaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/cuda/context.h"
#include "devices/image.h"
#include "devices/launch.h"

struct CUmod_st;  // as cuda.h names it

namespace foldproof::cuda {

class Module {
 public:
  /// Loads the image's machine code, or has the driver compile its PTX. Throws InputError, with the
  /// compiler's words, for what it refuses.
  Module(Context& context, const Image& image);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::vector<EntryInfo> entries() const;

  /// Ready for launches of that shape: what needs asking for, as more than 48 KiB of shared memory does, is
  /// asked for. Throws InputError where there is no such kernel, RefusedLaunch for more than a block can
  /// have.
  CUfunc_st* function(const std::string& entry, const LaunchShape& shape) const;

  /// Gives the variables in global memory the values that they were loaded with, in the context's stream.
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
