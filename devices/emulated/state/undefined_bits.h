// Shadow bits: the undefined bits of a frame's registers, and the maps of defined bits of memory.
//
//   Registers: a shadow with the layout of the frame, in which 1 means undefined; most frames never need one.
//   Memory: a map of the same size, in which 1 means defined; there is none if all bytes are defined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::emulated {

using isa::LaneMask;
/// The origin of undefined bits: an index into Origins::all (shadow/origins.h).
using OriginId = std::uint32_t;

/// Whether all bits of these bytes are defined, according to their map.
bool is_defined(const std::byte* map, std::uint64_t bytes);

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
  std::vector<std::byte> bits_;
  std::vector<Row> rows_;
};

}  // namespace foldproof::emulated
