// Finds nvcc and its version.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace foldproof {

/// `wished` (a path, or a name in PATH); if it is empty, $NVCC, otherwise nvcc in PATH, otherwise
/// /usr/local/cuda/bin/nvcc. Nothing if the program does not exist.
std::optional<std::filesystem::path> find_nvcc(const std::string& wished);

/// Reports that find_nvcc found nothing: throws InputError if nvcc was named (by `wished` or $NVCC),
/// otherwise Unsupported.
[[noreturn]] void lack_nvcc(const std::string& wished);

/// The line of `nvcc --version` that contains the release and the build. Throws InputError if there is none.
std::string nvcc_version(const std::filesystem::path& nvcc);

}  // namespace foldproof
