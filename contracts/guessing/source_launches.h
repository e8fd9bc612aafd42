// With which blocks a source launches its own kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

struct LaunchedKernel {
  std::string name;                ///< without namespaces
  std::string template_arguments;  ///< as in "float, 256"; empty if it is not an instance
};

/// For each kernel, the threads per block of all launches `kernel<<<grid, block>>>` of it, in increasing
/// order. None if there is no launch, if the size of one is not a constant of the source, or if a launch may
/// be that of another kernel with the same name. `source`: text from the preprocessor.
std::vector<std::vector<std::uint32_t>> launched_blocks(std::string_view source,
                                                        const std::vector<LaunchedKernel>& kernels);

}  // namespace foldproof
