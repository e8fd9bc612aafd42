// Shadow state of a frame's registers, by row: their undefined bits, and their provenance.
//
//   Undefined bits of registers: a shadow with the layout of the frame, in which 1 means undefined; most
//   frames never need one. Of memory: a map of the same size, in which 1 means defined; there is none if all
//   bytes are defined.
//   Provenance: a row of 32 nodes (oracles/expressions.h) for each row of registers, including masks, that
//   holds values that depend on the input. Node 0: independent of the input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "devices/emulated/isa/instruction.h"
#include "oracles/expressions.h"

namespace foldproof::emulated {

using isa::LaneMask;
/// The origin of undefined bits: an index into Origins::all (shadow/origins.h).
using OriginId = std::uint32_t;

/// Whether all bits of these bytes are defined, according to their map.
bool is_defined(const std::byte* map, std::uint64_t bytes);

/// Where the rows of a frame are in a list, by their offsets in the frame.
class RowIndex {
 public:
  std::optional<std::uint32_t> find(std::uint32_t offset) const {
    const std::size_t at = offset / 4;
    if (at >= places_.size() || places_[at] == 0) return std::nullopt;
    return places_[at] - 1;
  }
  void set(std::uint32_t offset, std::size_t place);
  void erase(std::uint32_t offset) { places_[offset / 4] = 0; }
  void clear() { places_.clear(); }

 private:
  std::vector<std::uint32_t> places_;  ///< by offset / 4, plus one; 0: none
};

/// The undefined bits of one frame's registers.
class UndefinedBits {
 public:
  /// A row with undefined bits.
  struct Row {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;  ///< of a column; 0: a mask
    OriginId origin = 0;
  };

  bool any() const { return !rows_.empty(); }
  const Row* find(std::uint32_t offset) const;
  /// The bits, laid out like a frame of `frame_bytes`.
  std::byte* bits(std::size_t frame_bytes);
  /// Updates a row after its bits changed; `origin` is the origin of new undefined bits, if any.
  void update(std::uint32_t offset, std::uint32_t bytes, std::optional<OriginId> origin);
  /// Marks the lanes' columns of a row as defined.
  void define(std::uint32_t offset, LaneMask lanes);
  /// Lanes with undefined bits in a row.
  LaneMask lanes(std::uint32_t offset) const;
  void clear();

 private:
  void erase(std::uint32_t place);

  std::vector<std::byte> bits_;
  std::vector<Row> rows_;  ///< in no order
  RowIndex index_;
};

/// The nodes of one frame's registers, by row offset.
class RegisterProvenance {
 public:
  using Row = std::array<NodeId, isa::warp_size>;

  /// Whether any row ever had a node.
  bool any() const { return !rows_.empty(); }
  /// Null if the row has no nodes.
  const Row* find(std::uint32_t offset) const {
    const auto place = index_.find(offset);
    return place ? &rows_[*place] : nullptr;
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
  RowIndex index_;
  std::vector<Row> rows_;
};

}  // namespace foldproof::emulated
