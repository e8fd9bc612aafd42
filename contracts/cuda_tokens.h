// The tokens of CUDA C++ text, for what can be found without parsing it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace foldproof {

/// Words, literals and single characters, which point into the source; comments and preprocessor lines are
/// skipped.
std::vector<std::string_view> tokens_of(std::string_view source);

/// The index after the end of the line at `at`; a line with a backslash at its end continues. As for nvcc, a
/// carriage return alone also ends a line.
std::size_t end_of_line(std::string_view source, std::size_t at);

}  // namespace foldproof
