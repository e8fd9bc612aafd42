#include "base/hash.h"

#include "catch.h"

using namespace foldproof;

TEST_CASE("a content hash is XXH3 of 128 bits, with the digits that xxhsum prints") {
  CHECK(content_hash("") == "99aa06d3014798d86001c324468d497f");
  CHECK(content_hash("abc", "key") != content_hash("abc"));
  CHECK(content_hash("abc", "key") != content_hash("abc", "another"));
  CHECK(content_hash("abc") == "06b05ab6733a618578af5f94892f3950");
}

TEST_CASE("mixed() is the output function of SplitMix64") {
  // The first outputs of SplitMix64 seeded with 1234567, as Rosetta Code lists them.
  constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;
  CHECK(mixed(1234567 + gamma) == 6457827717110365317u);
  CHECK(mixed(1234567 + 2 * gamma) == 3203168211198807973u);
}
