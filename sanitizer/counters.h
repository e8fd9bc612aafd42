// What the launches of a job did, in numbers that tell how a GPU would fare with them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sanitizer/instruction_class.h"

namespace foldproof {

/// Loads, stores or atomics in shared memory (requests.h says how it serves them).
struct SharedTraffic {
  std::uint64_t requests = 0;   ///< warp instructions
  std::uint64_t lanes = 0;      ///< that took part in them
  std::uint64_t passes = 0;     ///< of the banks
  std::uint64_t conflicts = 0;  ///< passes beyond those that the width of the access needs
  bool operator==(const SharedTraffic&) const = default;
};

/// … in global memory.
struct GlobalTraffic {
  std::uint64_t requests = 0;  ///< warp instructions
  std::uint64_t lanes = 0;     ///< that took part in them
  std::uint64_t sectors = 0;   ///< of 32 bytes that they touched
  bool operator==(const GlobalTraffic&) const = default;
};

template <class Traffic>
struct ByAccess {
  Traffic loads, stores, atomics;
  bool operator==(const ByAccess&) const = default;
};

/// What happened between two barriers of a block, summed over the blocks: who loads from shared memory, and
/// who stores to it. Round 0 ends with the first barrier.
struct Round {
  std::uint64_t load_requests = 0, load_lanes = 0, store_requests = 0, store_lanes = 0;
  bool operator==(const Round&) const = default;
};

/// Instructions are those of PTX, counted once a warp and split; the compiler's last step may fuse some of
/// them, and replace short branches by predicates.
struct Counters {
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t live_lanes = 0;    ///< summed over the instructions: lanes of the warp that had not ended
  std::uint64_t active_lanes = 0;  ///< of these, those that executed it
  std::uint64_t divergent_branches = 0;
  std::array<std::uint64_t, instruction_class_names.size()> classes{};  ///< instructions by class
  ByAccess<SharedTraffic> shared;
  ByAccess<GlobalTraffic> global;
  std::uint64_t shared_requests_of_busiest_warp = 0;
  std::uint64_t atomics_at_busiest_address = 0;  ///< in global memory, summed over lanes
  std::uint64_t block_barriers = 0;              ///< completed by a block
  std::uint64_t warp_barriers = 0;               ///< bar.warp.sync, once a warp
  std::uint64_t cluster_barriers = 0;
  std::vector<Round> rounds;  ///< the last stands for all later ones, too

  bool operator==(const Counters&) const = default;

  std::uint64_t of(InstructionClass c) const { return classes[static_cast<std::size_t>(c)]; }
  /// The share of live lanes that are active; 1 where nothing ran.
  double warp_efficiency() const;
};

/// numerator / denominator, and 0 where there is nothing to divide by.
double ratio(std::uint64_t numerator, std::uint64_t denominator);

}  // namespace foldproof
