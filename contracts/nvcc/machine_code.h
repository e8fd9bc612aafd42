// From PTX to the machine code of one GPU, by ptxas.
#pragma once

#include <filesystem>
#include <string>

#include "ptx/source.h"

namespace foldproof {

/// Machine code with line information for a GPU such as "sm_90", kept in the folder by its content. Empty
/// where no ptxas lies beside nvcc, or it refuses the PTX: the driver's own compiler says what is wrong with
/// it.
std::string machine_code(const ptx::Source& ptx, const std::string& gpu, const std::filesystem::path& nvcc,
                         const std::filesystem::path& cache);

}  // namespace foldproof
