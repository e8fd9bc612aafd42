// Tracks the provenance of values through registers, lanes and memory, byte by byte: the expression of input
// elements (oracles/expressions.h) that each is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "devices/emulated/isa/form.h"
#include "devices/emulated/memory/warp_access.h"
#include "devices/emulated/shadow/effects.h"
#include "devices/emulated/shadow/job_provenance.h"

namespace foldproof::emulated {

/// Owns, for one launch, the nodes of frames (Frame::nodes), of copies in flight and of memory. Every
/// function is called before the registers or bytes that it concerns change.
class Provenance {
 public:
  /// Both must outlive it; `job` is shared by all launches.
  explicit Provenance(JobProvenance& job) : job_(job) { job.memory.forget_blocks(); }

  /// Whether the provenance is complete so far; incomplete provenance is not extended further.
  bool complete() const { return !job_.expressions.incomplete(); }
  /// At the start of a time slice: gives up if the expressions would need too much memory.
  void limit() {
    if (job_.is_full()) give_up("the kernel computes more values than can be traced");
  }
  /// Marks the provenance as incomplete because expressions cannot represent this; `why` is a sentence.
  void give_up(const char* why) { job_.expressions.mark_incomplete(why); }

  /// A register-only instruction: prepares the provenance of its results while the registers still hold its
  /// sources. Returns false if none of them depends on the input; `computed` must not be called then.
  bool computing(Frame& frame, const Instruction& i, LaneMask lanes);
  /// The registers now hold the results.
  void computed(Frame& frame, const Instruction& i, LaneMask lanes);

  void decided(const Frame& frame, std::uint32_t row, LaneMask lanes);
  void loaded(const WarpAccess& access);
  void storing(const WarpAccess& access);
  void updating(const WarpAccess& access, const AtomicStep& step);
  /// A load or store of a .param variable of a function.
  void slot_accessed(Frame& frame, const Instruction& i, const MachineOperands& detail, LaneMask lanes);
  void routed(const LaneRouting& routing);
  void gathered(const Gather& gather);
  /// The lanes' columns of a row receive values that do not depend on the input.
  static void fresh(Frame& frame, std::uint32_t row, LaneMask lanes) {
    if (frame.nodes.any()) frame.nodes.forget(row, lanes);
  }
  /// A row of 32-bit columns is copied between frames (arguments and results of calls).
  static void moved(Frame& to, std::uint32_t target, Frame& from, std::uint32_t source, LaneMask lanes);
  /// A lane's asynchronous copy has read `bytes` of its source …
  void issued(const WarpAccess& source, CopyInFlight& copy, unsigned lane, std::uint32_t bytes);
  /// … and is delivered.
  void delivered(const Warp& warp, const CopyInFlight& copy, unsigned lane);

 private:
  static constexpr std::size_t most_parts = 2;  ///< of a packed operation
  using Nodes = std::array<NodeId, isa::warp_size>;

  /// What the results of an instruction lack until the registers hold them.
  struct Pending {
    enum class Lack : std::uint8_t { nothing, operation, opaque_values };
    Lack lack = Lack::nothing;
    /// operation: nodes without values, by lane and part of a packed result.
    std::array<std::array<Node, most_parts>, isa::warp_size> made;
    LaneMask dependent = 0;
  };

  struct Value {
    NodeId node;
    std::uint64_t bits;
  };

  void computing_operation(const Frame& frame, const Instruction& i, const Node& operation, LaneMask lanes);
  void computing_wiring(Frame& frame, const Instruction& i, LaneMask lanes);
  void computing_bytes(Frame& frame, const Instruction& i, LaneMask lanes);
  void computing_choice(Frame& frame, const Instruction& i, LaneMask lanes);
  void computed_operation(Frame& frame, const Instruction& i, LaneMask lanes);

  Nodes held_by(const Warp& warp, Members members, unsigned source) const;
  NodeId folded(const Gather& gather);

  void make_of(const Place& to, NodeId node, std::uint32_t bytes, std::uint64_t bits);
  NodeId swapped(NodeId stored, NodeId expected, NodeId found, std::uint32_t bytes);
  NodeId combined(const Value& old, const Value& given, std::uint64_t now, const isa::Form& form,
                  std::uint32_t bytes, bool flushes);

  JobProvenance& job_;
  Pending pending_;
};

}  // namespace foldproof::emulated
