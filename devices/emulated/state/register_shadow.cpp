#include "devices/emulated/state/register_shadow.h"
#include "sanitizer/lane_set.h"

#include <emmintrin.h>

#include <algorithm>
#include <cstring>

namespace foldproof::emulated {
namespace {

std::size_t row_bytes(std::uint32_t column_bytes) {
  return column_bytes == 0 ? sizeof(LaneMask) : std::size_t{column_bytes} * isa::warp_size;
}

}  // namespace

bool is_defined(const std::byte* map, std::uint64_t bytes) {
  const __m128i defined = _mm_set1_epi8(-1);
  __m128i all = defined;
  std::uint64_t k = 0;
  for (; k + sizeof all <= bytes; k += sizeof all)
    all = _mm_and_si128(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(map + k)));
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(all, defined)) != 0xffff) return false;
  return std::all_of(map + k, map + bytes, [](std::byte b) { return b == std::byte{0xff}; });
}

const UndefinedBits::Row* UndefinedBits::find(std::uint32_t offset) const {
  const std::size_t at = offset / 4;
  return at < index_.size() && index_[at] != 0 ? &rows_[index_[at] - 1] : nullptr;
}

void UndefinedBits::insert(const Row& row) {
  const std::size_t at = row.offset / 4;
  if (at >= index_.size()) index_.resize(at + 1);
  rows_.push_back(row);
  index_[at] = static_cast<std::uint32_t>(rows_.size());
}

void UndefinedBits::erase(std::uint32_t offset) {
  std::uint32_t& place = index_[offset / 4];
  rows_[place - 1] = rows_.back();
  index_[rows_.back().offset / 4] = place;
  rows_.pop_back();
  place = 0;
}

std::byte* UndefinedBits::bits(std::size_t frame_bytes) {
  if (bits_.size() < frame_bytes) bits_.resize(frame_bytes);
  return bits_.data();
}

void UndefinedBits::update(std::uint32_t offset, std::uint32_t bytes, std::optional<OriginId> origin) {
  const std::byte* row = bits_.data() + offset;
  const bool any_undefined =
      std::any_of(row, row + row_bytes(bytes), [](std::byte b) { return b != std::byte{0}; });
  const Row* found = find(offset);
  if (any_undefined && found)
    rows_[index_[offset / 4] - 1] = {offset, bytes, origin.value_or(found->origin)};
  else if (any_undefined)
    insert({offset, bytes, origin.value_or(0)});
  else if (found)
    erase(offset);
}

void UndefinedBits::define(std::uint32_t offset, LaneMask lanes) {
  const Row* row = find(offset);
  if (!row) return;
  std::byte* bits = bits_.data() + offset;
  if (row->bytes == 0)
    *reinterpret_cast<LaneMask*>(bits) &= ~lanes;
  else
    for_lanes(lanes, [&](unsigned lane) { std::memset(bits + lane * row->bytes, 0, row->bytes); });
  update(offset, row->bytes, row->origin);
}

LaneMask UndefinedBits::lanes(std::uint32_t offset) const {
  const Row* row = find(offset);
  if (!row) return 0;
  const std::byte* bits = bits_.data() + offset;
  if (row->bytes == 0) return *reinterpret_cast<const LaneMask*>(bits);
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < isa::warp_size; ++lane)
    for (std::uint32_t b = 0; b < row->bytes; ++b)
      if (bits[lane * row->bytes + b] != std::byte{0}) lanes |= bit(lane);
  return lanes;
}

void UndefinedBits::clear() {
  for (const Row& row : rows_) {
    std::memset(bits_.data() + row.offset, 0, row_bytes(row.bytes));
    index_[row.offset / 4] = 0;
  }
  rows_.clear();
}

void RegisterProvenance::set(std::uint32_t offset, unsigned lane, NodeId node) {
  const std::size_t at = offset / 4;
  if (at >= index_.size()) {
    if (node == 0) return;
    index_.resize(at + 1);
  }
  if (index_[at] == 0) {
    if (node == 0) return;
    rows_.emplace_back();
    index_[at] = static_cast<std::uint32_t>(rows_.size());
  }
  rows_[index_[at] - 1][lane] = node;
}

void RegisterProvenance::forget(std::uint32_t offset, LaneMask lanes) {
  if (!find(offset)) return;
  for_lanes(lanes, [&](unsigned lane) { set(offset, lane, 0); });
}

LaneMask RegisterProvenance::lanes(std::uint32_t offset) const {
  LaneMask lanes = 0;
  if (const Row* row = find(offset))
    for (unsigned lane = 0; lane < isa::warp_size; ++lane) lanes |= (*row)[lane] != 0 ? bit(lane) : 0;
  return lanes;
}

void RegisterProvenance::clear() {
  index_.clear();
  rows_.clear();
}

}  // namespace foldproof::emulated
