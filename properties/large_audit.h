// Sums of more elements than the emulated device can serve, on a GPU: where an index of 32 bits ends, and
// where rounding errors have had time to grow.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "contracts/contract.h"
#include "devices/image.h"
#include "properties/verdict.h"

namespace foldproof {

/// From how many elements on.
inline constexpr std::uint64_t least_large_count = (std::uint64_t{1} << 20) + 1;

/// Whether the instance makes one sum of all floating-point elements, and of nothing else.
bool is_whole_sum(const Instance& instance);
/// Whether it is such a sum and claims that many elements.
bool serves_large_counts(const Instance& instance);

/// What comes along for that: E5 of the catalogue, what makes inputs, and what compares results.
struct LargeAuditTools {
  const Contract* exact = nullptr;  ///< of kernels/careful/exact.cu
  std::shared_ptr<const Image> exact_image, input_maker, comparison;
};

struct LargeAuditOptions {
  std::uint64_t seed = 1;
  std::uint64_t largest_count = ~std::uint64_t{0};
  std::chrono::milliseconds limit{10'000};  ///< of a run
  /// Called with every new finding: the report, should the process not come to its end.
  std::function<void(const KernelReport&)> so_far = {};
};

/// Checks the instance's sums of inputs that are made in the GPU's memory, of some counts of elements up to
/// 2^32 + 9 and those that it claims, against the exact sums of the same memory; partial sums by their exact
/// sum. Runs it again where it claims to be deterministic. Larger counts are left out, and a note says why,
/// where a run takes a quarter of a second, the elements more than 16 GiB, or the GPU's memory does not
/// suffice; where not one count was tried, the verdict is `unsupported`. Uses the process's own GPU context,
/// which an error of the kernel, or one that does not end, leaves unusable. Throws InputError where the sum
/// is none that is checked.
KernelReport audit_large(const Contract& contract, const Instance& instance,
                         const std::shared_ptr<const Image>& image, const LargeAuditTools& tools,
                         const LargeAuditOptions& options);

}  // namespace foldproof
