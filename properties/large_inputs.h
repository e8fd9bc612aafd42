// Inputs of several gigabytes, generated in GPU memory by kernels/large_inputs.cu.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "devices/cuda/context.h"
#include "devices/cuda/module.h"
#include "oracles/formats.h"
#include "oracles/tally.h"

namespace foldproof {

inline constexpr std::uint32_t all_exponents = 4096;  ///< more than a type has

enum class Signs : std::uint32_t { none, random, in_pairs };  ///< in pairs: x, -x, y, -y, …

/// A way to generate elements of any floating-point type.
struct LargeInput {
  std::string_view name;
  bool ones = false;         ///< all are 1; otherwise significands are random
  std::uint32_t one_of = 1;  ///< on average, one in this many elements is nonzero
  /// Except for this many elements at each end and on each side of multiples of 2^31, which are all nonzero.
  std::uint32_t dense = 0;
  Signs signs = Signs::none;
  /// Exponents below and above that of 1, as far as the type has them; above, no more than half of them, so
  /// that sums of many elements are finite.
  std::uint32_t below = 0, above = 0;
  bool overflows = false;  ///< above, all that the type has: no sum of many is finite
};

/// Sparse ones (whose sums do not round, so that every lost element shows), numbers in [1, 2), numbers of
/// both signs, and numbers of all exponents that cancel each other.
std::span<const LargeInput> large_inputs();

class LargeInputMaker {
 public:
  /// `image`: of kernels/large_inputs.cu.
  LargeInputMaker(cuda::Context& context, const Image& image) : context_(context), module_(context, image) {}

  /// Writes `count` elements, or their magnitudes, in the context's stream.
  void make(const LargeInput& how, bool magnitudes, Element element, Address to, std::uint64_t count,
            std::uint64_t seed);

 private:
  cuda::Context& context_;
  cuda::Module module_;
};

/// The tally of such elements, derived without reading them; the sums are missing.
Tally tally_but_for_sums(const LargeInput& how, Element element, std::uint64_t count);

}  // namespace foldproof
