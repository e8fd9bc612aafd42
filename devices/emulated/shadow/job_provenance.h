// The provenance of a job's values (oracles/expressions.h): its expressions, and a node for each byte of
// memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "devices/emulated/state/places.h"
#include "devices/launch.h"
#include "oracles/expressions.h"

namespace foldproof::emulated {

/// The nodes of the bytes in all memory spaces.
class MemoryProvenance {
 public:
  BytePart at(const Place& place);
  void set(const Place& place, const BytePart& byte);
  void forget(std::uint64_t address, std::uint64_t bytes);  ///< in global memory
  void forget_blocks();                                     ///< all but global memory
  /// Calls `visit` with the address and node of each byte of global memory that depends on the input.
  template <typename Visit>
  void for_each_global(const Visit& visit) const {
    const auto memory = pages_.find(global_memory);
    if (memory == pages_.end()) return;
    for (const auto& [number, page] : memory->second)
      for (std::uint64_t b = 0; b < page_bytes; ++b)
        if (page[b].node != 0) visit(number * page_bytes + b, page[b]);
  }

 private:
  static constexpr std::uint64_t page_bytes = 256;
  using Page = std::array<BytePart, page_bytes>;
  /// Null if no byte of the place's page depends on the input.
  Page* find(const Place& place);

  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, Page>> pages_;  ///< by memory, by page
  /// The page found last: bytes of a value, and often values of neighbouring lanes, are adjacent.
  Page* latest_ = nullptr;
  Place latest_begin_;
};

/// The provenance of the values of a job's launches.
struct JobProvenance {
  Expressions expressions;
  MemoryProvenance memory;
  std::vector<LaunchTrace> launches;  ///< completed launches
  std::vector<std::byte> scratch;     ///< for one instruction

  /// Whether further values would exceed the memory limit: 2^24 nodes take half a GiB.
  bool is_full() const { return expressions.size() > NodeId{1} << 24; }
  /// The value that these bytes (at most 16) of a memory hold; 0 if it does not depend on the input.
  NodeId made_of(const Place& from, std::span<const std::byte> bytes);
};

}  // namespace foldproof::emulated
