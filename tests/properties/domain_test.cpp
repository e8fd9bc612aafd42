// What a contract's domain admits, apart from the cases that are drawn from it.
#include "properties/generation/domain.h"

#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

TEST_CASE("a case lacks no variable that the others determine") {
  const Instance instance =
      fake::with_domain({{"exponent", "0 .. 10"}, {"block", "2^exponent"}, {"count", "0 .. 1000"}});
  const Domain domain(instance, 1 << 16);
  const auto completed = [&](const Variables& variables) {
    Case c;
    c.variables = variables;
    return domain.completed(c).variables;
  };
  CHECK(completed({{"block", 256}, {"count", 7}}) ==
        Variables{{"exponent", 8}, {"block", 256}, {"count", 7}});
  CHECK(completed({{"exponent", 3}, {"count", 7}}) == Variables{{"exponent", 3}, {"block", 8}, {"count", 7}});
  CHECK(completed({{"block", 256}}) == Variables{{"block", 256}});  // any count would do
  CHECK(completed({{"block", 100}, {"count", 7}}) == Variables{{"block", 100}, {"count", 7}});
  CHECK(completed({{"other", 1}}) == Variables{{"other", 1}});
}

TEST_CASE("a domain beyond the largest count is refused") {
  const Instance instance = fake::with_domain({{"count", "2^31 .. 2^33"}});
  const Domain domain(instance, 1 << 16);
  CHECK_THROWS_WITH(
      domain.nearest({}),
      "the contract claims counts of at least 2147483648, but the largest count tried is 65536");
  const Instance misaligned = fake::with_domain({{"offset", "2^21"}, {"count", "1 .. 32"}});
  CHECK_THROWS_WITH(
      Domain(misaligned, 1 << 16).nearest({}),
      "the contract claims offsets of at least 2097152, but the largest offset tried is 1048576");
}

TEST_CASE("a range with more than 2^63 values is refused") {
  const Instance wide =
      fake::with_domain({{"extra", "-9223372036854775807 .. 9223372036854775807"}, {"count", "1 .. 32"}});
  CHECK_THROWS_WITH(
      Domain(wide, 1 << 16).nearest({}),
      "the range -9223372036854775807 .. 9223372036854775807 of \"extra\" has more than 2^63 values");
}

}  // namespace
}  // namespace foldproof
