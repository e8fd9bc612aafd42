#include "command/large_tools.h"

#include <filesystem>

namespace foldproof {

LargeTools::LargeTools(const CompileOptions& options, const Console& console) {
  CompileOptions own;
  own.nvcc = options.nvcc;
  own.machine = options.machine;
  const std::filesystem::path kernels = shipped_kernels();
  exact_ = load_subjects({kernels / "careful" / "exact.toml", {}, {}, Trust::full}, own, console);
  Contract& exact = exact_.front().contract;
  const auto image_of = [&](const char* file) { return compile_source(kernels / file, {}, own); };
  tools_ = {&exact, compile_contract(exact, own), image_of("large_inputs.cu"), image_of("compare_bytes.cu")};
}

}  // namespace foldproof
