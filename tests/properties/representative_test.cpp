// The representative case of an instance: with free variables, and with a count that depends on another
// variable.
#include "properties/representative.h"

#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

Variables chosen(std::vector<std::pair<std::string, std::string>> domain, std::uint64_t largest_count) {
  Instance instance = fake::contract(Operator::sum, Element::f32).instances.front();
  instance.domain.clear();
  for (const auto& [name, range] : domain) instance.domain.emplace_back(name, Range::parse(range, {}));
  return representative_case(instance, largest_count).variables;
}

TEST_CASE("a free count and block have the preferred size, limited by the tried counts") {
  CHECK(chosen({{"count", "0 .. 2^33"}, {"block", "1 .. 1024"}}, 66560) ==
        Variables{{"count", 65536}, {"block", 256}});
  CHECK(chosen({{"count", "0 .. 2^33"}, {"block", "1 .. 1024"}}, 256) ==
        Variables{{"count", 256}, {"block", 256}});
}

TEST_CASE("a variable that determines the block is chosen to give the preferred block size") {
  CHECK(chosen({{"k", "0 .. 10"}, {"block", "2^k"}, {"count", "0 .. 2^20"}}, 66560) ==
        Variables{{"k", 8}, {"block", 256}, {"count", 65536}});
}

TEST_CASE("a variable that determines the count is chosen to give the preferred count") {
  CHECK(chosen({{"groups", "0 .. 2^31"}, {"count", "groups * 4"}, {"block", "1 .. 1024"}}, 256) ==
        Variables{{"groups", 64}, {"count", 256}, {"block", 256}});
  // Not every large value is tried: 65,536 is reached within 256.
  const std::int64_t count =
      chosen({{"groups", "0 .. 2^31"}, {"count", "groups * 4"}, {"block", "1 .. 1024"}}, 66560).at("count");
  CHECK(count >= 65536 - 256);
  CHECK(count <= 65536 + 256);
}

TEST_CASE("factors that may be 0 give an input with elements") {
  const Variables variables = chosen(
      {{"columns", "0 .. 2^20"}, {"rows", "0 .. 2^20"}, {"count", "rows * columns"}, {"offset", "0 .. 3"}},
      256);
  CHECK(variables.at("count") == 256);
  CHECK(variables.at("offset") == 0);
}

}  // namespace
}  // namespace foldproof
