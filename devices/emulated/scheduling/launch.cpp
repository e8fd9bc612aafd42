#include "devices/emulated/scheduling/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/interrupts.h"

namespace foldproof::emulated {

Launch::Launch(const Program& program, const FunctionCode& entry, Memory& memory, SpareClusters& spare,
               const LaunchShape& shape, std::vector<std::byte> parameters, const Schedule& schedule,
               const Limits& limits, const Observers& observers, const LaunchOwners& owners)
    : limits_(limits),
      accepts_(owners.accepts),
      fill_(owners.origins ? owners.origins->fill.value_or(UndefinedFill{}) : UndefinedFill{}),
      geometry_(shape),
      shared_memory_(program, entry, shape.shared_bytes),
      choices_(schedule),
      findings_(program, accepts_),
      residency_(geometry_, entry, shared_memory_, choices_.lane_by_lane(), fill_, progress_, spare,
                 [this](Block& block) {
                   events_.block_begins(block);
                   shadow_.block_begins(block);
                 }),
      addresses_(program, geometry_, shared_memory_, memory, std::move(parameters), residency_, findings_),
      events_(program, geometry_, addresses_, observers),
      shadow_(owners.origins
                  ? &definedness_.emplace(*owners.origins, program, geometry_, addresses_, findings_, fill_)
                  : nullptr,
              owners.provenance ? &provenance_.emplace(*owners.provenance) : nullptr, owners.coverage),
      parts_{program, entry, geometry_, fill_, choices_, progress_, findings_, addresses_, events_, shadow_},
      executor_(parts_),
      scheduler_(choices_, events_),
      livelock_(parts_, residency_, executor_) {}

LaunchReport Launch::run() {
  events_.launch_begins();
  LaunchReport report;
  try {
    residency_.admit();
    while (!residency_.clusters().empty()) run_round();
  } catch (const LaunchEnded&) {
    report.completed = false;
    for (const auto& cluster : residency_.clusters())
      for (const auto& block : cluster->blocks)
        if (block->started) events_.emit_pending(*block);
  }
  std::vector<Finding> seen = events_.launch_ends();
  report.completed &= !findings_.has_spoilt_memory() && std::ranges::none_of(seen, is_fatal, &Finding::kind);
  report.findings = findings_.take();
  std::ranges::move(seen, std::back_inserter(report.findings));
  report.warp_instructions = progress_.warp_instructions();
  report.printed = executor_.take_printed();
  return report;
}

// Every resident block gets a turn. If none can run, the launch is deadlocked.
void Launch::run_round() {
  bool moved = run_all_blocks();
  if (residency_.clusters().empty()) return;
  // Random choices may have missed the only block that can run: every block gets a turn before a deadlock is
  // reported.
  if (!moved && choices_.is_random())
    for (const auto& cluster : residency_.clusters())
      for (const auto& block : cluster->blocks) moved |= run_block(*block);
  residency_.refresh();
  if (!moved && !residency_.clusters().empty()) livelock_.report(Kind::deadlock, "no thread can run");
  livelock_.watch();
}

// Returns whether any block made progress.
bool Launch::run_all_blocks() {
  bool moved = false;
  const auto& clusters = residency_.clusters();
  for (std::size_t turn = 0; turn < clusters.size(); ++turn) {
    std::size_t k = choices_.backward() ? clusters.size() - 1 - turn : turn;
    if (choices_.is_random()) k = choices_.draw() % clusters.size();
    Cluster& cluster = *clusters[k];
    for (const auto& block : cluster.blocks) moved |= run_block(*block);
    if (cluster.live_blocks != 0) continue;
    residency_.retire(k);
    moved = true;
    if (clusters.empty()) break;
    turn -= 1;  // the cluster now at this index has not had its turn in this round
  }
  return moved;
}

// A block starts at its first turn.
bool Launch::run_block(Block& block) {
  if (end_reason() != EndReason::none) throw Interrupted{};
  if (!block.started) residency_.start(block);
  if (block.live_warps == 0) return false;
  std::uint64_t left = scheduler_.quantum(Scheduler::block_quantum);
  bool moved = false;
  const auto warps = static_cast<unsigned>(block.warps.size());
  for (unsigned idle = 0; idle < warps && left > 0 && block.live_warps != 0;) {
    unsigned w = block.next_warp;
    block.next_warp = (block.next_warp + 1) % warps;
    if (choices_.backward()) w = warps - 1 - w;
    Warp& warp = *block.warps[w];
    const std::uint64_t before = progress_.time();
    if (!warp.done()) run_warp(warp, std::min(left, scheduler_.quantum(Scheduler::warp_quantum)));
    const std::uint64_t spent = progress_.time() - before;
    left -= std::min(left, spent);
    idle = spent == 0 ? idle + 1 : 0;
    moved |= spent != 0;
    if (progress_.warp_instructions() > limits_.warp_instructions) report_timeout(warp);
    end_if_overlong();
  }
  return moved;
}

// What a thread read out of bounds may be the bound of a loop. Other findings have usually come by then.
void Launch::end_if_overlong() {
  constexpr std::uint64_t most_instructions_after = 1'000'000;
  if (!findings_.may_not_end()) return;
  if (!spoilt_at_) spoilt_at_ = progress_.warp_instructions();
  if (progress_.warp_instructions() > *spoilt_at_ + most_instructions_after) throw LaunchEnded{};
}

// Reports the instruction of the group with the most expired time slices.
void Launch::report_timeout(const Warp& warp) {
  const auto longest = std::ranges::max_element(warp.groups, {}, &DivergentGroup::expired_slices);
  const Instruction& where =
      longest == warp.groups.end() ? parts_.entry.instructions.front() : longest->instruction();
  findings_.end(
      findings_.make(Kind::timeout, where,
                     fmt::format("{} {} warp instructions", end_was_not_reached, limits_.warp_instructions)));
}

void Launch::run_warp(Warp& warp, std::uint64_t budget) {
  const std::uint64_t end_at = progress_.time() + budget;
  while (progress_.time() < end_at && !warp.done()) {
    const DivergentGroup* group = scheduler_.choose(warp);
    if (!group) return;
    const auto index = static_cast<std::size_t>(group - warp.groups.data());
    if (choices_.is_random()) scheduler_.divide_at_random(warp, index);
    const std::uint64_t quantum =
        std::min(end_at - progress_.time(), scheduler_.quantum(Scheduler::group_quantum));
    executor_.run(warp, index, quantum);
  }
}

}  // namespace foldproof::emulated
