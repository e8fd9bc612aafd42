// Performance counters of a job's launches, as estimates of their cost on a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sanitizer/instruction_class.h"

namespace foldproof {

/// numerator / denominator; 0 if the denominator is 0.
inline double ratio(std::uint64_t numerator, std::uint64_t denominator) {
  return denominator == 0 ? 0 : static_cast<double>(numerator) / static_cast<double>(denominator);
}

/// Loads, stores or atomics in shared memory (memory_requests.h describes the model).
struct SharedTraffic {
  std::uint64_t requests = 0;   ///< warp instructions
  std::uint64_t lanes = 0;      ///< lanes that took part in the requests
  std::uint64_t passes = 0;     ///< passes of the banks
  std::uint64_t conflicts = 0;  ///< passes in addition to those required by the access width
  bool operator==(const SharedTraffic&) const = default;
};

/// The same for global memory.
struct GlobalTraffic {
  std::uint64_t requests = 0;  ///< warp instructions
  std::uint64_t lanes = 0;     ///< lanes that took part in the requests
  std::uint64_t sectors = 0;   ///< sectors of 32 bytes touched
  bool operator==(const GlobalTraffic&) const = default;
};

template <class Traffic>
struct ByAccess {
  Traffic loads, stores, atomics;
  bool operator==(const ByAccess&) const = default;
};

/// Loads and stores in shared memory between two barriers of a block, summed over the blocks. Round 0 ends at
/// the first barrier.
struct Round {
  std::uint64_t load_requests = 0, load_lanes = 0, store_requests = 0, store_lanes = 0;
  bool operator==(const Round&) const = default;
};

/// Instructions are PTX instructions, counted once per warp and divergent group; ptxas may fuse some of them
/// and replace short branches by predicates.
struct Counters {
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t live_lanes = 0;    ///< summed over the instructions: lanes of the warp that had not exited
  std::uint64_t active_lanes = 0;  ///< the live lanes that executed the instruction
  std::uint64_t divergent_branches = 0;
  std::array<std::uint64_t, instruction_class_names.size()> classes{};  ///< instructions by class
  ByAccess<SharedTraffic> shared;
  ByAccess<GlobalTraffic> global;
  std::uint64_t shared_requests_of_busiest_warp = 0;
  std::uint64_t atomics_at_busiest_address = 0;  ///< in global memory, summed over lanes
  std::uint64_t block_barriers = 0;              ///< completed barriers of blocks
  std::uint64_t warp_barriers = 0;               ///< bar.warp.sync, once per warp
  std::uint64_t cluster_barriers = 0;
  std::vector<Round> rounds;  ///< the last one also counts all later ones

  bool operator==(const Counters&) const = default;

  std::uint64_t of(InstructionClass c) const { return classes[static_cast<std::size_t>(c)]; }
  /// The share of live lanes that are active; 1 if nothing ran.
  double warp_efficiency() const { return live_lanes == 0 ? 1 : ratio(active_lanes, live_lanes); }
};

}  // namespace foldproof
