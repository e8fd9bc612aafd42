// Tracks undefined bits through registers and memory, and reports uses that must not depend on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "devices/emulated/memory/address_space.h"
#include "devices/emulated/shadow/effects.h"
#include "devices/emulated/shadow/origins.h"
#include "devices/emulated/state/block.h"

namespace foldproof::emulated {

/// Owns, for one launch, the undefined bits of frames (Frame::undefined) and of copies in flight, and the
/// maps of defined bits of memory. Every function is called before the registers or bytes that it concerns
/// change.
class Definedness {
 public:
  /// All references must outlive it; `origins` belongs to the job.
  Definedness(Origins& origins, const Program& program, const Geometry& geometry, AddressSpace& addresses,
              FindingLog& findings, const UndefinedFill& fill)
      : origins_(origins),
        program_(program),
        geometry_(geometry),
        addresses_(addresses),
        findings_(findings),
        fill_(fill) {}

  /// The block's shared memory, and the memory and registers of its warps, become undefined.
  void block_begins(Block& block);
  /// The frame's local memory and registers become undefined.
  void frame_begins(Warp& warp, Frame& frame, LaneMask lanes);

  /// A register-only instruction. `group_lanes`: the lanes at the instruction, before its guard is applied.
  void computing(Frame& frame, const Instruction& i, LaneMask group_lanes, LaneMask lanes);
  void decided(const Decision& decision);
  void loaded(WarpAccess& access);
  void storing(WarpAccess& access);
  void updating(WarpAccess& access, const AtomicStep& step);
  /// A load or store of a .param variable of a function.
  void slot_accessed(Frame& frame, const Instruction& i, const MachineOperands& detail, LaneMask lanes);
  void mbarrier_accessed(const WarpAccess& access, bool initializes);
  void matrix_moved(const WarpAccess& access, const MatrixPart& part);
  void routed(const LaneRouting& routing);
  void gathered(const Gather& gather);
  /// The lanes' columns of a row receive defined values.
  static void fresh(Frame& frame, std::uint32_t row, LaneMask lanes) {
    if (frame.undefined.any()) frame.undefined.define(row, lanes);
  }
  /// A row of 32-bit columns is copied between frames (arguments and results of calls).
  static void moved(Frame& to, std::uint32_t target, Frame& from, std::uint32_t source, LaneMask lanes);
  /// A lane's asynchronous copy has read its source …
  void issued(const WarpAccess& source, CopyInFlight& copy, unsigned lane, std::uint32_t bytes);
  /// … is in flight, so that its target is undefined …
  void undelivered(const Warp& warp, const CopyInFlight& copy, unsigned lane);
  /// … and is delivered …
  void delivered(const Warp& warp, const CopyInFlight& copy, unsigned lane);
  /// … unless its source has changed, so that its target stays undefined.
  void overwritten(const Warp& warp, const CopyInFlight& copy, unsigned lane);
  /// A builtin prints bytes of memory, which are inside `region`.
  void printed(const Warp& warp, const Instruction& i, unsigned lane, const Region& region,
               std::uint64_t address, std::uint32_t bytes);

 private:
  enum class Source : std::uint8_t {
    elsewhere,
    variable,     ///< an uninitialized variable
    overwritten,  ///< the target of an asynchronous copy whose source was overwritten
    invalid       ///< an accepted access that was out of bounds or misaligned
  };
  /// Bytes of memory that a lane's instruction accesses, with their map of defined bits.
  struct Bytes {
    const Warp& warp;
    const Instruction& i;
    unsigned lane;
    isa::StateSpace space;
    std::uint64_t address;
    std::byte* defined;
    std::uint32_t count;
  };
  static Bytes bytes_of(const WarpAccess& access, unsigned lane, std::uint64_t offset, std::uint32_t count) {
    std::byte* defined = access.hosts.defined[lane];
    return {access.warp,
            access.i,
            lane,
            access.space,
            access.at[lane] + offset,
            defined ? defined + offset : nullptr,
            count};
  }
  /// The shuffled value of each lane: its undefined bits, and their origin.
  struct Shuffled {
    std::array<std::uint32_t, isa::warp_size> bits{};
    std::array<OriginId, isa::warp_size> origin{};
  };

  /// The origin of an instruction's undefined bits; what() describes it and is called for a new origin only.
  template <class What>
  OriginId origin_at(Kind kind, const Instruction& i, const Warp& warp, unsigned lane, const What& what,
                     Source source = Source::elsewhere) {
    const auto [known, is_new] = origin_sites_.try_emplace({kind, i.site, source}, 0);
    if (is_new) {
      known->second = static_cast<OriginId>(origins_.all.size());
      Origin& origin = origins_.all.emplace_back();
      origin = {kind, program_.position(i), {}, what()};
      if (source != Source::variable) origin.thread = geometry_.thread(warp, lane);
    }
    return known->second;
  }
  void make_undefined(const Warp& warp, const CopyInFlight& copy, unsigned lane, const char* why,
                      Source source);
  OriginId origin_of_loaded(const Bytes& from);

  void note_compared(const Frame& frame, const Instruction& i, LaneMask lanes);
  void report(const Warp& warp, const Instruction& i, unsigned lane, OriginId origin, const char* what);
  void load(WarpAccess& access);
  void load_accepted(const WarpAccess& access);
  void store(WarpAccess& access);
  void store_bits(const Bytes& to, const std::byte* undefined, OriginId origin);
  void store_undefined(const Bytes& to, OriginId origin);
  void route_to(const LaneRouting& routing, const DivergentGroup& group, const Shuffled& held,
                LaneMask absent);

  Origins& origins_;
  const Program& program_;
  const Geometry& geometry_;
  AddressSpace& addresses_;
  FindingLog& findings_;
  const UndefinedFill& fill_;
  std::map<std::tuple<Kind, Site, Source>, OriginId> origin_sites_;
  std::set<std::pair<Site, OriginId>> reported_;
};

}  // namespace foldproof::emulated
