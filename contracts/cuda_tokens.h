// The tokens of CUDA C++ text, for what can be found without parsing it.
#pragma once

#include <string_view>
#include <vector>

namespace foldproof {

/// Words, literals and single characters, which point into the source; comments and preprocessor lines are
/// skipped.
std::vector<std::string_view> tokens_of(std::string_view source);

}  // namespace foldproof
