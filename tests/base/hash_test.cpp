#include "base/hash.h"

#include "catch.h"

using namespace foldproof;

TEST_CASE("a keyed hash is BLAKE2b of 128 bits") {
  // As Python's hashlib.blake2b(…, key=…, digest_size=16) computes them.
  CHECK(keyed_hash("", "0123456789abcdef") == "ae1b7d5885b9050a9e768c79b773414a");
  CHECK(keyed_hash("abc", "0123456789abcdef") == "ba12358e44e48c3039f89e0d14dbcaa5");
  CHECK(keyed_hash("abc", "another key of the cache") == "c978561af5bb4ce1ff7d88d69888cee9");
  CHECK(keyed_hash(std::string(1000, 'a'), "0123456789abcdef") == "85b93463e3c19ef59223f09302679e3e");
}

TEST_CASE("mixed() is the output function of SplitMix64") {
  // The first outputs of SplitMix64 seeded with 1234567, as Rosetta Code lists them.
  constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;
  CHECK(mixed(1234567 + gamma) == 6457827717110365317u);
  CHECK(mixed(1234567 + 2 * gamma) == 3203168211198807973u);
}
