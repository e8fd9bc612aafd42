// With which blocks a source launches its own kernels.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace foldproof {

/// The threads per block of all launches `kernel<<<grid, block>>>` of the kernel with that name, without
/// namespaces and template arguments, in increasing order. Empty if there is none, or if the size of one is
/// not a constant of the source. `source`: text from the preprocessor.
std::vector<std::uint32_t> launched_blocks(std::string_view source, std::string_view kernel);

}  // namespace foldproof
