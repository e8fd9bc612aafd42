// A warp as a set of splits: lanes that stand at the same instruction of the same activation.
//
//   Independent thread scheduling gives each lane its own program counter and call stack. Lanes that agree in
//   both travel together as one Split. A branch that divides a split gives it a Join: the place after which
//   both ways are the same again. Whoever comes first waits there for the others, unless nothing else can
//   run; waiting at a join saves time and never changes a result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "devices/emulated/machine/addressing.h"
#include "devices/emulated/machine/definedness.h"
#include "devices/emulated/machine/program.h"
#include "devices/emulated/machine/provenance.h"

namespace foldproof::machine {

/// One activation of a function: its registers, 32 columns each.
struct Frame {
  const Code* code = nullptr;
  Frame* parent = nullptr;                      ///< the caller's; null in an entry
  std::uint32_t return_pc = 0;                  ///< in the caller
  std::uint32_t call_detail = isa::no_operand;  ///< where the caller wants the results
  std::uint32_t local_base = 0;                 ///< start of its depot in each lane's local memory
  std::uint32_t depth = 0;
  std::uint32_t lanes = 0;  ///< how many have not returned
  Taint taint;              ///< undefined bits of its registers
  RowNodes nodes;           ///< what its registers are made of, where that is followed

  std::byte* registers() const { return registers_.get(); }
  /// Which bits of the registers are undefined: 1 where they are.
  std::byte* undefined_bits() { return taint.bits(code->frame.size()); }
  void reset(const Code& of);

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> registers_;
  std::size_t capacity_ = 0;
};

/// Where lanes that a branch or call separated meet again.
struct Join {
  std::uint32_t pc = 0;
  Frame* frame = nullptr;
  LaneMask expected = 0;  ///< lanes that are on their way or here
  LaneMask arrived = 0;
  Join* parent = nullptr;
};

struct Split {
  enum class State : std::uint8_t { ready, joining, meeting, barrier, cluster };
  LaneMask lanes = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;  ///< barrier: which
  std::uint32_t pc = 0;      ///< of the next instruction; of the one waited at unless ready
  Frame* frame = nullptr;
  Join* join = nullptr;
  LaneMask member_mask = 0;       ///< meeting: who must come
  std::uint64_t turn = 0;         ///< how often its time slice ran out; lower goes first
  std::uint64_t until_phase = 0;  ///< cluster: the phase that must be over
};

struct Block;

/// One cp.async of a warp's lanes (async_copies.cpp). Columns are by lane.
struct CopyUnderWay {
  static constexpr std::size_t most_bytes = 16;
  using Bytes = std::array<std::byte, most_bytes>;

  const isa::Instruction* instruction = nullptr;
  LaneMask lanes = 0;  ///< that have not waited for it
  std::uint32_t bytes = 0;
  std::array<std::uint32_t, isa::warp_size> group{};
  Addresses to;
  std::array<std::byte*, isa::warp_size> target{}, defined{};  ///< on the host; `defined` may be null
  std::array<Bytes, isa::warp_size> data{}, undefined{};       ///< what it will bring
  std::array<OriginId, isa::warp_size> origin{};
  std::vector<BytePart> made_of;  ///< most_bytes a lane, where values are followed
};

struct Warp {
  Block* block = nullptr;
  unsigned index = 0;   ///< in its block
  LaneMask exited = 0;  ///< lanes that ended or never existed
  std::vector<Split> splits;
  std::array<std::uint64_t, isa::warp_size>
      cluster_arrivals{};  ///< per lane: the phase it arrived in, plus one
  bool came_to_cluster = false;
  std::array<std::vector<std::byte>, isa::warp_size> local;
  std::array<std::vector<std::byte>, isa::warp_size> local_defined;  ///< its map of defined bits

  bool used_local = false;

  std::vector<CopyUnderWay> copies;                        ///< in the order of their issue
  std::array<std::uint32_t, isa::warp_size> open_group{};  ///< by lane: what commit_group will close
  bool closed_groups = false;

  bool done() const { return exited == isa::all_lanes; }

  void reset(Block& of, unsigned warp_index, LaneMask existing, const Code& entry, bool lane_by_lane,
             const Filling& filling);

  /// The lanes' local memory from `begin` on is a new frame's: so many bytes that nobody wrote.
  void begin_local(LaneMask lanes, std::size_t begin, std::size_t bytes, const Filling& filling);

  Frame* new_frame(const Code& code);
  void release_frame(Frame* frame);
  Join* new_join(std::uint32_t pc, Frame* frame, LaneMask lanes, Join* parent);
  void release_join(Join* join);

  /// Lanes give up meeting at `join`; whoever waits there for nobody else goes on.
  void leave(Join* join, LaneMask lanes);
  /// All lanes parked at `join` become one ready split, the last in `splits`; `join` expects them no more.
  void open(Join* join);

 private:
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<Frame*> free_frames_;
  std::vector<std::unique_ptr<Join>> joins_;
  std::vector<Join*> free_joins_;
};

}  // namespace foldproof::machine
