// The special registers: their names in PTX, and what lanes read from them.
#include "devices/emulated/machine/special_registers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "devices/emulated/machine/grid.h"

namespace foldproof::machine {
namespace {

// Of an H200: multiprocessors, warps that each can hold, and the unit of shared memory that it gives to
// blocks.
constexpr std::uint32_t multiprocessors = 132, warps_each = 64;
constexpr std::uint32_t shared_unit = 128;

constexpr SpecialRow special_rows[] = {
#define FOLDPROOF_SPECIAL(name, id, bytes) {name, SpecialRegister::id, bytes},
#include "devices/emulated/machine/special_registers.def"
#include "sanitizer/lane_set.h"
#undef FOLDPROOF_SPECIAL
};

std::uint32_t component(const Dim3& d, unsigned k) { return k == 0 ? d.x : k == 1 ? d.y : d.z; }

Dim3 divide(const Dim3& a, const Dim3& b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
Dim3 modulo(const Dim3& a, const Dim3& b) { return {a.x % b.x, a.y % b.y, a.z % b.z}; }

unsigned offset_in_triple(SpecialRegister id, SpecialRegister first) {
  return static_cast<unsigned>(id) - static_cast<unsigned>(first);
}

template <auto f>
constexpr auto by_lane = [] {
  std::array<std::uint32_t, isa::warp_size> values{};
  for (unsigned lane = 0; lane < isa::warp_size; ++lane) values[lane] = f(lane);
  return values;
}();

}  // namespace

const SpecialRow* special_named(std::string_view name) {
  for (const SpecialRow& row : special_rows)
    if (row.name == name) return &row;
  return nullptr;
}

bool is_foreign_special(std::string_view name) {
  constexpr std::string_view beginnings[] = {"%pm", "%envreg", "%reserved_smem_offset_",
                                             "%current_graph_exec"};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

// Those that differ from lane to lane, by lane; null for others.
const std::uint32_t* Grid::special_of_lanes(const Warp& warp, SpecialRegister special) const {
  using R = SpecialRegister;
  const std::size_t first = warp.index * std::size_t{isa::warp_size};
  switch (special) {
    case R::tid_x: return &threads_[0][first];
    case R::tid_y: return &threads_[1][first];
    case R::tid_z: return &threads_[2][first];
    case R::laneid: return by_lane<[](unsigned lane) { return lane; }>.data();
    case R::lanemask_eq: return by_lane<[](unsigned lane) { return bit(lane); }>.data();
    case R::lanemask_lt: return by_lane<[](unsigned lane) { return lowest_lanes(lane); }>.data();
    case R::lanemask_le: return by_lane<[](unsigned lane) { return lowest_lanes(lane + 1); }>.data();
    case R::lanemask_gt: return by_lane<[](unsigned lane) { return ~lowest_lanes(lane + 1); }>.data();
    case R::lanemask_ge: return by_lane<[](unsigned lane) { return ~lowest_lanes(lane); }>.data();
    default: return nullptr;
  }
}

std::uint64_t Grid::shared_memory_used() const {
  const std::uint64_t bytes = std::uint64_t{program_.shared_static_bytes(entry_)} + shape_.shared_bytes;
  return (bytes + shared_unit - 1) / shared_unit * shared_unit;
}

// Those that say where in the grid a block is, and how large things are.
std::uint64_t Grid::special_of_place(const Block& block, SpecialRegister special) const {
  using R = SpecialRegister;
  const bool clustered = shape_.cluster.x != 0;
  const Dim3 cluster = clustered ? shape_.cluster : Dim3{1, 1, 1};
  const auto triple = [&](R first, const Dim3& d) -> std::uint64_t {
    return component(d, offset_in_triple(special, first));
  };
  switch (special) {
    case R::ntid_x:
    case R::ntid_y:
    case R::ntid_z: return triple(R::ntid_x, shape_.block);
    case R::ctaid_x:
    case R::ctaid_y:
    case R::ctaid_z: return triple(R::ctaid_x, block.index);
    case R::nctaid_x:
    case R::nctaid_y:
    case R::nctaid_z: return triple(R::nctaid_x, shape_.grid);
    case R::cluster_ctaid_x:
    case R::cluster_ctaid_y:
    case R::cluster_ctaid_z: return triple(R::cluster_ctaid_x, modulo(block.index, cluster));
    case R::cluster_nctaid_x:
    case R::cluster_nctaid_y:
    case R::cluster_nctaid_z: return triple(R::cluster_nctaid_x, cluster);
    case R::clusterid_x:
    case R::clusterid_y:
    case R::clusterid_z: return triple(R::clusterid_x, divide(block.index, cluster));
    case R::nclusterid_x:
    case R::nclusterid_y:
    case R::nclusterid_z: return triple(R::nclusterid_x, divide(shape_.grid, cluster));
    case R::cluster_ctarank: return block.rank;
    case R::cluster_nctarank: return cluster.volume();
    case R::is_explicit_cluster: return clustered;
    default: return 0;
  }
}

// Those that all lanes of a warp share.
std::uint64_t Grid::special_of_warp(const Warp& warp, SpecialRegister special) const {
  using R = SpecialRegister;
  // The clock counts the warp instructions of the launch: the same on every host.
  const std::uint64_t clock = report_.warp_instructions;
  switch (special) {
    case R::warpid: return warp.index;
    case R::nwarpid: return warps_each;
    case R::smid: return warp.block->linear % multiprocessors;
    case R::nsmid: return multiprocessors;
    case R::gridid: return 1;
    case R::clock:
    case R::globaltimer_lo: return clock & 0xffffffff;
    case R::clock_hi:
    case R::globaltimer_hi: return clock >> 32;
    case R::clock64:
    case R::globaltimer: return clock;
    case R::dynamic_smem_size: return shape_.shared_bytes;
    case R::total_smem_size: return shared_memory_used();
    case R::aggr_smem_size: return shared_memory_used() + reserved_shared_bytes;
    case R::reserved_smem_begin:
    case R::reserved_smem_0: return reserved_shared_address;
    case R::reserved_smem_1: return reserved_shared_address + reserved_shared_bytes / 2;
    case R::reserved_smem_end: return reserved_shared_address + reserved_shared_bytes;
    case R::reserved_smem_cap: return reserved_shared_bytes;
    case R::envreg1: return workspace_ >> 32;
    case R::envreg2: return workspace_ & 0xffffffff;
    default: return special_of_place(*warp.block, special);
  }
}

void Grid::read_special(const Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  const Detail& detail = program_.details[i.detail];
  if (detail.special >= SpecialRegister::clock && detail.special <= SpecialRegister::globaltimer_hi)
    ++changes_;
  const std::uint32_t* by_lane = special_of_lanes(warp, detail.special);
  const std::uint64_t shared = by_lane ? 0 : special_of_warp(warp, detail.special);
  std::byte* registers = split.frame->registers();
  if (detail.register_bytes == 0) {
    LaneMask& mask = isa::mask(registers, i.operand[0]);
    mask = shared != 0 ? mask | lanes : mask & ~lanes;
    return;
  }
  if (lanes == isa::all_lanes && detail.register_bytes == 4) {
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

}  // namespace foldproof::machine
