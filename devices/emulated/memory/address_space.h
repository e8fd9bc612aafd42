// Address resolution: windows, exact bounds, alignment, and descriptions of out-of-bounds addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "devices/emulated/memory/memory.h"
#include "devices/emulated/memory/warp_access.h"
#include "devices/emulated/state/finding_log.h"
#include "devices/emulated/state/geometry.h"
#include "devices/emulated/state/places.h"
#include "devices/emulated/state/residency.h"

namespace foldproof::emulated {

/// The memory of one launch: global and constant memory, its parameters, and the shared and local memory of
/// resident blocks. Maps of defined bits (Region::defined) are null if definedness is not tracked.
class AddressSpace {
 public:
  /// For a cooperative launch, zeroed memory for the counter of cooperative groups' grid barrier is allocated
  /// for the lifetime of this object. All references must outlive it. `residency` starts a block when a peer
  /// accesses its shared memory.
  AddressSpace(const Program& program, const Geometry& geometry, const SharedMemory& shared, Memory& global,
               std::vector<std::byte> parameters, Residency& residency, FindingLog& findings);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  const std::vector<std::byte>& parameters() const { return parameters_; }
  /// The address in %envreg1 and %envreg2: the counter of the grid barrier; 0 if there is none.
  std::uint64_t workspace() const { return workspace_.value_or(0); }

  /// The memory region that contains an address, as seen by that lane; a region of 0 bytes if there is none.
  Region region(Warp& warp, isa::StateSpace space, std::uint64_t address, unsigned lane);
  /// Sets `host` and `defined` of an access if all its lanes are in one region, the common case.
  void find_common(WarpAccess& access);
  /// Sets `hosts` lane by lane. Lanes whose access is out of bounds or misaligned are reported ("a WHAT of 4
  /// bytes …") and become invalid.
  void resolve(WarpAccess& access, const char* what, std::uint32_t alignment);
  /// Creates the map of defined bits of the global allocation that a lane accesses, with all bits defined, if
  /// it does not exist. Returns the lane's position in it.
  std::byte* make_map(const WarpAccess& access, unsigned lane);
  /// A lane's position in the map of defined bits; null if the memory has no map, since all its bits are
  /// defined.
  std::byte* map_of(const WarpAccess& access, unsigned lane);

  /// The state space that contains an address: for a generic address, determined by its window.
  static isa::StateSpace owner(isa::StateSpace space, std::uint64_t address);
  static bool is_shared(isa::StateSpace space, std::uint64_t address) {
    const isa::StateSpace in = owner(space, address);
    return in == isa::StateSpace::shared_cta || in == isa::StateSpace::shared_cluster;
  }
  static Place place(const Warp& warp, isa::StateSpace space, std::uint64_t address, unsigned lane);
  struct SharedPlace {
    BlockNumber block;
    std::uint64_t offset;
  };
  /// The block and offset of a shared address: rank field 0 is the executing block, r + 1 the cluster's block
  /// r.
  static SharedPlace shared_place(const Warp& warp, std::uint64_t address);
  const SharedMemory& shared() const { return shared_; }
  /// The memory object that contains an address: "the shared variable tile" or "the buffer partials".
  std::string name_at(bool shared, std::uint64_t address) const;

 private:
  Region shared_region(Block& block, std::uint64_t address, std::uint64_t origin);
  const Program::ConstantVariable* constant_before(std::uint64_t offset) const;
  void find_common_shared(WarpAccess& access) const;
  static bool writable(isa::StateSpace space, std::uint64_t address);
  std::string describe(isa::StateSpace space, std::uint64_t address, std::uint32_t bytes) const;
  std::string describe_shared(std::uint64_t address, std::uint32_t bytes) const;
  void report(Kind kind, WarpAccess& access, LaneMask lanes, const std::function<std::string()>& sentence);

  const Geometry& geometry_;
  const SharedMemory& shared_;
  Memory& global_;
  std::vector<std::byte> parameters_;
  std::vector<std::byte> constants_;
  const std::vector<Program::ConstantVariable>& constant_variables_;
  Residency& residency_;
  FindingLog& findings_;
  std::optional<std::uint64_t> workspace_;
};

}  // namespace foldproof::emulated
