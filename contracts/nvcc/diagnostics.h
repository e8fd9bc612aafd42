// What nvcc printed, reduced to its first error.
#pragma once

#include <string>
#include <string_view>

#include "sanitizer/error.h"

namespace foldproof {

struct Diagnostic {
  std::string sentence;
  Position where;  ///< `file` is empty where nvcc blames its own arguments
};

/// The first error in nvcc's output, in the formats of its front end, of the host compiler and of nvcc
/// itself.
Diagnostic first_error(std::string_view output, int status);

}  // namespace foldproof
