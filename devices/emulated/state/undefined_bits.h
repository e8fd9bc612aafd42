// Which bits of a frame's registers are undefined, and which bytes of memory are not.
//
//   Registers: bits laid out like the frame, where 1 says undefined; most frames never have any. Memory: next
//   to its bytes lies a map of defined bits, 1 says defined; none where all bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::emulated {

using isa::LaneMask;
/// Where undefined bits came from: an index into Origins::all (shadow/origins.h).
using OriginId = std::uint32_t;

/// Whether all bits of these bytes are defined, by their map.
bool is_defined(const std::byte* map, std::uint64_t bytes);

/// The undefined bits of one frame's registers.
class UndefinedBits {
 public:
  /// A row that has undefined bits.
  struct Row {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;  ///< of a column; 0: a mask
    OriginId origin = 0;
  };

  bool any() const { return !rows_.empty(); }
  const Row* find(std::uint32_t offset) const;
  /// The bits, laid out like a frame of `frame_bytes`.
  std::byte* bits(std::size_t frame_bytes);
  /// Looks at a row again after its bits changed; `origin` is where new ones came from, if any are new.
  void update(std::uint32_t offset, std::uint32_t bytes, std::optional<OriginId> origin);
  /// The lanes' columns of a row are defined from now on.
  void define(std::uint32_t offset, LaneMask lanes);
  /// Lanes with undefined bits in a row.
  LaneMask lanes(std::uint32_t offset) const;
  void clear();

 private:
  std::vector<std::byte> bits_;
  std::vector<Row> rows_;
};

}  // namespace foldproof::emulated
