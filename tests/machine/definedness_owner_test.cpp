// The component Definedness in isolation: a frame, an effect, and the undefined bits afterwards.
#include "devices/emulated/shadow/definedness.h"

#include "catch.h"
#include "machine/owners_fixture.h"

using namespace foldproof;
using namespace foldproof::emulated;

namespace {

struct DefinednessOwner : OneWarp {
  using OneWarp::OneWarp;

  /// Makes all bits of these lanes' columns undefined, with an artificial origin.
  void make_undefined(std::uint32_t row, LaneMask lanes) {
    origins.all.resize(1);
    origins.all[0].what = "a value that the test left undefined";
    auto* bits = reinterpret_cast<std::uint32_t*>(frame().undefined_bits() + row);
    for (unsigned lane = 0; lane < isa::warp_size; ++lane)
      if ((lanes >> lane & 1) != 0) bits[lane] = ~0u;
    frame().undefined.update(row, 4, OriginId{0});
  }

  Origins origins;
  Definedness definedness{origins, program, geometry, *addresses, findings, poison};
};

}  // namespace

TEST_CASE("definedness: a sum with an undefined operand is undefined in the same lanes", "[owners]") {
  DefinednessOwner owner("add.s32 %r2, %r0, %r1;");
  const Instruction& add = owner.first(Action::compute);
  owner.make_undefined(add.operand[1], 0b101);
  owner.definedness.computing(owner.frame(), add, all_lanes, all_lanes);
  CHECK(owner.frame().undefined.lanes(add.operand[0]) == 0b101);
}

TEST_CASE("definedness: a defined result clears previous undefined bits", "[owners]") {
  DefinednessOwner owner("mov.u32 %r2, 7;");
  const Instruction& move = owner.first(Action::compute);
  owner.make_undefined(move.operand[0], all_lanes);
  owner.definedness.computing(owner.frame(), move, all_lanes, 0x0000ffff);
  CHECK(owner.frame().undefined.lanes(move.operand[0]) == 0xffff0000);
}

TEST_CASE("definedness: a branch on an undefined value is reported once per instruction and origin",
          "[owners]") {
  DefinednessOwner owner("add.s32 %r2, %r0, %r1;");
  const Instruction& add = owner.first(Action::compute);
  owner.make_undefined(add.operand[1], 0b1000);
  const Decision decision{owner.warp, owner.frame(), add, add.operand[1], all_lanes, Decision::Of::branch};
  owner.definedness.decided(decision);
  owner.definedness.decided(decision);
  const std::vector<Finding> findings = owner.findings.take();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message == "the branch depends on a value that the test left undefined");
  CHECK(findings[0].threads.front().thread == Dim3{3, 0, 0});
}

TEST_CASE("definedness: a decision by lanes whose values are defined is not reported", "[owners]") {
  DefinednessOwner owner("add.s32 %r2, %r0, %r1;");
  const Instruction& add = owner.first(Action::compute);
  owner.make_undefined(add.operand[1], 0b1000);
  owner.definedness.decided({owner.warp, owner.frame(), add, add.operand[1], 0b0111, Decision::Of::branch});
  CHECK(owner.findings.take().empty());
}

TEST_CASE("definedness: undefined bits are stored to memory and loaded from it", "[owners]") {
  DefinednessOwner owner("st.global.u32 [%a0], %r0;\nld.global.u32 %r1, [%a0];");
  const std::uint64_t buffer = owner.memory.allocate(128, "buffer");
  const Instruction &store = owner.first(Action::store), &load = owner.first(Action::load);
  owner.make_undefined(owner.program.details[store.detail].data[0], 0xf0);
  WarpAccess stored = owner.words(store, buffer);
  owner.definedness.storing(stored);
  WarpAccess loaded = owner.words(load, buffer);
  owner.definedness.loaded(loaded);
  CHECK(owner.frame().undefined.lanes(owner.program.details[load.detail].data[0]) == 0xf0);
}

TEST_CASE("definedness: an atomic returns the undefined old value and makes the new value undefined",
          "[owners]") {
  DefinednessOwner owner("atom.global.add.u32 %r1, [%a0], %r0;");
  const std::uint64_t buffer = owner.memory.allocate(128, "buffer");  // never written
  const Instruction& atomic = owner.first(Action::atomic);
  WarpAccess access = owner.words(atomic, buffer);
  owner.definedness.updating(access, {.lane = 2, .element = 0, .old = 0, .now = 1});
  CHECK(owner.frame().undefined.lanes(owner.program.details[atomic.detail].data[0]) == 0b100);
  CHECK_FALSE(is_defined(access.hosts.defined[2], 4));
}

TEST_CASE("definedness: a shuffle from an inactive lane is undefined", "[owners]") {
  DefinednessOwner owner("shfl.sync.idx.b32 %r1|%p0, %r0, 1, 31, -1;");
  const Instruction& shuffle = owner.first(Action::shuffle);
  owner.warp.groups.front().pc = static_cast<std::uint32_t>(&shuffle - owner.entry.instructions.data());
  owner.warp.groups.front().lanes = 0b0101;  // lane 1 is inactive
  const std::size_t members[] = {0};
  LaneRouting routing{owner.warp, members, 0b0101, {}};
  routing.from[0] = 2;
  routing.from[2] = 1;
  owner.definedness.routed(routing);
  CHECK(owner.frame().undefined.lanes(shuffle.operand[0]) == 0b0100);
}

TEST_CASE("definedness: two divergent groups that shuffle in place exchange their undefined bits",
          "[owners]") {
  DefinednessOwner owner("shfl.sync.bfly.b32 %r0|%p0, %r0, 16, 31, -1;");
  const Instruction& shuffle = owner.first(Action::shuffle);
  owner.make_undefined(shuffle.operand[0], 0x0000ffff);
  DivergentGroup& low = owner.warp.groups.front();
  low.pc = static_cast<std::uint32_t>(&shuffle - owner.entry.instructions.data());
  DivergentGroup high = low;
  low.lanes = 0x0000ffff;
  high.lanes = 0xffff0000;
  owner.warp.groups.push_back(high);
  const std::size_t members[] = {0, 1};
  LaneRouting routing{owner.warp, members, all_lanes, {}};
  for (unsigned lane = 0; lane < isa::warp_size; ++lane)
    routing.from[lane] = static_cast<std::uint8_t>(lane ^ 16);
  owner.definedness.routed(routing);
  CHECK(owner.frame().undefined.lanes(shuffle.operand[0]) == 0xffff0000);
}

TEST_CASE("definedness: each undefined predicate makes its bit of a ballot undefined", "[owners]") {
  DefinednessOwner owner("vote.sync.ballot.b32 %r1, %p0, -1;");
  const Instruction& vote = owner.first(Action::vote);
  owner.warp.groups.front().pc = static_cast<std::uint32_t>(&vote - owner.entry.instructions.data());
  isa::mask(owner.frame().undefined_bits(), vote.operand[1]) = 0b10;
  owner.frame().undefined.update(vote.operand[1], 0, OriginId{0});
  const std::size_t members[] = {0};
  owner.definedness.gathered({owner.warp, members, 1, Gather::Gives::ballot});
  CHECK(isa::row<std::uint32_t>(owner.frame().undefined_bits(), vote.operand[0])[5] == 0b10);
}
