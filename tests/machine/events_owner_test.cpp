// The components Events and Coverage in isolation: an effect, and what observers received or what was
// recorded.
#include "devices/emulated/events/events.h"

#include <memory>

#include "catch.h"
#include "devices/emulated/coverage/coverage.h"
#include "machine/owners_fixture.h"

using namespace foldproof;
using namespace foldproof::emulated;

namespace {

struct Seen {
  std::vector<AccessEvent> accesses;
  std::vector<std::uint64_t> addresses;  ///< of the first lane
  std::vector<std::uint32_t> barriers;   ///< number of warps in each event
};

class Recorder final : public Observer {
 public:
  explicit Recorder(Seen& seen) : seen_(seen) {}
  void accesses(const AccessEvent& event) override {
    seen_.accesses.push_back(event);
    seen_.addresses.push_back(event.at[0]);
  }
  void warps_arrive(BarrierEvent /*event*/, std::uint32_t warps) override { seen_.barriers.push_back(warps); }

 private:
  Seen& seen_;
};

struct EventsOwner : OneWarp {
  explicit EventsOwner(const std::string& body) : OneWarp(body) {
    observers.push_back(std::make_unique<Recorder>(seen));
    events.emplace(program, geometry, *addresses, observers);
  }
  Seen seen;
  Observers observers;
  std::optional<Events> events;
};

}  // namespace

TEST_CASE("events: a store marks the lanes that write the value already in memory", "[owners]") {
  EventsOwner owner("st.global.u32 [%a0], %r0;");
  const std::uint64_t buffer = owner.memory.allocate(128, "buffer");
  const std::uint32_t zero[32] = {};
  std::memcpy(owner.memory.find(buffer).host, zero, sizeof zero);
  const Instruction& store = owner.first(Action::store);
  owner.fill(owner.program.details[store.detail].data[0], 1);  // lane 0 stores 0
  owner.events->emit_store(owner.words(store, buffer));
  REQUIRE(owner.seen.accesses.size() == 1);
  CHECK(owner.seen.accesses[0].unchanged == 0b1);
  CHECK(owner.seen.accesses[0].lanes == all_lanes);
  CHECK(owner.seen.addresses[0] == buffer);
}

TEST_CASE("events: complete warps that arrive at a barrier together are emitted as one event", "[owners]") {
  EventsOwner owner("bar.sync 0;");
  const Instruction& barrier = owner.first(Action::barrier_sync);
  owner.warp.groups.front().pc = static_cast<std::uint32_t>(&barrier - owner.entry.instructions.data());
  owner.block.barriers_in_use = 1;
  for (const unsigned warp : {0u, 1u}) {
    owner.warp.index = warp;
    owner.events->emit_barrier_arrival(owner.warp, owner.warp.groups.front(), 0, 0);
  }
  CHECK(owner.seen.barriers.empty());
  owner.events->emit_barrier_completion(owner.block, 0);
  CHECK(owner.seen.barriers == std::vector<std::uint32_t>{0b11});
}

TEST_CASE("coverage: a branch counts taken and untaken groups of lanes", "[owners]") {
  OneWarp warp("setp.eq.s32 %p0, %r0, 7;\n@%p0 bra L;\nadd.s32 %r1, %r1, 1;\nL:");
  const Instruction& branch = warp.first(Action::branch);
  Coverage coverage;
  coverage.branches(branch, all_lanes, 0);
  coverage.branches(branch, all_lanes, 0b1);
  const Coverage::Branch& covered = coverage.branches().at(branch.site);
  CHECK(covered.taken == 1);
  CHECK(covered.not_taken == 2);
}

TEST_CASE("coverage: a comparison records its distinct operands", "[owners]") {
  OneWarp warp("setp.eq.s32 %p0, %r0, 7;");
  const Instruction& compare = warp.first(Action::compute);
  warp.fill(compare.operand[2], 5);  // the second destination of setp comes before its sources
  Coverage coverage;
  coverage.compares(warp.frame(), compare, 0b111);
  CHECK(coverage.comparisons().at(compare.site) == std::vector<Coverage::Operands>{{0, 7}, {5, 7}, {10, 7}});
}
