// A warp as a set of divergent groups: lanes at the same instruction of the same activation.
//
//   With independent thread scheduling, each lane has its own program counter and call stack. Lanes that
//   agree in both are one DivergentGroup. A branch that splits a group adds a Join: the instruction at which
//   both paths merge. The lanes that arrive first wait there for the others, unless nothing else can run;
//   waiting at a join saves time and never changes a result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <vector>

#include "devices/emulated/program/program.h"
#include "devices/emulated/state/addresses.h"
#include "devices/emulated/state/register_shadow.h"
#include "devices/undefined_fill.h"

namespace foldproof::emulated {

/// One activation of a function: its registers, 32 columns each.
struct Frame {
  const FunctionCode* code = nullptr;
  Frame* parent = nullptr;                      ///< the caller's frame; null in an entry
  std::uint32_t return_pc = 0;                  ///< in the caller
  std::uint32_t call_detail = isa::no_operand;  ///< MachineOperands of the call, with the result slots
  std::uint32_t local_base = 0;                 ///< start of its depot in each lane's local memory
  std::uint32_t depth = 0;
  std::uint32_t lanes = 0;   ///< lanes that have not returned
  UndefinedBits undefined;   ///< undefined bits of its registers; only Definedness changes them
  RegisterProvenance nodes;  ///< provenance of its registers; only Provenance changes it

  std::byte* registers() const { return registers_.get(); }
  /// The undefined bits of the registers: 1 means undefined.
  std::byte* undefined_bits() { return undefined.bits(code->frame.size()); }
  void reset(const FunctionCode& of);

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> registers_;
  std::size_t capacity_ = 0;
};

/// The point at which lanes separated by a branch or call reconverge.
struct Join {
  std::uint32_t pc = 0;
  Frame* frame = nullptr;
  LaneMask expected = 0;  ///< lanes that are on their way or have arrived
  LaneMask arrived = 0;
  Join* parent = nullptr;
};

struct DivergentGroup {
  enum class State : std::uint8_t { ready, joining, warp_sync, barrier, cluster };
  LaneMask lanes = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;  ///< barrier number, in state `barrier`
  std::uint32_t pc = 0;      ///< next instruction; unless ready, the one at which the group waits
  Frame* frame = nullptr;
  Join* join = nullptr;
  LaneMask member_mask = 0;          ///< the lanes that must arrive, in state `warp_sync`
  std::uint64_t expired_slices = 0;  ///< how often its time slice expired; the lowest runs first
  std::uint64_t until_phase = 0;     ///< the phase that must complete, in state `cluster`

  const isa::Instruction& instruction() const { return frame->code->instructions[pc]; }
};

struct Block;

/// One cp.async of a warp's lanes (execution/async_copies.cpp). Arrays are by lane.
struct CopyInFlight {
  static constexpr std::size_t most_bytes = 16;
  using Bytes = std::array<std::byte, most_bytes>;

  const isa::Instruction* instruction = nullptr;
  LaneMask lanes = 0;  ///< lanes that have not waited for it yet
  std::uint32_t bytes = 0;
  std::array<std::uint32_t, isa::warp_size> group{};
  Addresses to, from;
  std::array<const std::byte*, isa::warp_size> source{};       ///< host addresses; null: nothing is read
  std::array<std::uint32_t, isa::warp_size> read{};            ///< bytes of the source
  std::array<std::byte*, isa::warp_size> target{}, defined{};  ///< host addresses; `defined` may be null
  std::array<Bytes, isa::warp_size> data{}, undefined{};       ///< data to be delivered
  std::array<OriginId, isa::warp_size> origin{};
  std::vector<BytePart> made_of;  ///< most_bytes per lane; empty without provenance
};

/// The groups of a warp that take part in one warp-synchronous operation, as indices into Warp::groups.
using Members = std::span<const std::size_t>;

struct Warp {
  Block* block = nullptr;
  unsigned index = 0;   ///< in its block
  LaneMask exited = 0;  ///< lanes that exited or do not exist
  std::vector<DivergentGroup> groups;
  std::array<std::uint64_t, isa::warp_size>
      cluster_arrivals{};  ///< per lane: the phase in which it arrived, plus one
  bool came_to_cluster = false;
  std::array<std::vector<std::byte>, isa::warp_size> local;
  /// Maps of its defined bits; empty if not tracked.
  std::array<std::vector<std::byte>, isa::warp_size> local_defined;
  bool used_local = false;

  std::vector<CopyInFlight> copies;                        ///< in issue order
  std::array<std::uint32_t, isa::warp_size> open_group{};  ///< by lane: what commit_group will close
  bool closed_groups = false;

  bool done() const { return exited == all_lanes; }

  /// Starts the lanes `existing` at the beginning of `entry`, as one group or each as a separate group.
  void reset(Block& of, unsigned warp_index, LaneMask existing, const FunctionCode& entry, bool lane_by_lane);

  /// Assigns the lanes' local memory from `begin` on to a new frame: `bytes` undefined bytes.
  void begin_local(LaneMask lanes, std::size_t begin, std::size_t bytes, const UndefinedFill& fill);

  /// The registers of the next frames do not hold the values of earlier ones: another launch begins.
  void forget_code();
  Frame* new_frame(const FunctionCode& code);
  void release_frame(Frame* frame);
  Join* new_join(std::uint32_t pc, Frame* frame, LaneMask lanes, Join* parent);
  void release_join(Join* join);

  auto groups_of(Members members) const {
    return std::views::transform(members,
                                 [this](std::size_t k) -> const DivergentGroup& { return groups[k]; });
  }
  LaneMask lanes_of(Members members) const {
    LaneMask lanes = 0;
    for (const DivergentGroup& group : groups_of(members)) lanes |= group.lanes;
    return lanes;
  }
  /// The operand of each lane of these groups, from columns of 4 or 8 bytes; 0 for other lanes.
  std::array<std::uint64_t, isa::warp_size> operands(Members members, unsigned operand, unsigned bytes) const;
  /// Moves the group's lanes other than `lanes` to a new group at the same instruction, which runs after this
  /// one.
  void restrict_to(std::size_t index, LaneMask lanes);
  /// Merges ready groups with the same pc, frame and join.
  void merge_ready();

  /// Lanes no longer go to `join`; lanes that waited there only for them continue.
  void leave(Join* join, LaneMask lanes);
  /// Merges all lanes that wait at `join` into one ready group, the last in `groups`; `join` no longer
  /// expects them.
  void open(Join* join);

 private:
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<Frame*> free_frames_;
  std::vector<std::unique_ptr<Join>> joins_;
  std::vector<Join*> free_joins_;
};

}  // namespace foldproof::emulated
