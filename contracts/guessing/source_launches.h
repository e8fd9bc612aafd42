// With which grids and blocks a source launches its own kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contracts/guess.h"

namespace foldproof {

struct LaunchedKernel {
  std::string name;                ///< without namespaces
  std::string template_arguments;  ///< as in "float, 256"; empty if it is not an instance
};

/// The parts of a C++ spelling such as "ns::sum<float, 256>".
LaunchedKernel launched_kernel(const std::string& spelled);

/// For each kernel, its launches in the order of the source. None if there is no launch, or if one may be
/// that of another kernel with the same name. `source`: text from the preprocessor.
std::vector<std::vector<SourceLaunch>> launches_in(std::string_view source,
                                                   const std::vector<LaunchedKernel>& kernels);

}  // namespace foldproof
