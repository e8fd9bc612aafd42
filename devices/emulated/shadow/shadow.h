// The executor's interface to shadow state: it reports each effect here, and the call is forwarded to the
// owners that this launch has.
//
//   executor ──effect──► Shadow ─┬─► Definedness   if undefined values are tracked
//                                ├─► Provenance    if values are traced back to the input
//                                └─► Coverage      if branches and comparisons are recorded
//
// Calls are forwarded only to owners that exist, so a launch without owners has almost no overhead.
#pragma once

#include <span>

#include "devices/emulated/coverage/coverage.h"
#include "devices/emulated/shadow/definedness.h"
#include "devices/emulated/shadow/effects.h"
#include "devices/emulated/shadow/provenance.h"

namespace foldproof::emulated {

class Shadow {
 public:
  /// Null if this launch has no such owner; all must outlive this object.
  Shadow(Definedness* definedness, Provenance* provenance, Coverage* coverage)
      : definedness_(definedness), provenance_(provenance), coverage_(coverage) {}

  Definedness* definedness() const { return definedness_; }
  Coverage* coverage() const { return coverage_; }
  /// Also null once the provenance is incomplete.
  Provenance* provenance() const { return provenance_ && provenance_->complete() ? provenance_ : nullptr; }

  void block_begins(Block& block) {
    if (definedness_) definedness_->block_begins(block);
  }
  void frame_begins(Warp& warp, Frame& frame, LaneMask lanes) {
    if (definedness_) definedness_->frame_begins(warp, frame, lanes);
  }

  void decided(const Decision& decision) {
    if (definedness_ && decision.frame.undefined.any()) definedness_->decided(decision);
    if (traces(decision.of))
      if (Provenance* p = provenance()) p->decided(decision.frame, decision.row, decision.lanes);
  }
  void loaded(WarpAccess& access) {
    each([&](auto& owner) { owner.loaded(access); });
  }
  void storing(WarpAccess& access) {
    each([&](auto& owner) { owner.storing(access); });
  }
  void updating(WarpAccess& access, const AtomicStep& step) {
    if (definedness_ && (access.hosts.defined[step.lane] || access.frame.undefined.any()))
      definedness_->updating(access, step);
    if (Provenance* p = provenance()) p->updating(access, step);
  }
  void slot_accessed(Frame& frame, const Instruction& i, const MachineOperands& detail, LaneMask lanes) {
    each([&](auto& owner) { owner.slot_accessed(frame, i, detail, lanes); });
  }
  /// `initializes`: mbarrier.init; all other instructions require an object.
  void mbarrier_accessed(const WarpAccess& access, bool initializes) {
    if (definedness_) definedness_->mbarrier_accessed(access, initializes);
  }
  void matrix_moved(const WarpAccess& access, const MatrixPart& part) {
    if (definedness_) definedness_->matrix_moved(access, part);
  }
  void multiplying(Frame& frame, const Instruction& i, LaneMask lanes) {
    if (definedness_ && frame.undefined.any()) definedness_->computing(frame, i, lanes, lanes);
  }
  void routed(const LaneRouting& routing) {
    each([&](auto& owner) { owner.routed(routing); });
  }
  void gathered(const Gather& gather) {
    each([&](auto& owner) { owner.gathered(gather); });
  }
  /// The lanes' columns of these rows receive values that are defined and do not depend on the input. A row
  /// may be isa::no_operand.
  void fresh(Frame& frame, std::span<const std::uint32_t> rows, LaneMask lanes) {
    if (!frame.undefined.any() && !frame.nodes.any()) return;
    for (const std::uint32_t row : rows) {
      if (row == isa::no_operand) continue;
      Definedness::fresh(frame, row, lanes);
      Provenance::fresh(frame, row, lanes);
    }
  }
  void moved(Frame& to, std::uint32_t target, Frame& from, std::uint32_t source, LaneMask lanes) {
    Definedness::moved(to, target, from, source, lanes);
    Provenance::moved(to, target, from, source, lanes);
  }
  void issued(const WarpAccess& source, CopyInFlight& copy, unsigned lane, std::uint32_t bytes) {
    each([&](auto& owner) { owner.issued(source, copy, lane, bytes); });
  }
  /// The source of a copy changed before the copy was delivered.
  void overwritten(const Warp& warp, const CopyInFlight& copy, unsigned lane) {
    if (definedness_) definedness_->overwritten(warp, copy, lane);
  }
  void undelivered(const Warp& warp, const CopyInFlight& copy, unsigned lane) {
    if (definedness_) definedness_->undelivered(warp, copy, lane);
  }
  void delivered(const Warp& warp, const CopyInFlight& copy, unsigned lane) {
    each([&](auto& owner) { owner.delivered(warp, copy, lane); });
  }
  void printed(const Warp& warp, const Instruction& i, unsigned lane, const Region& region,
               std::uint64_t address, std::uint32_t bytes) {
    if (definedness_) definedness_->printed(warp, i, lane, region, address, bytes);
  }

 private:
  /// Calls report(owner) for each owner of values; incomplete provenance is not extended.
  template <class Report>
  void each(Report report) {
    if (definedness_) report(*definedness_);
    if (Provenance* p = provenance()) report(*p);
  }
  /// A load or store handles its address itself; masks and barriers only determine which lanes wait for each
  /// other.
  static bool traces(Decision::Of of) {
    return of != Decision::Of::address && of != Decision::Of::member_mask &&
           of != Decision::Of::barrier_number;
  }

  Definedness* definedness_;
  Provenance* provenance_;
  Coverage* coverage_;
};

}  // namespace foldproof::emulated
