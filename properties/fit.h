// Whether a guessed contract suits its kernel: a few runs with small inputs on the emulated device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "contracts/guess.h"
#include "devices/runner.h"
#include "properties/case.h"
#include "sanitizer/finding.h"

namespace foldproof {

/// How well an instance explains what its kernel computes.
struct Fit {
  unsigned runs = 0;
  unsigned explained = 0;           ///< runs whose result was checked and right
  unsigned fully_checked = 0;       ///< explained runs in which every additional output was checked, too
  std::uint64_t most_elements = 0;  ///< of an explained run with other elements than small integers
  /// With several blocks that share the elements, instead of having a row each.
  bool tried_several_blocks = false, explains_several_blocks = false;
  std::string mismatch;  ///< what the first run showed that contradicts the instance
  /// What contradicts the instance for infinities, NaN or other unusual elements, although no other run does.
  std::string special_mismatch;
  /// Why the instance cannot be right, whatever the kernel does: the result depends on a number that the
  /// guess invented.
  std::string unknown;
  /// The first undefined behaviour that no contract makes right, such as a race, and whether every run showed
  /// some; or else a read of shared memory that was never written, if every run showed one.
  std::optional<Finding> misbehaviour;
  bool always_misbehaves = false;
  bool loses_elements = false;  ///< some run lost or repeated elements
  bool is_misaligned = false;   ///< some run read or wrote at an address that is not aligned
  bool does_not_end = false;    ///< a run did not end, and the others were left out

  bool is_complete() const {
    return runs > 0 && explained == runs && special_mismatch.empty() && unknown.empty();
  }
  /// Whether the agreement cannot be a coincidence, as that of a sum and a maximum of one element.
  bool is_convincing() const;
  /// Whether all that is explained is what one block does, although there were runs with several.
  bool is_about_one_block() const { return tried_several_blocks && !explains_several_blocks; }
};

/// Whether it is a fault that no contract makes right: a race, or a wrong synchronization.
bool is_about_order(const Finding& finding);

/// The cases of the runs, of up to 4096 elements.
std::vector<Case> trial_cases(const Instance& instance);

/// The case with elements such that the result shows whether the last one is lost, unless the operator is
/// top-p.
Case with_telling_last(Case c);

/// Cases that the usual ones are too small for: with rows of as many elements as there are threads, and more;
/// with more rows than that, unless each has a block; or, without rows, with so many blocks that one lost
/// element in each is more than the last block lacks.
std::vector<Case> large_trial_cases(const Instance& instance, std::uint32_t threads);

/// any: every run; values: every run, but not which elements are lost or repeated, which costs most;
/// complete: the same, until a run is not explained.
enum class Wanted : std::uint8_t { any, values, complete };

/// The runs are the same for every call. The later ones are left out if none of the first explains anything.
/// Throws InputError for a contract that cannot be run, and Unsupported for an image that cannot.
Fit fit_of(const Contract& contract, const InstanceGuess& guess, const std::shared_ptr<const Image>& image,
           Runner& runner, Wanted wanted);

/// Whether every run leaves an array in shared memory, although all elements are 0 and some runs have only
/// one: neither a size nor an element of the guess causes it. False if the kernel has dynamic shared memory,
/// whose amount is guessed.
bool always_leaves_shared_array(const Contract& contract, const InstanceGuess& guess,
                                const std::shared_ptr<const Image>& image, Runner& runner);

/// Whether the contract explains the results if accesses out of bounds are ignored, or if the kernel may read
/// one element more than the count says: then they are faults of a kernel that the contract describes.
bool is_right_but_for_bounds(const Contract& contract, const InstanceGuess& guess,
                             const std::shared_ptr<const Image>& image, Runner& runner);

}  // namespace foldproof
