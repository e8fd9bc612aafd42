#include "devices/emulated/program/frame_builder.h"

#include <cstring>

namespace foldproof::emulated {
namespace {
constexpr std::uint32_t row_alignment = 64;
}

FrameBuilder::FrameBuilder() {
  allocate(0);  // the carry mask, at isa::carry_offset
}

std::uint32_t FrameBuilder::allocate(unsigned column_bytes) {
  if (column_bytes == 0) {
    if (next_mask_ == masks_end_) {
      next_mask_ = static_cast<std::uint32_t>(frame_.size());
      masks_end_ = next_mask_ + row_alignment;
      frame_.resize(masks_end_);
    }
    next_mask_ += sizeof(isa::LaneMask);
    return next_mask_ - static_cast<std::uint32_t>(sizeof(isa::LaneMask));
  }
  const auto offset = static_cast<std::uint32_t>(frame_.size());
  const std::uint32_t bytes = column_bytes * isa::warp_size;
  frame_.resize(offset + (bytes + row_alignment - 1) / row_alignment * row_alignment);
  return offset;
}

std::uint32_t FrameBuilder::allocate_slot(std::uint64_t bytes) {
  const std::uint32_t first = allocate(4);
  for (std::uint64_t k = 4; k < bytes; k += 4) allocate(4);
  return first;
}

std::uint32_t FrameBuilder::constant(std::uint64_t bits, unsigned column_bytes) {
  if (column_bytes == 0) bits = bits != 0 ? ~0ull : 0;
  if (column_bytes != 0 && column_bytes < 8) bits &= (1ull << (8 * column_bytes)) - 1;
  const auto [found, is_new] = constants_.try_emplace({bits, column_bytes}, 0);
  if (!is_new) return found->second;
  found->second = allocate(column_bytes);
  std::byte* at = frame_.data() + found->second;
  if (column_bytes == 0) {
    std::memcpy(at, &bits, sizeof(isa::LaneMask));
  } else {
    const std::uint64_t words[2] = {bits, 0};  // the upper half of a 128-bit constant is zero
    for (unsigned lane = 0; lane < isa::warp_size; ++lane)
      std::memcpy(at + lane * column_bytes, words, column_bytes);
  }
  return found->second;
}

}  // namespace foldproof::emulated
