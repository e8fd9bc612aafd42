#include "contracts/nvcc/toolkit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "base/child.h"
#include "base/error.h"
#include "base/files.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> executable(const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0) return file;
  return std::nullopt;
}

std::optional<fs::path> in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (auto found = executable(fs::path(folder.empty() ? "." : folder) / name)) return found;
  return std::nullopt;
}

std::optional<fs::path> resolve(const std::string& name) {
  return name.find('/') == std::string::npos ? in_path(name) : executable(name);
}

}  // namespace

std::optional<fs::path> find_nvcc(const std::string& wished) {
  if (!wished.empty()) return resolve(wished);
  if (const char* variable = std::getenv("NVCC"); variable != nullptr && *variable != '\0')
    return resolve(variable);
  if (auto found = in_path("nvcc")) return found;
  return executable("/usr/local/cuda/bin/nvcc");
}

void lack_nvcc(const std::string& wished) {
  const char* variable = std::getenv("NVCC");
  if (!wished.empty()) throw InputError(fmt::format("--nvcc names \"{}\", which is no program here", wished));
  if (variable != nullptr && *variable != '\0')
    throw InputError(fmt::format("the variable NVCC names \"{}\", which is no program here", variable));
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
  throw InputError(fmt::format("{} does not say its version; is it nvcc?", nvcc.string()));
}

}  // namespace foldproof
