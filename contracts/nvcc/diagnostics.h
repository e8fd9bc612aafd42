// What nvcc printed, reduced to its first error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace foldproof {

struct Diagnostic {
  std::string sentence;
  Position where;  ///< `file` is empty where nvcc blames its own arguments
};

/// The first error in nvcc's output, in the formats of its front end, of the host compiler and of nvcc
/// itself.
Diagnostic first_error(std::string_view output, int status);

/// What was said of the host compiler, such as "gcc: No such file or directory", before nvcc gave up on it;
/// nothing where it did not.
std::optional<std::string> complaint_about_host_compiler(std::string_view output);

}  // namespace foldproof
