#include "contracts/nvcc/toolkit.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "base/child.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/temporary_folders.h"
#include "contracts/nvcc/cache.h"
#include "ptx/parse.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> program_at(const fs::path& file) {
  return is_program(file) ? std::optional(resolved_path(file)) : std::nullopt;
}

std::optional<fs::path> resolve(const std::string& name) {
  return name.find('/') == std::string::npos ? find_program(name) : program_at(name);
}

constexpr std::size_t largest_code = std::size_t{1} << 30;

/// PTX for an architecture-specific target (sm_90a) can be compiled only for that target.
std::string architecture_of(const ptx::Source& ptx, const std::string& gpu) {
  const std::string target = ptx::parse_target(ptx.text(), ptx.name());
  return target == gpu + "a" ? target : gpu;
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

std::string nvcc_version(const fs::path& nvcc, Deadline deadline) {
  static std::map<fs::path, std::string> known;
  if (const auto found = known.find(nvcc); found != known.end()) return found->second;
  const TemporaryFolder temporary;
  const ProcessResult result = run_process({nvcc.string(), "--version"}, temporary.path(), deadline);
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);)
    if (result.status == 0 && line.find("release") != std::string::npos) return known[nvcc] = line;
  if (const auto how = how_ended_by_signal(result))
    throw Unsupported(fmt::format("{} {} when asked for its version", nvcc.string(), *how));
  throw InputError(fmt::format("{} does not report its version; is it nvcc?", nvcc.string()));
}

std::string compiler_identity(const fs::path& nvcc) {
  constexpr std::size_t largest_script = 1 << 20;
  std::error_code error;
  const fs::path program = fs::canonical(nvcc, error);
  if (error) return "";
  const fs::path device_compiler = program.parent_path().parent_path() / "nvvm" / "bin" / "cicc",
                 profile = fs::path(program).replace_filename("nvcc.profile");
  std::string identity;
  for (const fs::path& file : {program, device_compiler, profile}) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) continue;
    if (static_cast<std::size_t>(status.st_size) <= largest_script)
      identity += read_if_possible(file, largest_script).value_or("") + ';';
    else
      identity += fmt::format("{} {} {}.{:09} {};", file.string(), status.st_size, status.st_mtim.tv_sec,
                              status.st_mtim.tv_nsec, status.st_ino);
  }
  return identity;
}

std::string machine_code(const ptx::Source& ptx, const std::string& gpu, const fs::path& nvcc,
                         const fs::path& cache, Deadline deadline) {
  const fs::path ptxas = fs::path(nvcc).replace_filename("ptxas");
  std::error_code error;
  if (!fs::exists(ptxas, error)) return "";
  const std::string architecture = architecture_of(ptx, gpu);
  const PtxCache kept(cache);
  const std::string key = fmt::format("{}-{}", kept.hash(ptx.text()), architecture);
  if (auto known = kept.find(key)) return std::move(known->ptx);

  const TemporaryFolder folder;
  const fs::path text = folder.path() / "foldproof.ptx", made = folder.path() / "foldproof.cubin";
  write_temporary(text, ptx.text());
  const ProcessResult result =
      run_process({ptxas.string(), "-arch=" + architecture, "-lineinfo", "-o", made.string(), text.string()},
                  folder.path(), deadline);
  if (result.status != 0) return "";
  std::string code = read_text_file(made, largest_code);
  kept.keep(key, {{}, code});
  return code;
}

}  // namespace foldproof
