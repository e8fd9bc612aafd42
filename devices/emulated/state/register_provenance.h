// What the registers of a frame are made of (oracles/expressions.h): a row of 32 nodes for each row of
// registers, masks included, that holds values which depend on an element of the input. Node 0 stands for all
// others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/emulated/isa/instruction.h"
#include "oracles/expressions.h"

namespace foldproof::emulated {

using isa::LaneMask;

/// The nodes of one frame's registers, by the offset of the row.
class RegisterProvenance {
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

}  // namespace foldproof::emulated
