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

void RowIndex::set(std::uint32_t offset, std::size_t place) {
  const std::size_t at = offset / 4;
  if (at >= places_.size()) places_.resize(at + 1);
  places_[at] = static_cast<std::uint32_t>(place + 1);
}

const UndefinedBits::Row* UndefinedBits::find(std::uint32_t offset) const {
  const auto place = index_.find(offset);
  return place ? &rows_[*place] : nullptr;
}

// The last row takes the place of the erased one.
void UndefinedBits::erase(std::uint32_t place) {
  index_.set(rows_.back().offset, place);
  index_.erase(rows_[place].offset);
  rows_[place] = rows_.back();
  rows_.pop_back();
}

std::byte* UndefinedBits::bits(std::size_t frame_bytes) {
  if (bits_.size() < frame_bytes) bits_.resize(frame_bytes);
  return bits_.data();
}

void UndefinedBits::update(std::uint32_t offset, std::uint32_t bytes, std::optional<OriginId> origin) {
  const std::byte* row = bits_.data() + offset;
  const bool any_undefined =
      std::any_of(row, row + row_bytes(bytes), [](std::byte b) { return b != std::byte{0}; });
  const auto place = index_.find(offset);
  if (any_undefined && place) {
    rows_[*place] = {offset, bytes, origin.value_or(rows_[*place].origin)};
  } else if (any_undefined) {
    index_.set(offset, rows_.size());
    rows_.push_back({offset, bytes, origin.value_or(0)});
  } else if (place) {
    erase(*place);
  }
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
    index_.erase(row.offset);
  }
  rows_.clear();
}

void RegisterProvenance::set(std::uint32_t offset, unsigned lane, NodeId node) {
  if (const auto place = index_.find(offset)) {
    rows_[*place][lane] = node;
  } else if (node != 0) {
    index_.set(offset, rows_.size());
    rows_.emplace_back()[lane] = node;
  }
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
