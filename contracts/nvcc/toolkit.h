// Where nvcc is and which one it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace foldproof {

/// `wished` (a path, or a name in PATH), else $NVCC, else PATH, else /usr/local/cuda/bin/nvcc.
/// Nothing where there is none.
std::optional<std::filesystem::path> find_nvcc(const std::string& wished);

/// The sentence for a machine without nvcc.
std::string how_to_get_nvcc(const std::string& wished);

/// The line of `nvcc --version` that names the release and the build. Throws InputError.
std::string nvcc_version(const std::filesystem::path& nvcc);

}  // namespace foldproof
