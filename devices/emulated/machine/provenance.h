// Of which elements of the input the values in registers and memory are made (oracles/expressions.h).
//
//   Registers: a frame has a row of 32 nodes for each row of registers, masks included, that holds such
//   values. Memory: a node for each byte, in pages. Node 0 stands for whatever depends on no input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/machine/definedness.h"
#include "devices/launch.h"
#include "oracles/expressions.h"

namespace foldproof::machine {

/// The nodes of one frame's registers, by the offset of the row.
class RowNodes {
 public:
  using Row = std::array<NodeId, isa::warp_size>;

  /// Whether a row ever held one.
  bool any() const { return !rows_.empty(); }
  /// Null where the row holds none.
  const Row* find(std::uint32_t offset) const {
    const std::size_t at = offset / 4;
    return at < index_.size() && index_[at] != 0 ? &rows_[index_[at] - 1] : nullptr;
  }
  NodeId at(std::uint32_t offset, unsigned lane) const {
    const Row* row = find(offset);
    return row ? (*row)[lane] : 0;
  }
  void set(std::uint32_t offset, unsigned lane, NodeId node);
  /// The lanes' columns depend on no input from now on.
  void forget(std::uint32_t offset, LaneMask lanes);
  /// Lanes whose columns depend on an input.
  LaneMask lanes(std::uint32_t offset) const;
  void clear();

 private:
  std::vector<std::uint32_t> index_;  ///< by offset / 4: the row's place in rows_, plus one
  std::vector<Row> rows_;
};

/// The nodes of the bytes in all memories.
class MemoryNodes {
 public:
  BytePart at(const Place& place);
  void set(const Place& place, const BytePart& byte);
  void forget(std::uint64_t address, std::uint64_t bytes);  ///< in global memory
  void forget_blocks();                                     ///< all but global memory
  /// Calls `visit` with each byte of global memory that depends on an input, and its address.
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
  /// Null where no byte of the place's page depends on an input.
  Page* find(const Place& place);

  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, Page>> pages_;  ///< by memory, by page
  /// The page found last: the bytes of a value, and often the values of lanes, lie side by side.
  Page* latest_ = nullptr;
  Place latest_begin_;
};

/// What is known of the values of a job's launches.
struct Provenance {
  Expressions expressions;
  MemoryNodes memory;
  std::vector<FollowedLaunch> launches;  ///< that have ended
  std::vector<std::byte> scratch;        ///< of one instruction

  /// Whether more values would not fit into memory beside those of other kernels: 2^24 take half a GiB.
  bool is_full() const { return expressions.size() > NodeId{1} << 24; }
  /// The value that these bytes of a memory are, at most 16; 0 where it depends on no input.
  NodeId made_of(const Place& from, std::span<const std::byte> bytes);
};

}  // namespace foldproof::machine
