// One warp at the start of a small kernel, with what the owners of shadow state need, but without a launch
// and an executor. A test passes an effect to an owner and examines the frame afterwards.
#pragma once

#include <cstring>
#include <string>

#include "devices/emulated/memory/address_space.h"
#include "devices/emulated/program/program.h"
#include "devices/emulated/state/residency.h"
#include "ptx/parse.h"

namespace foldproof::emulated {

struct OneWarp {
  /// The body of a kernel; registers %r0 … %r9 (b32), %p0 … %p3 and %a0 … %a3 (b64) exist.
  explicit OneWarp(const std::string& body)
      : program(lower(ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                                 ".reg .b32 %r<10>;\n.reg .pred %p<4>;\n.reg .b64 %a<4>;\n" +
                                     body + "\nret;\n}\n",
                                 "k.ptx"),
                      "k.ptx", [](std::uint64_t) { return std::uint64_t{0}; })) {
    warp.reset(block, 0, all_lanes, entry, false);
    addresses.emplace(program, geometry, shared, memory, std::vector<std::byte>{}, residency, findings);
  }

  Frame& frame() { return *warp.groups.front().frame; }
  /// The first instruction with that action.
  const Instruction& first(Action action) const {
    for (const Instruction& i : entry.instructions)
      if (i.action == action) return i;
    throw std::runtime_error("the kernel has no such instruction");
  }
  /// Sets each lane of a row of 32-bit columns to lane · factor.
  void fill(std::uint32_t row, std::uint32_t factor) {
    for (unsigned lane = 0; lane < isa::warp_size; ++lane)
      isa::row<std::uint32_t>(frame().registers(), row)[lane] = lane * factor;
  }
  /// An access to consecutive words from `base`, one per lane.
  WarpAccess words(const Instruction& i, std::uint64_t base) {
    const MachineOperands& detail = program.details[i.detail];
    auto* to = isa::row<std::uint64_t>(frame().registers(), detail.address.row);
    for (unsigned lane = 0; lane < isa::warp_size; ++lane) to[lane] = base + std::uint64_t{lane} * 4;
    WarpAccess access(warp, frame(), i, detail, all_lanes);
    access.gather(detail.address);
    addresses->resolve(access, "access", access.bytes);
    return access;
  }

  Program program;
  const FunctionCode& entry = *program.entry("k");
  const UndefinedFill poison;
  const Geometry geometry{LaunchShape{.grid = {1, 1, 1}, .block = {32, 1, 1}}};
  const SharedMemory shared{program, entry, 0};
  Progress progress;
  const AcceptsFinding accepts;
  FindingLog findings{program, accepts};
  SpareClusters spare;
  Residency residency{geometry, entry, shared, false, poison, progress, spare};
  Memory memory{true};
  std::optional<AddressSpace> addresses;
  Block block;
  Warp warp;
};

}  // namespace foldproof::emulated
