// Emits events to the observers, one warp at a time, in the terms of sanitizer/observer.h, and translates
// their numbers for reports.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/emulated/memory/address_space.h"
#include "devices/emulated/memory/warp_access.h"
#include "devices/emulated/program/program.h"
#include "devices/emulated/state/block.h"
#include "devices/emulated/state/geometry.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

/// Emits the events of one launch to the observers that watch it. Without observers, every emit function
/// returns immediately.
class Events final : private LaunchView {
 public:
  /// All references must outlive this object.
  Events(const Program& program, const Geometry& geometry, const AddressSpace& addresses,
         const Observers& observers);

  /// Whether any observer wants accesses, and whether any wants each executed instruction.
  bool accesses() const { return !of_accesses_.empty(); }
  bool executions() const { return !of_executions_.empty(); }

  void launch_begins() {
    for (Observer* observer : observers_) observer->launch_begins(*this);
  }
  std::vector<Finding> launch_ends();
  void block_begins(const Block& block) {
    for (Observer* observer : observers_) observer->block_begins(block.number);
  }
  void block_ends(const Block& block) {
    for (Observer* observer : observers_) observer->block_ends(block.number);
  }
  void emit_exit(const Warp& warp, LaneMask lanes) {
    for (Observer* observer : observers_) observer->exits({.warp = id(warp), .lanes = lanes});
  }

  void emit_execution(const Warp& warp, const DivergentGroup& group, const Instruction& i, LaneMask active);
  /// The group's lanes diverge at a branch.
  void emit_division(const Warp& warp, const DivergentGroup& group, const Instruction& i);
  /// Lanes of the group continue past the join after a branch without the lanes `missing`.
  void emit_departure(const Warp& warp, const DivergentGroup& group, LaneMask missing);

  /// The event for the access of the valid lanes, with all attributes set.
  static AccessEvent event_of(const WarpAccess& access) {
    return event_of(access.warp, access.detail.attributes, access.at, access.valid);
  }
  static AccessEvent event_of(const Warp& warp, const AccessAttributes& attributes, const Addresses& at,
                              LaneMask lanes) {
    AccessEvent event;
    static_cast<AccessAttributes&>(event) = attributes;
    event.warp = id(warp);
    event.lanes = lanes;
    event.consecutive = at.consecutive;
    event.at = at.at.data();
    return event;
  }
  /// Emits accesses of the event's lanes to `space`. Modifies the event.
  void emit_access(const Warp& warp, isa::StateSpace space, const Addresses& at, AccessEvent& event);
  void emit_access(const WarpAccess& access, AccessEvent& event) {
    emit_access(access.warp, access.space, access.at, event);
  }
  void emit_access(const WarpAccess& access) {
    AccessEvent event = event_of(access);
    emit_access(access, event);
  }
  /// A store, before memory changes.
  void emit_store(const WarpAccess& access);
  /// The same for a simple access (WarpAccess::is_simple), whose bytes begin at `memory` and `registers`.
  void emit_run_store(const WarpAccess& access, const std::byte* memory, const std::byte* registers);
  void emit_fence(const Warp& warp, const Instruction& i, LaneMask lanes);

  /// `threads`: the number of threads to wait for; 0: the whole block.
  void emit_barrier_arrival(const Warp& warp, const DivergentGroup& group, std::uint32_t number,
                            std::uint32_t threads);
  void emit_barrier_completion(Block& block, std::uint32_t number);
  /// Emits arrivals that are still pending when a launch is aborted.
  void emit_pending(Block& block);
  void emit_warp_sync_arrival(const Warp& warp, const DivergentGroup& group, const Instruction& i);
  void emit_warp_sync_completion(const Warp& warp, Members members);
  void emit_cluster_arrival(const Warp& warp, LaneMask lanes, const Instruction& i);
  void emit_cluster_completion(const Cluster& cluster) {
    for (Observer* observer : observers_) observer->cluster_completes(cluster.number);
  }
  void emit_cluster_wait_begin(const Warp& warp, LaneMask lanes, const Instruction& i);
  void emit_cluster_wait(const Warp& warp, LaneMask lanes, const Instruction& i);

 private:
  static WarpId id(const Warp& warp) { return {warp.block->number, warp.index}; }
  void emit_shared(const Warp& warp, AccessEvent& event, LaneMask lanes);
  void emit_pending(Block& block, std::uint32_t number);

  std::uint32_t threads_per_block() const override { return geometry_.threads_per_block(); }
  std::uint32_t blocks_per_cluster() const override { return geometry_.blocks_per_cluster(); }
  std::uint64_t blocks() const override { return geometry_.shape().grid.volume(); }
  Position position(Site site) const override { return program_.position(*program_.sites[site]); }
  bool is_of_cooperative_groups(Site site) const override {
    return program_.is_in(program_.cooperative_groups_files, *program_.sites[site]);
  }
  bool passes_on_by_shuffle(Site site) const override {
    const Instruction& i = *program_.sites[site];
    return i.action == Action::shuffle && program_.is_in(program_.group_barrier_files, i);
  }
  bool has_plain_strong_accesses() const override;
  InstructionClass class_of(Site site) const override;
  ThreadId thread(WarpId warp, unsigned lane) const override { return geometry_.thread(warp, lane); }
  std::string memory_at(bool shared, std::uint64_t address) const override {
    return addresses_.name_at(shared, address);
  }

  const Program& program_;
  const Geometry& geometry_;
  const AddressSpace& addresses_;
  std::vector<Observer*> observers_;  ///< those that watch this launch
  // The observers that want each kind of event:
  std::vector<Observer*> of_accesses_;
  std::vector<Observer*> of_barriers_;
  std::vector<Observer*> of_executions_;
};

}  // namespace foldproof::emulated
