// The CUDA Toolkit's conversions to the narrow formats, as its headers implement them on the host.
#pragma once

#include <cstdint>

#include "oracles/formats.h"

namespace foldproof {

/// The code nearest to x, ties to even, of f16, bf16, e4m3, e5m2 or e2m1 (which always saturates).
/// Saturation is for e4m3 and e5m2; f16 and bf16 overflow to infinity.
std::uint64_t cuda_nearest(Element element, double x, Saturation saturation);

}  // namespace foldproof
