// A warp as a set of divergent groups: lanes that are at the same instruction of the same activation.
//
//   Independent thread scheduling gives each lane its own program counter and call stack. Lanes that agree in
//   both travel together as one DivergentGroup. A branch that divides a group gives it a Join: the
//   instruction at which both ways are the same again. The lanes that arrive first wait there for the others,
//   unless nothing else can run; waiting at a join saves time and never changes a result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "devices/emulated/program/program.h"
#include "devices/emulated/state/addresses.h"
#include "devices/emulated/state/register_provenance.h"
#include "devices/emulated/state/undefined_bits.h"
#include "devices/undefined.h"

namespace foldproof::emulated {

/// One activation of a function: its registers, 32 columns each.
struct Frame {
  const FunctionCode* code = nullptr;
  Frame* parent = nullptr;                      ///< the caller's; null in an entry
  std::uint32_t return_pc = 0;                  ///< in the caller
  std::uint32_t call_detail = isa::no_operand;  ///< where the caller wants the results
  std::uint32_t local_base = 0;                 ///< start of its depot in each lane's local memory
  std::uint32_t depth = 0;
  std::uint32_t lanes = 0;   ///< how many have not returned
  UndefinedBits undefined;   ///< of its registers; only Definedness changes them
  RegisterProvenance nodes;  ///< what its registers are made of; only Provenance changes them

  std::byte* registers() const { return registers_.get(); }
  /// Which bits of the registers are undefined: 1 where they are.
  std::byte* undefined_bits() { return undefined.bits(code->frame.size()); }
  void reset(const FunctionCode& of);

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> registers_;
  std::size_t capacity_ = 0;
};

/// Where lanes that a branch or call separated reconverge.
struct Join {
  std::uint32_t pc = 0;
  Frame* frame = nullptr;
  LaneMask expected = 0;  ///< lanes that are on their way or here
  LaneMask arrived = 0;
  Join* parent = nullptr;
};

struct DivergentGroup {
  enum class State : std::uint8_t { ready, joining, warp_sync, barrier, cluster };
  LaneMask lanes = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;  ///< which, in state `barrier`
  std::uint32_t pc = 0;      ///< of the next instruction; unless ready, of the one at which the group waits
  Frame* frame = nullptr;
  Join* join = nullptr;
  LaneMask member_mask = 0;          ///< the lanes that must arrive, in state `warp_sync`
  std::uint64_t expired_slices = 0;  ///< how often its time slice ran out; the lowest goes first
  std::uint64_t until_phase = 0;     ///< the phase that must be over, in state `cluster`

  const isa::Instruction& instruction() const { return frame->code->instructions[pc]; }
};

struct Block;

/// One cp.async of a warp's lanes (execution/async_copies.cpp). Arrays are by lane.
struct CopyInFlight {
  static constexpr std::size_t most_bytes = 16;
  using Bytes = std::array<std::byte, most_bytes>;

  const isa::Instruction* instruction = nullptr;
  LaneMask lanes = 0;  ///< that have not waited for it yet
  std::uint32_t bytes = 0;
  std::array<std::uint32_t, isa::warp_size> group{};
  Addresses to;
  std::array<std::byte*, isa::warp_size> target{}, defined{};  ///< on the host; `defined` may be null
  std::array<Bytes, isa::warp_size> data{}, undefined{};       ///< what it will deliver
  std::array<OriginId, isa::warp_size> origin{};
  std::vector<BytePart> made_of;  ///< most_bytes per lane; empty without provenance
};

/// The groups of a warp that take part in one warp-synchronous operation, by their index in Warp::groups.
using Members = std::span<const std::size_t>;

struct Warp {
  Block* block = nullptr;
  unsigned index = 0;   ///< in its block
  LaneMask exited = 0;  ///< lanes that ended or never existed
  std::vector<DivergentGroup> groups;
  std::array<std::uint64_t, isa::warp_size>
      cluster_arrivals{};  ///< per lane: the phase it arrived in, plus one
  bool came_to_cluster = false;
  std::array<std::vector<std::byte>, isa::warp_size> local;
  /// The map of its defined bits; empty where they are not tracked.
  std::array<std::vector<std::byte>, isa::warp_size> local_defined;
  bool used_local = false;

  std::vector<CopyInFlight> copies;                        ///< in the order of their issue
  std::array<std::uint32_t, isa::warp_size> open_group{};  ///< by lane: what commit_group will close
  bool closed_groups = false;

  bool done() const { return exited == isa::all_lanes; }

  /// Begins with the lanes `existing` at the start of `entry`, together or each as a group of its own.
  void reset(Block& of, unsigned warp_index, LaneMask existing, const FunctionCode& entry, bool lane_by_lane);

  /// The lanes' local memory from `begin` on belongs to a new frame: so many bytes that were never written.
  void begin_local(LaneMask lanes, std::size_t begin, std::size_t bytes, const UndefinedFill& fill);

  Frame* new_frame(const FunctionCode& code);
  void release_frame(Frame* frame);
  Join* new_join(std::uint32_t pc, Frame* frame, LaneMask lanes, Join* parent);
  void release_join(Join* join);

  LaneMask lanes_of(Members members) const {
    LaneMask lanes = 0;
    for (const std::size_t k : members) lanes |= groups[k].lanes;
    return lanes;
  }
  /// Lanes of a group other than `lanes` become a group of their own at the same place, which goes after
  /// these.
  void restrict_to(std::size_t index, LaneMask lanes);
  /// Ready groups at the same place with the same way ahead become one.
  void merge_ready();

  /// Lanes no longer go to `join`; those that wait there only for them go on.
  void leave(Join* join, LaneMask lanes);
  /// All lanes that wait at `join` become one ready group, the last in `groups`; `join` no longer expects
  /// them.
  void open(Join* join);

 private:
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<Frame*> free_frames_;
  std::vector<std::unique_ptr<Join>> joins_;
  std::vector<Join*> free_joins_;
};

}  // namespace foldproof::emulated
