// Values split into bytes and reassembled.
#include "oracles/expressions.h"

#include <array>

#include "catch.h"
#include "oracles/expression_builder.h"

namespace foldproof::oracle_tests {
namespace {

TEST_CASE("A value that is split and reassembled is the same node") {
  F32Expressions e({1, 2});
  std::array<BytePart, 4> bytes;
  e.all.take_apart(2, 4, 0, bytes);
  const NodeId before = e.all.size();
  CHECK(e.all.assembled(bytes) == 2);
  CHECK(e.all.size() == before);
}

TEST_CASE("The two halves of a pair lead to their original values") {
  F32Expressions e({1, 2});
  std::array<BytePart, 8> bytes;
  e.all.take_apart(2, 4, 0, bytes);
  e.all.take_apart(1, 4, 0, std::span(bytes).subspan(4));
  const NodeId pair = e.all.assembled(bytes);
  CHECK(e.all[pair].bytes == 8);
  CHECK(e.all[pair].bits == (e.all[1].bits << 32 | e.all[2].bits));
  CHECK(e.all.part(pair, 0, 4) == 2);
  CHECK(e.all.part(pair, 4, 4) == 1);
}

TEST_CASE("Bytes without provenance are assembled to a value without provenance") {
  Expressions all;
  CHECK(all.assembled(std::array{BytePart{0, 0, 7}, BytePart{0, 0, 9}}) == 0);
  CHECK(all.opaque(std::array<NodeId, 2>{0, 0}, 5, 4) == 0);
}

TEST_CASE("A part of a part is a part of the whole, with its bits") {
  F32Expressions e({-3.5f});  // 0xc0600000
  const NodeId high = e.all.part(1, 2, 2), highest = e.all.part(high, 1, 1);
  CHECK(e.all[high].bits == 0xc060);
  CHECK(e.all[highest].bits == 0xc0);
  CHECK(e.all[highest].operand[0] == 1);
  CHECK(e.all[highest].first == 3);
}

TEST_CASE("A replaced value is replaced in all its uses, and nothing else changes") {
  F32Expressions e({1, 2, 3});
  const NodeId old = e.add(1, 2), stored = e.add(old, 3), same = e.add(1, e.constant(2));
  const NodeId now = e.all.replaced(stored, old, same);
  CHECK(e.all[now].operand[0] == same);
  CHECK(e.all[now].operand[1] == 3);
  CHECK(e.all[stored].operand[0] == old);
  CHECK(e.all.replaced(3, old, same) == 3);
  CHECK_FALSE(e.all.incomplete());
}

}  // namespace
}  // namespace foldproof::oracle_tests
