// Whether a guessed contract suits its kernel: a few runs with small inputs on the emulated device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "contracts/contract.h"
#include "devices/runner.h"

namespace foldproof {

/// How well an instance explains what its kernel computes.
struct Fit {
  unsigned runs = 0;
  unsigned explained = 0;           ///< runs whose result was checked and right
  std::uint64_t most_elements = 0;  ///< of an explained run
  std::string mismatch;             ///< what the first run showed that contradicts the instance
  /// Every run showed undefined behaviour that no contract makes right, such as a race.
  bool always_misbehaves = false;
  bool does_not_end = false;  ///< a run did not end, and the others were left out

  bool is_complete() const { return runs > 0 && explained == runs; }
  /// Whether the agreement cannot be a coincidence, as that of a sum and a maximum of one element.
  bool is_convincing() const;
};

/// The runs are the same for every call. The later runs are left out if none of the first explains anything.
/// Throws InputError for a contract that cannot be run, and Unsupported for an image that cannot.
Fit fit_of(const Contract& contract, const Instance& instance, const std::shared_ptr<const Image>& image,
           Runner& runner);

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
