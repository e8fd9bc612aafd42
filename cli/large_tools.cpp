#include "cli/large_tools.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"

namespace foldproof {

void check_some_are_large(const std::vector<Assignment>& assignments) {
  const auto is_served = [](const Assignment& assignment) {
    return serves_large_counts(*assignment.instance);
  };
  if (std::ranges::none_of(assignments, is_served))
    throw InputError(
        "--large has nothing to run: no contract here claims one sum of more than 2^20 floating-point "
        "elements");
}

LargeTools::LargeTools(const CompileOptions& options, const Console& console) {
  CompileOptions own;
  own.nvcc = options.nvcc;
  own.machine = options.machine;
  const std::filesystem::path kernels = shipped_kernels();
  exact_ = load_subjects({kernels / "careful" / "exact.toml", {}, {}}, own, console);
  Contract& exact = exact_.front().contract;
  const auto image_of = [&](const char* file) { return compile_source(kernels / file, {}, {}, own).image; };
  tools_ = {&exact, compile_contract(exact, own).image, image_of("large_inputs.cu"),
            image_of("compare_bytes.cu")};
}

}  // namespace foldproof
