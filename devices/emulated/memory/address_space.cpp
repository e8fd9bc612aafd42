#include "devices/emulated/memory/address_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::StateSpace;

constexpr std::uint64_t workspace_bytes = 256;  // size of the counter of cooperative groups' grid barrier

std::string_view space_name(StateSpace space) {
  switch (space) {
    case StateSpace::none: return "generic";
    case StateSpace::global: return "global";
    case StateSpace::shared_cta: return "shared";
    case StateSpace::shared_cluster: return "shared::cluster";
    case StateSpace::local: return "local";
    case StateSpace::constant: return "constant";
    case StateSpace::param: return "param";
  }
  return "";
}

}  // namespace

AddressSpace::AddressSpace(const Program& program, const Geometry& geometry, const SharedMemory& shared,
                           Memory& global, std::vector<std::byte> parameters, Residency& residency,
                           FindingLog& findings)
    : geometry_(geometry),
      shared_(shared),
      global_(global),
      parameters_(std::move(parameters)),
      constants_(program.constants),
      constant_variables_(program.constant_variables),
      residency_(residency),
      findings_(findings) {
  if (!geometry.shape().cooperative) return;
  workspace_ = global.allocate(workspace_bytes, "the grid barrier");
  const Region region = global.find(*workspace_);
  std::fill_n(region.host, region.bytes, std::byte{0});
  global.define(*workspace_, workspace_bytes);
}

AddressSpace::~AddressSpace() {
  if (workspace_) global_.free(*workspace_);
}

Region AddressSpace::shared_region(Block& block, std::uint64_t address, std::uint64_t origin) {
  const auto offset = static_cast<std::uint32_t>(address - origin);
  const std::uint32_t rank = offset >> isa::shared_rank_shift;
  Block* owner = &block;
  if (rank != 0) {
    if (rank > block.cluster->blocks.size()) return {};
    owner = block.cluster->blocks[rank - 1].get();
    if (!owner->started) residency_.start(*owner);
  }
  const auto place = static_cast<std::uint32_t>(offset & isa::shared_offset_mask);
  for (const SharedRegion& region : shared_.regions)
    if (region.contains(place))
      return {owner->shared.data() + region.host,
              owner->shared_defined.empty() ? nullptr : owner->shared_defined.data() + region.host,
              origin + (std::uint64_t{rank} << isa::shared_rank_shift) + region.address, region.bytes};
  return {};
}

Region AddressSpace::region(Warp& warp, StateSpace space, std::uint64_t address, unsigned lane) {
  // A generic address includes its window; an address in an explicit state space does not.
  const std::uint64_t origin = space == StateSpace::none ? address & ~(isa::window_size - 1) : 0;
  switch (owner(space, address)) {
    case StateSpace::shared_cta:
    case StateSpace::shared_cluster: return shared_region(*warp.block, address, origin);
    case StateSpace::local: {
      auto &memory = warp.local[lane], &defined = warp.local_defined[lane];
      return {memory.data(), defined.empty() ? nullptr : defined.data(), origin, memory.size()};
    }
    case StateSpace::constant: {
      const Program::ConstantVariable* variable = constant_before(address - origin);
      if (!variable) return {};
      return {constants_.data() + variable->address, nullptr, origin + variable->address, variable->bytes};
    }
    // The launch's parameters are read-only: only loads reach this.
    case StateSpace::param: return {parameters_.data(), nullptr, origin, parameters_.size()};
    default: return global_.find(address);
  }
}

/// The last variable that begins at this offset or before; null if there is none.
const Program::ConstantVariable* AddressSpace::constant_before(std::uint64_t offset) const {
  const auto after =
      std::ranges::upper_bound(constant_variables_, offset, {}, &Program::ConstantVariable::address);
  return after == constant_variables_.begin() ? nullptr : &*std::prev(after);
}

void AddressSpace::find_common(WarpAccess& access) {
  const Addresses& at = access.at;
  if ((at.bits & (access.bytes - 1)) != 0) return;
  if (access.space == StateSpace::shared_cta && at.high <= isa::shared_offset_mask)
    return find_common_shared(access);
  if (owner(access.space, at.low) == StateSpace::local || at.high - at.low > isa::window_size ||
      (access.writes && !writable(access.space, at.low)))
    return;
  const Region found = region(access.warp, access.space, at.low, 0);
  if (!found.host || !found.contains(at.low, at.high - at.low + access.bytes)) return;
  access.host = found.host - found.begin;
  access.defined = found.defined ? found.defined - found.begin : nullptr;
}

// The same for the executing block's own shared memory.
void AddressSpace::find_common_shared(WarpAccess& access) const {
  Block& block = *access.warp.block;
  const std::uint64_t end = access.at.high + access.bytes;
  for (const SharedRegion& region : shared_.regions) {
    if (access.at.low < region.address || end > std::uint64_t{region.address} + region.bytes) continue;
    access.host = block.shared.data() + region.host - region.address;
    access.defined =
        block.shared_defined.empty() ? nullptr : block.shared_defined.data() + region.host - region.address;
    return;
  }
}

void AddressSpace::resolve(WarpAccess& access, const char* what, std::uint32_t alignment) {
  const Addresses& at = access.at;
  LaneMask outside = 0, misaligned = 0;
  Region last;
  const bool per_lane = access.space == StateSpace::local || access.space == StateSpace::none;
  for_lanes(access.valid, [&](unsigned lane) {
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
  access.valid &= ~(outside | misaligned);
  report(Kind::misaligned, access, misaligned, [&] {
    return fmt::format("a {} of {} bytes at {} address {:#x} is not aligned to {} bytes", what, access.bytes,
                       space_name(access.space), at[first_lane(misaligned)], alignment);
  });
  report(Kind::out_of_bounds, access, outside, [&] {
    return fmt::format("a {} of {} bytes in {} memory begins {}", what, access.bytes,
                       space_name(access.space),
                       describe(access.space, at[first_lane(outside)], access.bytes));
  });
}

StateSpace AddressSpace::owner(StateSpace space, std::uint64_t address) {
  if (space != StateSpace::none) return space;
  switch (address >> isa::window_bits) {
    case isa::shared_window >> isa::window_bits: return StateSpace::shared_cta;
    case isa::local_window >> isa::window_bits: return StateSpace::local;
    case isa::constant_window >> isa::window_bits: return StateSpace::constant;
    case isa::param_window >> isa::window_bits: return StateSpace::param;
    default: return StateSpace::global;
  }
}

// Constants and launch parameters are read-only.
bool AddressSpace::writable(StateSpace space, std::uint64_t address) {
  const StateSpace in = owner(space, address);
  return in != StateSpace::constant && in != StateSpace::param;
}

std::string AddressSpace::describe(StateSpace space, std::uint64_t address, std::uint32_t bytes) const {
  if (is_shared(space, address)) return describe_shared(address, bytes);
  const StateSpace in = owner(space, address);
  if (in == StateSpace::global) return global_.describe(address, bytes);
  const auto offset =
      static_cast<std::int64_t>(space == StateSpace::none ? address % isa::window_size : address);
  const Program::ConstantVariable* constant =
      in == StateSpace::constant ? constant_before(static_cast<std::uint64_t>(offset)) : nullptr;
  if (constant)
    return relative_to(fmt::format("{} ({} bytes)", constant->name, constant->bytes),
                       offset - static_cast<std::int64_t>(constant->address), bytes, constant->bytes);
  if (in == StateSpace::local)
    return fmt::format("at offset {} of the thread's local memory, which is unallocated", offset);
  return fmt::format("at offset {} of {} memory, which is unallocated or read-only", offset, space_name(in));
}

std::string AddressSpace::describe_shared(std::uint64_t address, std::uint32_t bytes) const {
  const auto place = static_cast<std::int64_t>(address & isa::shared_offset_mask);
  const SharedRegion* nearest = nullptr;
  std::int64_t distance = 0;
  for (const SharedRegion& region : shared_.regions) {
    const std::int64_t from = place - region.address;
    const std::int64_t past = from < 0 ? -from : from - region.bytes;
    if (nearest && past >= distance) continue;
    nearest = &region;
    distance = past;
  }
  if (!nearest) return fmt::format("at offset {:#x}, where the block has no shared memory", place);
  return relative_to(fmt::format("{} ({} bytes)", nearest->variable->name, nearest->bytes),
                     place - nearest->address, bytes, nearest->bytes);
}

// Loops may make the same invalid access millions of times: the sentence is made only once.
void AddressSpace::report(Kind kind, WarpAccess& access, LaneMask lanes,
                          const std::function<std::string()>& sentence) {
  if (lanes == 0) return;
  const bool can_go_on = access.i.action == isa::Action::load || access.i.action == isa::Action::store;
  const bool is_accepted = can_go_on && findings_.accepts(kind, access.i);
  if (is_accepted) access.accepted |= lanes;
  if (!findings_.is_first(kind, access.i)) return;
  Finding finding = findings_.make(kind, access.i, sentence());
  constexpr std::size_t most_threads = 8;
  for_lanes(lanes, [&](unsigned lane) {
    if (finding.threads.size() < most_threads) finding.threads.push_back(geometry_.thread(access.warp, lane));
  });
  if (is_accepted)
    findings_.add_accepted(std::move(finding));
  else
    findings_.add(std::move(finding));
}

std::byte* AddressSpace::map_of(const WarpAccess& access, unsigned lane) {
  const std::uint64_t address = access.at[lane];
  const Region found = region(access.warp, access.space, address, lane);
  return found.defined ? found.defined + (address - found.begin) : nullptr;
}

std::byte* AddressSpace::make_map(const WarpAccess& access, unsigned lane) {
  global_.map_definedness(access.at[lane]);
  return map_of(access, lane);
}

Place AddressSpace::place(const Warp& warp, StateSpace space, std::uint64_t address, unsigned lane) {
  const StateSpace in = owner(space, address);
  if (in == StateSpace::local)
    return {local_memory(warp.block->number, warp.index * isa::warp_size + lane), address % isa::window_size};
  if (in != StateSpace::shared_cta && in != StateSpace::shared_cluster) return {global_memory, address};
  const auto [block, offset] = shared_place(warp, address);
  return {shared_memory(block), offset};
}

AddressSpace::SharedPlace AddressSpace::shared_place(const Warp& warp, std::uint64_t address) {
  const BlockNumber own = warp.block->number;
  const std::uint64_t rank = address % isa::window_size >> isa::shared_rank_shift;
  return {rank == 0 ? own : own - warp.block->rank + rank - 1, address & isa::shared_offset_mask};
}

std::string AddressSpace::name_at(bool shared, std::uint64_t address) const {
  if (!shared) return global_.name_at(address);
  const std::uint64_t place = address & isa::shared_offset_mask;
  for (const SharedRegion& region : shared_.regions)
    if (region.contains(place))
      return region.variable->dynamic ? region.variable->name
                                      : "the shared variable " + region.variable->name;
  return "shared memory";
}

}  // namespace foldproof::emulated
