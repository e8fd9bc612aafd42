// The 32-byte sectors accessed by a request to global memory, compared with values derived by hand.
#include "counters/fixture.h"

namespace foldproof::counter_tests {
namespace {

/// Lane l loads at byte first + l * stride of a buffer that starts at a sector boundary.
std::uint64_t sectors(const std::string& load, unsigned stride, unsigned first = 0) {
  const Counters c = count(fmt::format("mul.wide.u32 %rd1, lane, {}; add.u64 %rd1, %rd1, {}; "
                                       "add.u64 %rd1, %rd1, buffer0; {}",
                                       stride, first, load),
                           {.buffers = {zeros(8192)}});
  REQUIRE(c.global.loads.requests == 1);
  REQUIRE(c.global.loads.lanes == 32);
  return c.global.loads.sectors;
}

const std::string word = "ld.global.u32 %r1, [%rd1];";

}  // namespace

TEST_CASE("neighbouring words of a warp occupy four sectors") { CHECK(sectors(word, 4) == 4); }

TEST_CASE("neighbouring words that start one word after a sector boundary occupy five sectors") {
  CHECK(sectors(word, 4, 4) == 5);
}

TEST_CASE("a larger stride accesses more sectors, up to one per lane") {
  CHECK(sectors(word, 8) == 8);
  CHECK(sectors(word, 12) == 12);
  CHECK(sectors(word, 32) == 32);
  CHECK(sectors(word, 128) == 32);
}

TEST_CASE("one word for all lanes is one sector") { CHECK(sectors(word, 0) == 1); }

TEST_CASE("16 bytes per lane occupy 16 sectors") {
  CHECK(sectors("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];", 16) == 16);
}

TEST_CASE("loads, stores and atomics are counted separately") {
  const Counters c = count("st.global.u32 [mine], 1; red.global.add.u32 [buffer0], 1;",
                           {.buffers = {zeros(2 * 64 * 4)}, .grid = {2, 1, 1}, .block = {64, 1, 1}});
  CHECK(c.global.loads == GlobalTraffic{});
  CHECK(c.global.stores == GlobalTraffic{4, 128, 16});
  CHECK(c.global.atomics == GlobalTraffic{4, 128, 4});
}

TEST_CASE("atomics_at_busiest_address reveals a hot spot") {
  CHECK(count("red.global.add.u32 [buffer0], 1;", {.buffers = {zeros(4)}}).atomics_at_busiest_address == 32);
  CHECK(count("red.global.add.u32 [mine], 1;", {.buffers = {zeros(128)}}).atomics_at_busiest_address == 1);
}

}  // namespace foldproof::counter_tests
