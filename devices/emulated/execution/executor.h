// Executes one divergent group of a warp for a time slice, instruction by instruction, and forwards effects
// to the modules that own them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "devices/emulated/synchronization/barriers.h"
#include "devices/emulated/synchronization/parts.h"
#include "devices/emulated/synchronization/warp_sync.h"

namespace foldproof::emulated {

class Executor {
 public:
  explicit Executor(const Parts& parts)
      : parts_(parts), warp_sync_(parts), block_barriers_(parts), cluster_barriers_(parts) {}

  /// Runs the ready group at `index` for at most `quantum` warp instructions; a poll is charged as many
  /// instructions. Afterwards the warp's groups, including the one at `index`, may have changed. Throws
  /// LaunchEnded if the launch ends during the call.
  void run(Warp& warp, std::size_t index, std::uint64_t quantum);
  /// The output of the kernel's printf.
  std::string take_printed() { return std::move(printed_); }

 private:
  // run.cpp: the main loop. A policy selects what is reported to the shadow state in addition to accesses and
  // warp-synchronous operations.
  struct Bare;     ///< nothing
  struct Checked;  ///< what Definedness requires
  struct Traced;   ///< also each instruction, for counters, provenance and coverage
  template <class Policy>
  void run(Warp& warp, std::size_t index, std::uint64_t quantum, Provenance* provenance);
  void trace(const Warp& warp, const DivergentGroup& group, const Instruction& i, LaneMask active,
             Provenance* provenance);
  void guard_decides(const Warp& warp, const DivergentGroup& group, const Instruction& i);
  bool execute_in_place(Warp& warp, const DivergentGroup& group, const Instruction& i, LaneMask lanes);
  bool execute_moving(Warp& warp, std::size_t index, const Instruction& i, LaneMask lanes);
  [[noreturn]] void trap(const Warp& warp, const Instruction& i, LaneMask lanes);

  // divergence.cpp: groups split, reconverge and exit
  void diverge(Warp& warp, std::size_t index, const Instruction& i, LaneMask taken);
  void branch_indexed(Warp& warp, std::size_t index, const Instruction& i);
  static void separate(Warp& warp, std::size_t index, LaneMask lanes);
  static bool arrive_at_join(Warp& warp, std::size_t index);
  void exit_lanes(Warp& warp, std::size_t index, LaneMask lanes);

  // calls.cpp
  void call(Warp& warp, std::size_t index, const Instruction& i);
  const FunctionCode& callee(const DivergentGroup& group, const Instruction& i, LaneMask& same);
  void move_slot(Frame& to, const Slot& target, Frame& from, const Slot& source, LaneMask lanes);
  void return_lanes(Warp& warp, std::size_t index);

  // special_registers.cpp
  const std::uint32_t* special_of_lanes(const Warp& warp, SpecialRegister special) const;
  std::uint64_t multiprocessor_of(const Block& block) const;
  std::uint64_t warpid_of(const Warp& warp) const;
  std::uint64_t special_of_place(const Block& block, SpecialRegister special) const;
  std::uint64_t special_of_warp(const Warp& warp, SpecialRegister special) const;
  std::uint64_t shared_memory_used() const;
  void read_special(const Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes);

  // loads_stores.cpp
  void load(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes);
  void load_parameter(Frame& frame, const Instruction& i, LaneMask lanes);
  void store(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes);
  void access_slot(Frame& frame, const Instruction& i, LaneMask lanes);

  // atomics.cpp
  void atomic(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes);
  LaneMask update(WarpAccess& access);

  // mbarrier.cpp
  void mbarrier(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes);
  void emit_mbarrier(const WarpAccess& access, LaneMask completing);

  // async_copies.cpp
  void async_copy(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes);
  void emit_late_read(const Warp& warp, const CopyInFlight& copy, LaneMask lanes);
  void emit_copy(const Warp& warp, const CopyInFlight& copy, LaneMask lanes, bool repeats);
  void read_source(WarpAccess& source, CopyInFlight& copy);
  void begin_delivery(const Warp& warp, const CopyInFlight& copy, unsigned lane);
  static void close_group(Warp& warp, LaneMask lanes);
  void wait_for_copies(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes);
  void deliver(Warp& warp, LaneMask lanes, const std::array<std::uint32_t, isa::warp_size>& last);

  // builtins.cpp: printf and assert
  void builtin(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes);
  struct Formatted {
    std::string text;
    std::uint32_t arguments = 0;  ///< number of arguments consumed by the format
  };
  Formatted format(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t text, std::uint64_t values);
  std::string read_string(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address);
  const std::byte* printed(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address,
                           std::uint32_t bytes);

  Parts parts_;
  WarpSync warp_sync_;
  BlockBarriers block_barriers_;
  ClusterBarriers cluster_barriers_;
  std::string printed_;
};

}  // namespace foldproof::emulated
