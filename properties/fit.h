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

}  // namespace foldproof
