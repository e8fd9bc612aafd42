// Lays out the register file of one function (see the layout in isa/instruction.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::emulated {

class FrameBuilder {
 public:
  FrameBuilder();

  /// Allocates a zero row of `column_bytes` per lane; 0: a predicate mask.
  std::uint32_t allocate(unsigned column_bytes);
  /// Allocates a row of 4-byte columns for each 4 bytes of a slot. Returns the first.
  std::uint32_t allocate_slot(std::uint64_t bytes);
  /// A row with `bits` in every column; `column_bytes` 0: a mask, all ones if bits != 0.
  std::uint32_t constant(std::uint64_t bits, unsigned column_bytes);

  std::uint64_t bytes() const { return frame_.size(); }
  std::vector<std::byte> take() { return std::move(frame_); }

 private:
  std::vector<std::byte> frame_;
  std::uint32_t next_mask_ = 0, masks_end_ = 0;
  std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> constants_;
};

}  // namespace foldproof::emulated
