// Compiles PTX to the machine code of one GPU with ptxas.
#pragma once

#include <filesystem>
#include <string>

#include "ptx/source.h"

namespace foldproof {

/// Machine code with line information for a GPU such as "sm_90", cached in the folder by content. Empty if
/// there is no ptxas next to nvcc, or if ptxas rejects the PTX: the driver's own compiler then reports the
/// error.
std::string machine_code(const ptx::Source& ptx, const std::string& gpu, const std::filesystem::path& nvcc,
                         const std::filesystem::path& cache);

}  // namespace foldproof
