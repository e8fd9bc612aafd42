// Whether the block that was guessed for a kernel suits it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "contracts/contract.h"
#include "devices/runner.h"

namespace foldproof {

/// Launches the contract's first instance once. Where whole warps leave the kernel's memory: the largest
/// half, quarter, … of the block that they are not part of, if none leaves it with that. Nothing
/// where the block may stay as it is, and where only the last warp or a part of one goes astray: an index
/// that is off by a few is a fault with any block.
std::optional<std::uint32_t> fitting_block(const Contract& contract,
                                           const std::shared_ptr<const Image>& image, Runner& runner);

}  // namespace foldproof
