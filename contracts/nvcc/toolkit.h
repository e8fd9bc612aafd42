// Where nvcc is and which one it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace foldproof {

/// `wished` (a path, or a name in PATH), else $NVCC, else PATH, else /usr/local/cuda/bin/nvcc.
/// Nothing where there is none.
std::optional<std::filesystem::path> find_nvcc(const std::string& wished);

/// Where find_nvcc found nothing: throws InputError when one was named, else Unsupported.
[[noreturn]] void lack_nvcc(const std::string& wished);

/// The line of `nvcc --version` that names the release and the build. Throws InputError.
std::string nvcc_version(const std::filesystem::path& nvcc);

}  // namespace foldproof
