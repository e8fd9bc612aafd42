// Extracts the first error from the output of nvcc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace foldproof {

struct Diagnostic {
  std::string sentence;
  Position where;  ///< `file` is empty for an error without a position, such as one about nvcc's arguments
};

/// The first error in nvcc's output, in the formats of its front end, the host compiler and its tools.
Diagnostic first_error(std::string_view output, int status);

/// The message about the host compiler, such as "gcc: No such file or directory", after which nvcc gave up;
/// nothing if it did not give up on the host compiler.
std::optional<std::string> complaint_about_host_compiler(std::string_view output);

}  // namespace foldproof
