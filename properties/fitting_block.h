// Whether the block size, and the shared memory, that were guessed for a kernel suit it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "contracts/contract.h"
#include "devices/runner.h"

namespace foldproof {

/// Launches the contract's first instance once. Whether the first thread that accesses memory out of bounds
/// is the first of a warp, and not of the last one: an index that is off by a few is a fault of the kernel.
bool leaves_memory_by_warps(const Contract& contract, const std::shared_ptr<const Image>& image,
                            Runner& runner);

/// Launches the contract's first instance once. If whole warps access memory out of bounds, returns the
/// largest half, quarter, … of the block that excludes them, if that runs without such accesses. Nothing if
/// the block size can stay as it is, or if only the last warp or a part of a warp is affected: an index that
/// is off by a few is a fault with any block size.
std::optional<std::uint32_t> fitting_block(const Contract& contract,
                                           const std::shared_ptr<const Image>& image, Runner& runner);

}  // namespace foldproof
