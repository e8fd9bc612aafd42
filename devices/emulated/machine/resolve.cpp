// Where addresses lead: windows, exact bounds, alignment, and words for what lies outside.
#include <fmt/format.h>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::StateSpace;

std::string_view space_name(StateSpace space) {
  switch (space) {
    case StateSpace::none: return "generic";
    case StateSpace::global: return "global";
    case StateSpace::shared_cta: return "shared";
    case StateSpace::shared_cluster: return "shared::cluster";
    case StateSpace::local: return "local";
    case StateSpace::constant: return "const";
    case StateSpace::param: return "param";
  }
  return "";
}

}  // namespace

Region Grid::shared_region(Block& block, std::uint64_t address, std::uint64_t origin) {
  const auto offset = static_cast<std::uint32_t>(address - origin);
  const std::uint32_t rank = offset >> isa::shared_rank_shift;
  Block* owner = &block;
  if (rank != 0) {
    if (rank > block.cluster->blocks.size()) return {};
    owner = block.cluster->blocks[rank - 1].get();
    if (!owner->started) start(*owner);
  }
  const auto place = static_cast<std::uint32_t>(offset & isa::shared_offset_mask);
  for (const SharedRegion& region : shared_)
    if (place - region.address < region.bytes)
      return {owner->shared.data() + region.host,
              tracks() ? owner->shared_defined.data() + region.host : nullptr,
              origin + (std::uint64_t{rank} << isa::shared_rank_shift) + region.address, region.bytes};
  return {};
}

Region Grid::local_region(Warp& warp, unsigned lane, std::uint64_t begin) const {
  auto& memory = warp.local[lane];
  return {memory.data(), tracks() ? warp.local_defined[lane].data() : nullptr, begin, memory.size()};
}

Region Grid::region(Warp& warp, StateSpace space, std::uint64_t address, unsigned lane) {
  switch (space) {
    case StateSpace::global: return memory_.find(address);
    case StateSpace::shared_cta:
    case StateSpace::shared_cluster: return shared_region(*warp.block, address, 0);
    case StateSpace::local: return local_region(warp, lane, 0);
    case StateSpace::constant: return {constants_.data(), nullptr, 0, constants_.size()};
    // The launch's parameters are read only: loads alone reach this.
    case StateSpace::param:
      return {const_cast<std::byte*>(parameters_.data()), nullptr, 0, parameters_.size()};
    case StateSpace::none: break;
  }
  switch (address >> isa::window_bits) {
    case isa::shared_window >> isa::window_bits:
      return shared_region(*warp.block, address, isa::shared_window);
    case isa::local_window >> isa::window_bits: return local_region(warp, lane, isa::local_window);
    case isa::constant_window >> isa::window_bits:
      return {constants_.data(), nullptr, isa::constant_window, constants_.size()};
    case isa::param_window >> isa::window_bits:
      return {const_cast<std::byte*>(parameters_.data()), nullptr, isa::param_window, parameters_.size()};
    default: return memory_.find(address);
  }
}

// Most accesses have a region in common, and need no look-up for each lane.
void Grid::find_common(Access& access) {
  const Addresses& at = access.at;
  if ((at.bits & (access.bytes - 1)) != 0) return;
  if (access.space == StateSpace::shared_cta && at.high <= isa::shared_offset_mask)
    return find_common_shared(access);
  const bool own_to_each_lane = access.space == StateSpace::local ||
                                at.low >> isa::window_bits == isa::local_window >> isa::window_bits;
  if (own_to_each_lane || at.high - at.low > isa::window_size ||
      (access.writes && !writable(access.space, at.low)))
    return;
  const Region found = region(access.warp, access.space, at.low, 0);
  if (!found.host || !found.contains(at.low, at.high - at.low + access.bytes)) return;
  access.host = found.host - found.begin;
  access.defined = found.defined ? found.defined - found.begin : nullptr;
}

// The same in the own block's shared memory.
void Grid::find_common_shared(Access& access) const {
  Block& block = *access.warp.block;
  const std::uint64_t end = access.at.high + access.bytes;
  for (const SharedRegion& region : shared_) {
    if (access.at.low < region.address || end > std::uint64_t{region.address} + region.bytes) continue;
    access.host = block.shared.data() + region.host - region.address;
    access.defined = tracks() ? block.shared_defined.data() + region.host - region.address : nullptr;
    return;
  }
}

// Lanes whose access is out of bounds or misaligned are reported and left out.
void Grid::resolve(Access& access, const char* what, std::uint32_t alignment) {
  const Addresses& at = access.at;
  LaneMask outside = 0, misaligned = 0;
  Region last;
  const bool per_lane = access.space == StateSpace::local || access.space == StateSpace::none;
  for_lanes(access.good, [&](unsigned lane) {
    if ((at[lane] & (alignment - 1)) != 0) {
      misaligned |= bit(lane);
      return;
    }
    if (last.bytes == 0 || per_lane || !last.contains(at[lane], access.bytes))
      last = region(access.warp, access.space, at[lane], lane);
    if (last.host == nullptr || !last.contains(at[lane], access.bytes) ||
        (access.writes && !writable(access.space, at[lane]))) {
      outside |= bit(lane);
      last = {};
      return;
    }
    access.hosts[lane] = last.host + (at[lane] - last.begin);
    access.hosts.defined[lane] = last.defined ? last.defined + (at[lane] - last.begin) : nullptr;
  });
  access.good &= ~(outside | misaligned);
  if (misaligned != 0)
    report_access(Kind::misaligned, access, misaligned,
                  fmt::format("a {} of {} bytes at {} address {:#x} is not aligned to {} bytes", what,
                              access.bytes, space_name(access.space), at[first_lane(misaligned)], alignment));
  if (outside != 0)
    report_access(
        Kind::out_of_bounds, access, outside,
        fmt::format("a {} of {} bytes in {} memory begins {}", what, access.bytes, space_name(access.space),
                    describe_address(access.space, at[first_lane(outside)], access.bytes)));
}

// The space that an address belongs to: for a generic one, by its window.
StateSpace Grid::owner(StateSpace space, std::uint64_t address) {
  if (space != StateSpace::none) return space;
  switch (address >> isa::window_bits) {
    case isa::shared_window >> isa::window_bits: return StateSpace::shared_cta;
    case isa::local_window >> isa::window_bits: return StateSpace::local;
    case isa::constant_window >> isa::window_bits: return StateSpace::constant;
    case isa::param_window >> isa::window_bits: return StateSpace::param;
    default: return StateSpace::global;
  }
}

// Nobody writes constants and the launch's parameters.
bool Grid::writable(StateSpace space, std::uint64_t address) {
  const StateSpace in = owner(space, address);
  return in != StateSpace::constant && in != StateSpace::param;
}

std::string Grid::describe_address(StateSpace space, std::uint64_t address, std::uint32_t bytes) const {
  if (space == StateSpace::none) {
    const StateSpace in = owner(space, address);
    return describe_address(in, in == StateSpace::global ? address : address % isa::window_size, bytes);
  }
  if (space == StateSpace::global) return memory_.describe(address, bytes);
  if (space == StateSpace::local)
    return fmt::format("at offset {} of the thread's local memory, which nothing owns",
                       static_cast<std::int64_t>(address));
  if (!writable(space, address))
    return fmt::format("at offset {} of {} memory, which nothing owns or which is only read",
                       static_cast<std::int64_t>(address), space_name(space));
  const auto place = static_cast<std::int64_t>(address & isa::shared_offset_mask);
  const SharedRegion* nearest = nullptr;
  std::int64_t distance = 0;
  for (const SharedRegion& region : shared_) {
    const std::int64_t from = place - region.address;
    const std::int64_t past = from < 0 ? -from : from - region.bytes;
    if (nearest && past >= distance) continue;
    nearest = &region;
    distance = past;
  }
  if (!nearest) return fmt::format("at offset {:#x}, where the block has no shared memory", place);
  const std::string what = fmt::format("{} ({} bytes)", nearest->variable->name, nearest->bytes);
  if (place < nearest->address) return fmt::format("{} bytes before {}", distance, what);
  if (distance >= 0) return fmt::format("{} bytes past the end of {}", distance, what);
  return fmt::format("across the end of {} by {} bytes", what, distance + bytes);
}

void Grid::report_access(Kind kind, const Access& access, LaneMask lanes, const std::string& sentence) {
  if (!reported_.emplace(kind, &access.i).second) return;
  Finding finding = make_finding(kind, access.i, sentence);
  constexpr std::size_t most_threads = 8;
  for_lanes(lanes, [&](unsigned lane) {
    if (finding.threads.size() < most_threads) finding.threads.push_back(thread(access.warp, lane));
  });
  report_.findings.push_back(std::move(finding));
}

}  // namespace foldproof::machine
