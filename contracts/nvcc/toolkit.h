// The programs of the CUDA Toolkit: finds nvcc and its version, extracts the first error from its output, and
// runs ptxas.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/child.h"
#include "base/error.h"
#include "ptx/source.h"

namespace foldproof {

/// `wished` (a path, or a name in PATH); if it is empty, $NVCC, otherwise nvcc in PATH, otherwise
/// /usr/local/cuda/bin/nvcc. Nothing if the program does not exist.
std::optional<std::filesystem::path> find_nvcc(const std::string& wished);

/// Reports that find_nvcc found nothing: throws InputError if nvcc was named (by `wished` or $NVCC),
/// otherwise Unsupported.
[[noreturn]] void lack_nvcc(const std::string& wished);

/// The line of `nvcc --version` that contains the release and the build, which is queried once per process.
/// Throws InputError if there is none.
std::string nvcc_version(const std::filesystem::path& nvcc, Deadline deadline = {});

/// What distinguishes this compiler from others with the same version: path, size and time of nvcc and of the
/// device compiler that it starts, and the text of its profile and of a script in place of nvcc.
std::string compiler_identity(const std::filesystem::path& nvcc);

/// Machine code with line information for a GPU such as "sm_90", cached in the folder by content. Empty if
/// there is no ptxas next to nvcc, or if ptxas rejects the PTX: the driver's own compiler then reports the
/// error. Throws Unsupported if `deadline` passes.
std::string machine_code(const ptx::Source& ptx, const std::string& gpu, const std::filesystem::path& nvcc,
                         const std::filesystem::path& cache, Deadline deadline = {});

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
