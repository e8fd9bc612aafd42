#include "contracts/nvcc/machine_code.h"

#include <fmt/format.h>

#include "base/child.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "ptx/parse.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_code = std::size_t{1} << 30;

/// PTX for an architecture-specific target (sm_90a) can be compiled only for that target.
std::string architecture_of(const ptx::Source& ptx, const std::string& gpu) {
  const std::string target = ptx::parse_target(ptx.text(), ptx.name());
  return target == gpu + "a" ? target : gpu;
}

}  // namespace

std::string machine_code(const ptx::Source& ptx, const std::string& gpu, const fs::path& nvcc,
                         const fs::path& cache) {
  const fs::path ptxas = fs::path(nvcc).replace_filename("ptxas");
  std::error_code error;
  if (!fs::exists(ptxas, error)) return "";
  const std::string architecture = architecture_of(ptx, gpu);
  const fs::path kept = cache / fmt::format("{}-{}.cubin", content_hash(ptx.text()), architecture);
  if (fs::exists(kept, error)) return read_text_file(kept, largest_code);

  const TemporaryFolder folder;
  const fs::path text = folder.path() / "foldproof.ptx", made = folder.path() / "foldproof.cubin";
  write_file(text, ptx.text());
  const ProcessResult result =
      run_process({ptxas.string(), "-arch=" + architecture, "-lineinfo", "-o", made.string(), text.string()},
                  folder.path());
  if (result.status != 0) return "";
  std::string code = read_text_file(made, largest_code);
  fs::create_directories(cache, error);
  replace_file(kept, code);
  return code;
}

}  // namespace foldproof
