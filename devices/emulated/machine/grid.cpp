// Who runs: blocks through their window, warps within a block, splits within a warp.
#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

namespace foldproof::machine {
namespace {

constexpr std::size_t resident_blocks = 64;    // of a launch that is not cooperative
constexpr std::uint64_t split_quantum = 4096;  // warp instructions, polls counting for many
constexpr std::uint64_t warp_quantum = 16384;
constexpr std::uint64_t block_quantum = 131072;
constexpr std::uint64_t workspace_bytes = 256;  // of cooperative groups' grid barrier

using Order = Schedule::Order;

/// The counter of cooperative groups' grid barrier, for the time of a launch.
class Workspace {
 public:
  explicit Workspace(Memory& memory)
      : memory_(memory), address_(memory.allocate(workspace_bytes, "the grid barrier")) {
    const Region region = memory.find(address_);
    std::fill_n(region.host, region.bytes, std::byte{0});
    memory.define(address_, workspace_bytes);
  }
  ~Workspace() { memory_.free(address_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  std::uint64_t address() const { return address_; }

 private:
  Memory& memory_;
  std::uint64_t address_;
};

Dim3 unflatten(std::uint64_t linear, const Dim3& extent) {
  return {static_cast<std::uint32_t>(linear % extent.x),
          static_cast<std::uint32_t>(linear / extent.x % extent.y),
          static_cast<std::uint32_t>(linear / extent.x / extent.y)};
}

Dim3 cluster_extent(const LaunchShape& shape) { return shape.cluster.x != 0 ? shape.cluster : Dim3{1, 1, 1}; }

Dim3 cluster_counts(const LaunchShape& shape) {
  const Dim3 extent = cluster_extent(shape);
  return {shape.grid.x / extent.x, shape.grid.y / extent.y, shape.grid.z / extent.z};
}

}  // namespace

Grid::Grid(const Program& program, const Code& entry, Memory& memory, const LaunchShape& shape,
           std::vector<std::byte> parameters, const Schedule& schedule, const Limits& limits,
           const Observers& observers, Origins* origins, Provenance* provenance)
    : program_(program),
      entry_(entry),
      memory_(memory),
      shape_(shape),
      parameters_(std::move(parameters)),
      schedule_(schedule),
      limits_(limits),
      random_(schedule.seed),
      origins_(origins),
      provenance_(provenance),
      filling_(origins ? origins->filling.value_or(Filling{}) : Filling{}),
      constants_(program.constants),
      clusters_total_(shape.grid.volume() / cluster_extent(shape).volume()) {
  if (provenance) provenance->memory.forget_blocks();
  const std::uint64_t warps = (shape.block.volume() + isa::warp_size - 1) / isa::warp_size;
  for (std::uint64_t thread = 0; thread < warps * isa::warp_size; ++thread) {
    const Dim3 at = unflatten(thread, shape.block);
    threads_[0].push_back(at.x);
    threads_[1].push_back(at.y);
    threads_[2].push_back(at.z);
  }
  for (const SharedVariable& variable : program.shared) {
    if (!variable.entry.empty() && variable.entry != entry.name) continue;
    const std::uint32_t bytes = variable.dynamic ? shape.shared_bytes : variable.bytes;
    shared_.push_back({variable.address, bytes, shared_bytes_, &variable});
    shared_bytes_ += (bytes + 15) / 16 * 16;
  }
  for (const auto& observer : observers)
    if (observer->watches(*this)) observers_.push_back(observer.get());
  std::ranges::copy_if(observers_, std::back_inserter(of_accesses_), &Observer::wants_accesses);
  std::ranges::copy_if(observers_, std::back_inserter(of_barriers_), &Observer::wants_barriers);
  std::ranges::copy_if(observers_, std::back_inserter(of_executions_), &Observer::wants_executions);
}

LaunchReport Grid::run() {
  std::optional<Workspace> workspace;
  if (shape_.cooperative) workspace_ = workspace.emplace(memory_).address();
  for (Observer* observer : observers_) observer->launch_begins(*this);
  try {
    admit();
    while (!resident_.empty()) run_blocks();
  } catch (const LaunchEnded&) {
    announce_untold();
  }
  for (Observer* observer : observers_)
    for (Finding& finding : observer->launch_ends()) report_.findings.push_back(std::move(finding));
  return std::move(report_);
}

bool Grid::lane_by_lane() const {
  return schedule_.order == Order::lanes_forward || schedule_.order == Order::lanes_backward;
}

// Short and long slices alike: most switches come early, some runs go to the end.
std::uint64_t Grid::random_quantum(std::uint64_t usual) {
  return std::uint64_t{1} << (random_() % std::bit_width(usual));
}

void Grid::admit() {
  const std::size_t blocks = cluster_extent(shape_).volume();
  const std::size_t window =
      shape_.cooperative ? clusters_total_ : std::max<std::size_t>(1, resident_blocks / blocks);
  while (resident_.size() < window && next_cluster_ < clusters_total_)
    resident_.push_back(new_cluster(next_cluster_++));
}

std::unique_ptr<Cluster> Grid::new_cluster(std::uint64_t number) {
  const Dim3 extent = cluster_extent(shape_);
  std::unique_ptr<Cluster> cluster;
  if (spare_.empty()) {
    cluster = std::make_unique<Cluster>();
  } else {
    cluster = std::move(spare_.back());
    spare_.pop_back();
  }
  cluster->number = number;
  cluster->index = unflatten(number, cluster_counts(shape_));
  cluster->phase = 0;
  cluster->arrived.clear();
  cluster->blocks.resize(extent.volume());
  cluster->live_blocks = static_cast<unsigned>(extent.volume());
  for (std::uint32_t rank = 0; rank < extent.volume(); ++rank) {
    if (!cluster->blocks[rank]) cluster->blocks[rank] = std::make_unique<Block>();
    Block& block = *cluster->blocks[rank];
    block.index = block_index(number, rank);
    block.linear = block.index.x + std::uint64_t{shape_.grid.x} *
                                       (block.index.y + std::uint64_t{shape_.grid.y} * block.index.z);
    block.cluster = cluster.get();
    block.rank = rank;
    block.number = number * extent.volume() + rank;
    block.started = false;
  }
  return cluster;
}

Dim3 Grid::block_index(std::uint64_t cluster, std::uint32_t rank) const {
  const Dim3 extent = cluster_extent(shape_);
  const Dim3 outside = unflatten(cluster, cluster_counts(shape_)), inside = unflatten(rank, extent);
  return {outside.x * extent.x + inside.x, outside.y * extent.y + inside.y, outside.z * extent.z + inside.z};
}

void Grid::start(Block& block) {
  block.started = true;
  for (Observer* observer : observers_) observer->block_begins(block.number);
  ++changes_;
  block.next_warp = 0;
  block.shared.resize(shared_bytes_);
  fill_undefined(block.shared, filling(), shared_memory(block.number), 0);
  if (tracks()) {
    forget_stored(block);
    block.shared_defined.assign(shared_bytes_, std::byte{0});
    for (const SharedRegion& region : shared_)  // the system's own is ready for use
      if (region.address == reserved_shared_address)
        std::fill_n(block.shared_defined.begin() + region.host, region.bytes, std::byte{0xff});
  }
  for_lanes(block.barriers_in_use, [&](unsigned number) { block.barriers[number].reset(); });
  block.barriers_in_use = 0;
  const auto threads = static_cast<unsigned>(shape_.block.volume());
  const unsigned warps = (threads + isa::warp_size - 1) / isa::warp_size;
  block.live_warps = warps;
  block.warps.resize(warps);
  for (unsigned w = 0; w < warps; ++w) {
    if (!block.warps[w]) block.warps[w] = std::make_unique<Warp>();
    const unsigned lanes = std::min(threads - w * isa::warp_size, isa::warp_size);
    const LaneMask existing = lowest_lanes(lanes);
    Warp& warp = *block.warps[w];
    warp.reset(block, w, existing, entry_, lane_by_lane(), filling());
    if (tracks()) begin_undefined(warp, *warp.splits.front().frame, existing);
  }
}

// One round: every resident block gets a slice. Nobody able to run is a deadlock.
void Grid::run_blocks() {
  bool moved = false;
  const bool backward = schedule_.order == Order::warps_backward;
  for (std::size_t turn = 0; turn < resident_.size(); ++turn) {
    std::size_t k = backward ? resident_.size() - 1 - turn : turn;
    if (schedule_.order == Order::random) k = random_() % resident_.size();
    Cluster& cluster = *resident_[k];
    for (auto& block : cluster.blocks) {
      if (!block->started) start(*block);
      if (block->live_warps != 0) moved |= run_block(*block);
    }
    if (cluster.live_blocks == 0) {
      retire(k);
      moved = true;
      if (resident_.empty()) return;
      turn -= 1;  // whoever took the place has not had this turn yet
    }
  }
  // A random choice may have missed the only block that can run: look at all before calling it a deadlock.
  if (!moved && schedule_.order == Order::random)
    for (auto& cluster : resident_)
      for (auto& block : cluster->blocks) {
        if (!block->started) start(*block);
        if (block->live_warps != 0) moved |= run_block(*block);
      }
  std::erase_if(resident_, [&](auto& cluster) { return cluster->live_blocks == 0; });
  admit();
  if (!moved && !resident_.empty()) report_deadlock(Kind::deadlock, "nothing can run any more");
  watch_for_livelock();
}

void Grid::retire(std::size_t k) {
  spare_.push_back(std::move(resident_[k]));
  resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(k));
  admit();
}

bool Grid::run_block(Block& block) {
  std::uint64_t left = quantum(block_quantum);
  bool moved = false;
  const auto warps = static_cast<unsigned>(block.warps.size());
  for (unsigned idle = 0; idle < warps && left > 0 && block.live_warps != 0;) {
    unsigned w = block.next_warp;
    block.next_warp = (block.next_warp + 1) % warps;
    if (schedule_.order == Order::warps_backward) w = warps - 1 - w;
    Warp& warp = *block.warps[w];
    const std::uint64_t before = time();
    if (!warp.done()) run_warp(warp, std::min(left, quantum(warp_quantum)));
    const std::uint64_t spent = time() - before;
    left -= std::min(left, spent);
    idle = spent == 0 ? idle + 1 : 0;
    moved |= spent != 0;
    if (report_.warp_instructions > limits_.warp_instructions) report_timeout(warp);
  }
  return moved;
}

// Where the lanes stand that have run longest without an end.
void Grid::report_timeout(const Warp& warp) {
  const auto longest = std::max_element(warp.splits.begin(), warp.splits.end(),
                                        [](const Split& a, const Split& b) { return a.turn < b.turn; });
  const Instruction& where = longest == warp.splits.end() ? entry_.instructions.front() : at(*longest);
  end(make_finding(
      Kind::timeout, where,
      fmt::format("the launch did not end within {} warp instructions", limits_.warp_instructions)));
}

Grid::Slice Grid::run_warp(Warp& warp, std::uint64_t budget) {
  const std::uint64_t end_at = time() + budget;
  Slice slice = Slice::blocked;
  while (time() < end_at) {
    Split* split = choose(warp);
    if (!split) return slice;
    const auto index = static_cast<std::size_t>(split - warp.splits.data());
    if (schedule_.order == Order::random) divide_at_random(warp, index);
    const std::uint64_t slice_quantum = std::min(end_at - time(), quantum(split_quantum));
    slice = run_split(warp, index, slice_quantum);
    if (warp.done()) return Slice::ended;
  }
  return slice;
}

// Whether lanes that wait to reconverge shall go on alone: whoever is on the way may itself wait for them, as
// lanes do that spin for a lock.
bool Grid::impatient(const Split& joining, const Split& ready) {
  constexpr std::uint64_t patience = 16;  // slices
  return ready.turn > joining.turn + patience || (schedule_.order == Order::random && random_() % 16 == 0);
}

// The ready split that goes next: fewest expired slices first, then by the schedule. When nothing is ready,
// or has been for long, lanes that only wait to reconverge go on alone.
Split* Grid::choose_among(Warp& warp) {
  Split* best = nullptr;
  std::uint32_t ready = 0;
  auto rank = [&](const Split& s) {
    const auto lane = first_lane(s.lanes);
    return schedule_.order == Order::lanes_backward ? isa::warp_size - lane : lane;
  };
  for (Split& split : warp.splits) {
    if (split.state != Split::State::ready) continue;
    ++ready;
    if (schedule_.order == Order::random) {
      if (random_() % ready == 0) best = &split;
    } else if (!best || split.turn < best->turn || (split.turn == best->turn && rank(split) < rank(*best))) {
      best = &split;
    }
  }
  for (Split& split : warp.splits) {
    if (split.state != Split::State::joining || (best && !impatient(split, *best))) continue;
    const LaneMask behind = split.join->expected & ~split.join->arrived;
    warp.open(split.join);
    if (behind != 0) announce_departure(warp, warp.splits.back(), behind);
    return &warp.splits.back();
  }
  return best;
}

// Half of the time, some lanes of a split stay behind: nothing promises that lanes move together. A few
// splits part any two lanes often enough, and who holds a lock that many spin for is not chosen once in a
// blue moon.
void Grid::divide_at_random(Warp& warp, std::size_t index) {
  constexpr std::size_t most_splits = 4;
  if (warp.splits.size() >= most_splits) return;
  Split& split = warp.splits[index];
  if (lane_count(split.lanes) < 2 || random_() % 2 == 0) return;
  const auto keep = static_cast<LaneMask>(random_()) & split.lanes;
  if (keep == 0 || keep == split.lanes) return;
  Split other = split;
  other.lanes &= ~keep;
  split.lanes = keep;
  warp.splits.push_back(other);
}

}  // namespace foldproof::machine
