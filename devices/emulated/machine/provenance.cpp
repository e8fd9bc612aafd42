#include "devices/emulated/machine/provenance.h"

#include <algorithm>

#include "sanitizer/lane_set.h"

namespace foldproof::machine {

void RowNodes::set(std::uint32_t offset, unsigned lane, NodeId node) {
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

void RowNodes::forget(std::uint32_t offset, LaneMask lanes) {
  if (!find(offset)) return;
  for_lanes(lanes, [&](unsigned lane) { set(offset, lane, 0); });
}

LaneMask RowNodes::lanes(std::uint32_t offset) const {
  LaneMask lanes = 0;
  if (const Row* row = find(offset))
    for (unsigned lane = 0; lane < isa::warp_size; ++lane) lanes |= (*row)[lane] != 0 ? bit(lane) : 0;
  return lanes;
}

void RowNodes::clear() {
  index_.clear();
  rows_.clear();
}

MemoryNodes::Page* MemoryNodes::find(const Place& place) {
  const Place begin{place.of, place.at / page_bytes * page_bytes};
  if (latest_ && latest_begin_ == begin) return latest_;
  const auto memory = pages_.find(begin.of);
  if (memory == pages_.end()) return nullptr;
  const auto page = memory->second.find(begin.at / page_bytes);
  if (page == memory->second.end()) return nullptr;
  latest_begin_ = begin;
  return latest_ = &page->second;
}

BytePart MemoryNodes::at(const Place& place) {
  const Page* page = find(place);
  return page ? (*page)[place.at % page_bytes] : BytePart{};
}

void MemoryNodes::set(const Place& place, const BytePart& byte) {
  Page* page = find(place);
  if (!page) {
    if (byte.node == 0) return;  // makes no page
    page = &pages_[place.of][place.at / page_bytes];
  }
  (*page)[place.at % page_bytes] = byte;
}

void MemoryNodes::forget(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t b = 0; b < bytes; ++b) set({global_memory, address + b}, {});
}

void MemoryNodes::forget_blocks() {
  std::erase_if(pages_, [](const auto& memory) { return memory.first != global_memory; });
  latest_ = nullptr;
}

NodeId Provenance::made_of(const Place& from, std::span<const std::byte> bytes) {
  constexpr std::size_t most = 16;
  std::array<BytePart, most> parts;
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    parts[b] = memory.at({from.of, from.at + b});
    if (parts[b].node == 0) parts[b].constant = std::to_integer<std::uint8_t>(bytes[b]);
  }
  return expressions.assembled(std::span(parts).first(bytes.size()));
}

}  // namespace foldproof::machine
