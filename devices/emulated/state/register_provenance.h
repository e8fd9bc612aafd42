// The provenance of a frame's registers (oracles/expressions.h): a row of 32 nodes for each row of registers,
// including masks, that holds values that depend on the input. Node 0: independent of the input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/emulated/isa/instruction.h"
#include "oracles/expressions.h"

namespace foldproof::emulated {

using isa::LaneMask;

/// The nodes of one frame's registers, by row offset.
class RegisterProvenance {
 public:
  using Row = std::array<NodeId, isa::warp_size>;

  /// Whether any row ever had a node.
  bool any() const { return !rows_.empty(); }
  /// Null if the row has no nodes.
  const Row* find(std::uint32_t offset) const {
    const std::size_t at = offset / 4;
    return at < index_.size() && index_[at] != 0 ? &rows_[index_[at] - 1] : nullptr;
  }
  NodeId at(std::uint32_t offset, unsigned lane) const {
    const Row* row = find(offset);
    return row ? (*row)[lane] : 0;
  }
  void set(std::uint32_t offset, unsigned lane, NodeId node);
  /// Marks the lanes' columns as independent of the input.
  void forget(std::uint32_t offset, LaneMask lanes);
  /// Lanes whose columns depend on the input.
  LaneMask lanes(std::uint32_t offset) const;
  void clear();

 private:
  std::vector<std::uint32_t> index_;  ///< by offset / 4: the row's index in rows_, plus one
  std::vector<Row> rows_;
};

}  // namespace foldproof::emulated
