// With which blocks a source launches its own kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

/// What is searched for.
struct LaunchedKernel {
  std::string name;                ///< without namespaces
  std::string template_arguments;  ///< as in "float, 256"; empty if it is not an instance
  bool shares_name = false;        ///< with another kernel or instance
};

/// The threads per block of all launches `kernel<<<grid, block>>>` of that kernel, in increasing order. Empty
/// if there is none, if the size of one is not a constant of the source, or if a launch may be that of
/// another kernel with the same name. `source`: text from the preprocessor.
std::vector<std::uint32_t> launched_blocks(std::string_view source, const LaunchedKernel& kernel);

}  // namespace foldproof
