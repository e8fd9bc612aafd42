#include "devices/emulated/state/register_provenance.h"

#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

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
