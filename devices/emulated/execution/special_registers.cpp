// The values of special registers.
#include <algorithm>
#include <array>
#include <cstring>

#include "devices/emulated/execution/executor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

// Values of an H200: warps per multiprocessor, and the allocation granularity of shared memory in bytes.
constexpr std::uint32_t warps_each = 64;
constexpr std::uint32_t shared_unit = 128;

std::uint32_t component(const Dim3& d, unsigned k) { return k == 0 ? d.x : k == 1 ? d.y : d.z; }

Dim3 divide(const Dim3& a, const Dim3& b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
Dim3 modulo(const Dim3& a, const Dim3& b) { return {a.x % b.x, a.y % b.y, a.z % b.z}; }

/// Registers .x, .y and .z for each extent or index of a block in a launch.
constexpr struct {
  SpecialRegister x;
  Dim3 (*value)(const Geometry&, const Block&);
} triples[] = {
    {SpecialRegister::ntid_x, [](const Geometry& g, const Block&) { return g.shape().block; }},
    {SpecialRegister::ctaid_x, [](const Geometry&, const Block& b) { return b.index; }},
    {SpecialRegister::nctaid_x, [](const Geometry& g, const Block&) { return g.shape().grid; }},
    {SpecialRegister::cluster_ctaid_x,
     [](const Geometry& g, const Block& b) { return modulo(b.index, g.cluster()); }},
    {SpecialRegister::cluster_nctaid_x, [](const Geometry& g, const Block&) { return g.cluster(); }},
    {SpecialRegister::clusterid_x,
     [](const Geometry& g, const Block& b) { return divide(b.index, g.cluster()); }},
    {SpecialRegister::nclusterid_x,
     [](const Geometry& g, const Block&) { return divide(g.shape().grid, g.cluster()); }},
};

template <auto f>
constexpr auto by_lane = [] {
  std::array<std::uint32_t, isa::warp_size> values{};
  for (unsigned lane = 0; lane < isa::warp_size; ++lane) values[lane] = f(lane);
  return values;
}();

}  // namespace

// Registers that differ by lane: their values by lane; null for others.
const std::uint32_t* Executor::special_of_lanes(const Warp& warp, SpecialRegister special) const {
  using R = SpecialRegister;
  switch (special) {
    case R::tid_x: return parts_.geometry.thread_indices(0, warp.index);
    case R::tid_y: return parts_.geometry.thread_indices(1, warp.index);
    case R::tid_z: return parts_.geometry.thread_indices(2, warp.index);
    case R::laneid: return by_lane<[](unsigned lane) { return lane; }>.data();
    case R::lanemask_eq: return by_lane<[](unsigned lane) { return bit(lane); }>.data();
    case R::lanemask_lt: return by_lane<[](unsigned lane) { return lowest_lanes(lane); }>.data();
    case R::lanemask_le: return by_lane<[](unsigned lane) { return lowest_lanes(lane + 1); }>.data();
    case R::lanemask_gt: return by_lane<[](unsigned lane) { return ~lowest_lanes(lane + 1); }>.data();
    case R::lanemask_ge: return by_lane<[](unsigned lane) { return ~lowest_lanes(lane); }>.data();
    default: return nullptr;
  }
}

std::uint64_t Executor::shared_memory_used() const {
  const std::uint64_t bytes =
      std::uint64_t{parts_.program.shared_static_bytes(parts_.entry)} + parts_.geometry.shape().shared_bytes;
  return (bytes + shared_unit - 1) / shared_unit * shared_unit;
}

// Registers for the position of a block in the grid, and for sizes.
std::uint64_t Executor::special_of_place(const Block& block, SpecialRegister special) const {
  using R = SpecialRegister;
  for (const auto& [x, value] : triples)
    if (const unsigned k = static_cast<unsigned>(special) - static_cast<unsigned>(x); k < 3)
      return component(value(parts_.geometry, block), k);
  switch (special) {
    case R::cluster_ctarank: return block.rank;
    case R::cluster_nctarank: return parts_.geometry.cluster().volume();
    case R::is_explicit_cluster: return parts_.geometry.clustered();
    default: return 0;
  }
}

// A block may share it with its neighbour, or with a block that runs much later.
std::uint64_t Executor::multiprocessor_of(const Block& block) const {
  const std::uint64_t placement = parts_.choices.placement() % multiprocessors;
  return (placement == 0 ? block.linear : block.linear / 2 + placement) % multiprocessors;
}

// Unique in a block, but not always consecutive: rotates the bits of the index and flips some.
std::uint64_t Executor::warpid_of(const Warp& warp) const {
  constexpr unsigned bits = 6;
  static_assert(warps_each == 1U << bits);
  const std::uint64_t placement = parts_.choices.placement(), index = warp.index;
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // small seeds differ in the upper bits
  const auto by = static_cast<unsigned>((placement * golden_ratio >> 32) % bits);
  return ((index << by | index >> (bits - by)) ^ placement) % warps_each;
}

// Registers that all lanes of a warp share.
std::uint64_t Executor::special_of_warp(const Warp& warp, SpecialRegister special) const {
  using R = SpecialRegister;
  // The clock counts the launch's warp instructions, so it is the same on every host.
  const std::uint64_t clock = parts_.progress.warp_instructions();
  switch (special) {
    case R::warpid: return warpid_of(warp);
    case R::nwarpid: return warps_each;
    case R::smid: return multiprocessor_of(*warp.block);
    case R::nsmid: return multiprocessors;
    case R::gridid: return 1;
    case R::clock:
    case R::globaltimer_lo: return clock & 0xffffffff;
    case R::clock_hi:
    case R::globaltimer_hi: return clock >> 32;
    case R::clock64:
    case R::globaltimer: return clock;
    case R::dynamic_smem_size: return parts_.geometry.shape().shared_bytes;
    case R::total_smem_size: return shared_memory_used();
    case R::aggr_smem_size: return shared_memory_used() + reserved_shared_bytes;
    case R::reserved_smem_begin:
    case R::reserved_smem_0: return reserved_shared_address;
    case R::reserved_smem_1: return reserved_shared_address + reserved_shared_bytes / 2;
    case R::reserved_smem_end: return reserved_shared_address + reserved_shared_bytes;
    case R::reserved_smem_cap: return reserved_shared_bytes;
    case R::envreg1: return parts_.addresses.workspace() >> 32;
    case R::envreg2: return parts_.addresses.workspace() & 0xffffffff;
    default: return special_of_place(*warp.block, special);
  }
}

void Executor::read_special(const Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  if (detail.special >= SpecialRegister::clock && detail.special <= SpecialRegister::globaltimer_hi)
    parts_.progress.changed();
  const std::uint32_t* by_lane = special_of_lanes(warp, detail.special);
  const std::uint64_t shared = by_lane ? 0 : special_of_warp(warp, detail.special);
  std::byte* registers = frame.registers();
  if (detail.register_bytes == 0) {
    LaneMask& mask = isa::mask(registers, i.operand[0]);
    mask = shared != 0 ? mask | lanes : mask & ~lanes;
    return;
  }
  if (lanes == all_lanes && detail.register_bytes == 4) {
    auto* row = isa::row<std::uint32_t>(registers, i.operand[0]);
    if (by_lane)
      std::copy_n(by_lane, isa::warp_size, row);
    else
      std::fill_n(row, isa::warp_size, static_cast<std::uint32_t>(shared));
    return;
  }
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t value = by_lane ? by_lane[lane] : shared;
    std::memcpy(registers + i.operand[0] + lane * detail.register_bytes, &value, detail.register_bytes);
  });
}

}  // namespace foldproof::emulated
