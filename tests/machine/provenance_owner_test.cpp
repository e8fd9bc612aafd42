// The component Provenance in isolation: a frame, an effect, and the provenance of the registers afterwards.
#include "devices/emulated/shadow/provenance.h"

#include "catch.h"
#include "machine/owners_fixture.h"

using namespace foldproof;
using namespace foldproof::emulated;

namespace {

struct ProvenanceOwner : OneWarp {
  explicit ProvenanceOwner(const std::string& body) : OneWarp(body) {
    std::array<std::uint32_t, isa::warp_size> elements{};
    for (unsigned lane = 0; lane < isa::warp_size; ++lane) elements[lane] = lane;
    job.expressions.add_input(Element::u32, std::as_bytes(std::span(elements)));
  }

  /// Lane l of the row holds element l of the input, which is node l + 1.
  void hold_input(std::uint32_t row) {
    fill(row, 1);
    for (unsigned lane = 0; lane < isa::warp_size; ++lane) frame().nodes.set(row, lane, lane + 1);
  }
  const Node& node(std::uint32_t row, unsigned lane) { return job.expressions[frame().nodes.at(row, lane)]; }

  JobProvenance job;
  Provenance provenance{job};
};

}  // namespace

TEST_CASE("provenance: a sum of an input and a constant is an addition of both", "[owners]") {
  ProvenanceOwner owner("add.u32 %r2, %r0, %r1;");
  const Instruction& add = owner.first(Action::compute);
  owner.hold_input(add.operand[1]);
  owner.fill(add.operand[2], 10);
  REQUIRE(owner.provenance.computing(owner.frame(), add, all_lanes));
  add.compute(owner.frame().registers(), add, all_lanes);
  owner.provenance.computed(owner.frame(), add, all_lanes);
  const Node& sum = owner.node(add.operand[0], 3);
  CHECK(sum.operation == Operation::add);
  CHECK(sum.bits == 33);
  CHECK(sum.operand[0] == 4);
  CHECK(owner.job.expressions[sum.operand[1]].operation == Operation::constant);
  CHECK(owner.job.expressions[sum.operand[1]].bits == 30);
}

TEST_CASE("provenance: an instruction without traced operands clears the node of its result", "[owners]") {
  ProvenanceOwner owner("add.u32 %r2, %r0, %r1;");
  const Instruction& add = owner.first(Action::compute);
  owner.hold_input(add.operand[0]);
  CHECK_FALSE(owner.provenance.computing(owner.frame(), add, 0x0000ffff));
  CHECK(owner.frame().nodes.lanes(add.operand[0]) == 0xffff0000);
}

TEST_CASE("provenance: a value keeps its node through memory", "[owners]") {
  ProvenanceOwner owner("st.global.u32 [%a0], %r0;\nld.global.u32 %r1, [%a0];");
  const std::uint64_t buffer = owner.memory.allocate(128, "buffer");
  const Instruction &store = owner.first(Action::store), &load = owner.first(Action::load);
  owner.hold_input(owner.program.details[store.detail].data[0]);
  owner.provenance.storing(owner.words(store, buffer));
  owner.provenance.loaded(owner.words(load, buffer));
  CHECK(owner.frame().nodes.at(owner.program.details[load.detail].data[0], 7) == 8);
}

TEST_CASE("provenance: an atomic addition makes memory the sum of the old value and the operand",
          "[owners]") {
  ProvenanceOwner owner("red.global.add.u32 [%a0], %r0;");
  const std::uint64_t buffer = owner.memory.allocate(128, "buffer");
  const Instruction& atomic = owner.first(Action::reduction);
  owner.hold_input(owner.program.details[atomic.detail].data[0]);
  owner.provenance.updating(owner.words(atomic, buffer), {.lane = 5, .element = 0, .old = 100, .now = 105});
  const std::uint32_t now = 105;
  const NodeId sum = owner.job.made_of({global_memory, buffer + 20}, std::as_bytes(std::span(&now, 1)));
  CHECK(owner.job.expressions[sum].operation == Operation::add);
  CHECK(owner.job.expressions[sum].operand[1] == 6);
  CHECK(owner.job.expressions[sum].bits == 105);
}

TEST_CASE("provenance: a shuffle routes nodes from lane to lane", "[owners]") {
  ProvenanceOwner owner("shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;");
  const Instruction& shuffle = owner.first(Action::shuffle);
  owner.warp.groups.front().pc = static_cast<std::uint32_t>(&shuffle - owner.entry.instructions.data());
  owner.hold_input(shuffle.operand[2]);
  const std::size_t members[] = {0};
  LaneRouting routing{owner.warp, members, all_lanes, {}};
  for (unsigned lane = 0; lane < isa::warp_size; ++lane)
    routing.from[lane] = static_cast<std::uint8_t>(lane ^ 1);
  owner.provenance.routed(routing);
  CHECK(owner.frame().nodes.at(shuffle.operand[0], 4) == 6);
  CHECK(owner.frame().nodes.at(shuffle.operand[0], 5) == 5);
}

TEST_CASE("provenance: a decision records the values that it depends on", "[owners]") {
  ProvenanceOwner owner("add.u32 %r2, %r0, %r1;");
  const Instruction& add = owner.first(Action::compute);
  owner.hold_input(add.operand[1]);
  owner.provenance.decided(owner.frame(), add.operand[1], 0b100);
  CHECK(owner.job.expressions.decisions() == std::vector<NodeId>{3});
}
