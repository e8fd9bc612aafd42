#include "contracts/nvcc/toolkit.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "base/child.h"
#include "base/error.h"
#include "base/files.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> program_at(const fs::path& file) {
  return is_program(file) ? std::optional(file) : std::nullopt;
}

std::optional<fs::path> resolve(const std::string& name) {
  return name.find('/') == std::string::npos ? find_program(name) : program_at(name);
}

}  // namespace

std::optional<fs::path> find_nvcc(const std::string& wished) {
  if (!wished.empty()) return resolve(wished);
  if (const char* variable = std::getenv("NVCC"); variable != nullptr && *variable != '\0')
    return resolve(variable);
  if (auto found = find_program("nvcc")) return found;
  return program_at("/usr/local/cuda/bin/nvcc");
}

void lack_nvcc(const std::string& wished) {
  const char* variable = std::getenv("NVCC");
  if (!wished.empty())
    throw InputError(fmt::format("--nvcc names \"{}\", which is not a program on this machine", wished));
  if (variable != nullptr && *variable != '\0')
    throw InputError(
        fmt::format("the variable NVCC names \"{}\", which is not a program on this machine", variable));
  throw Unsupported(
      "nvcc was not found; install the CUDA Toolkit 12 or later (apt install nvidia-cuda-toolkit, or "
      "https://developer.nvidia.com/cuda-downloads) or set NVCC to its path");
}

std::string nvcc_version(const fs::path& nvcc) {
  const TemporaryFolder temporary;
  const ProcessResult result = run_process({nvcc.string(), "--version"}, temporary.path());
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);)
    if (result.status == 0 && line.find("release") != std::string::npos) return line;
  throw InputError(fmt::format("{} does not report its version; is it nvcc?", nvcc.string()));
}

}  // namespace foldproof
