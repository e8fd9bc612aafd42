// Whether a kernel lacks memory for whole warps, and not only for a few threads.
#pragma once

#include <memory>

#include "contracts/contract.h"
#include "devices/runner.h"

namespace foldproof {

/// Launches the contract's first instance once. Whether the first thread that accesses memory out of bounds
/// is the first of a warp, and not of the last one: an index that is off by a few is a fault of the kernel.
bool leaves_memory_by_warps(const Contract& contract, const std::shared_ptr<const Image>& image,
                            Runner& runner);

}  // namespace foldproof
