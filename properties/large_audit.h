// Sums on a GPU of more elements than the emulated device can handle: beyond the range of 32-bit indices, and
// where rounding errors have had time to accumulate.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "contracts/contract.h"
#include "devices/image.h"
#include "properties/verdict.h"

namespace foldproof {

/// The smallest element count of a large audit.
inline constexpr std::uint64_t least_large_count = (std::uint64_t{1} << 20) + 1;

/// Whether the instance computes one sum of all floating-point elements, and nothing else.
bool is_whole_sum(const Instance& instance);
/// Whether it is such a sum, is launched as a kernel on a type other than e2m1, and claims that many
/// elements.
bool serves_large_counts(const Instance& instance);

/// The bundled tools: E5 of the catalogue, the input maker, and the comparison of results.
struct LargeAuditTools {
  const Contract* exact = nullptr;  ///< of kernels/careful/exact.cu
  std::shared_ptr<const Image> exact_image, input_maker, comparison;
};

struct LargeAuditOptions {
  std::uint64_t seed = 1;
  std::uint64_t largest_count = ~std::uint64_t{0};
  std::chrono::milliseconds limit{10'000};  ///< per run
  /// Called with the report after every new finding, in case the process does not finish.
  std::function<void(const KernelReport&)> so_far = {};
};

/// Checks the instance's sums for inputs that are generated in GPU memory, for those counts up to 2^32 + 9
/// that it claims, against the exact sums of the same memory; partial sums by their exact sum. Runs the
/// kernel again if it claims determinism. Larger counts are skipped, with a note that gives the reason, once
/// a run takes a quarter of a second, the elements exceed 16 GiB, or GPU memory does not suffice; if no count
/// was tried, the verdict is `unsupported`. Uses the process's own GPU context, which is unusable after an
/// error of the kernel, or a kernel that does not end. Throws InputError if there is no checker for the sum.
KernelReport audit_large(const Contract& contract, const Instance& instance,
                         const std::shared_ptr<const Image>& image, const LargeAuditTools& tools,
                         const LargeAuditOptions& options);

}  // namespace foldproof
