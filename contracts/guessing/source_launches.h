// With which grids and blocks a source launches its own kernels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

struct LaunchedKernel {
  std::string name;                ///< without namespaces
  std::string template_arguments;  ///< as in "float, 256"; empty if it is not an instance
};

/// Along x, y and z; absent: not a constant of the source.
using SourceExtents = std::array<std::optional<std::uint32_t>, 3>;

/// A launch `kernel<<<grid, block>>>`.
struct SourceLaunch {
  SourceExtents grid = {}, block = {};
  /// Expressions of contracts (contracts/expression.h) in the variables of the source; empty if unknown.
  std::string blocks = {};                  ///< the number of blocks, of a grid with one dimension
  std::string shared = {};                  ///< bytes of dynamic shared memory
  std::vector<std::string> arguments = {};  ///< of the kernel
  bool operator==(const SourceLaunch&) const = default;
};

/// For each kernel, its launches in the order of the source. None if there is no launch, or if one may be
/// that of another kernel with the same name. `source`: text from the preprocessor.
std::vector<std::vector<SourceLaunch>> launches_in(std::string_view source,
                                                   const std::vector<LaunchedKernel>& kernels);

}  // namespace foldproof
