// The list of files that a compilation read, as nvcc -MD writes it for make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

/// The prerequisites of a make rule, with make's escapes undone.
std::vector<std::string> prerequisites(std::string_view rule);

}  // namespace foldproof
