// The case that stands for an instance: where everything is free, and where a count hangs on another
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

TEST_CASE("a free count and block are what is wanted, as far as the count is tried") {
  CHECK(chosen({{"count", "0 .. 2^33"}, {"block", "1 .. 1024"}}, 66560) ==
        Variables{{"count", 65536}, {"block", 256}});
  CHECK(chosen({{"count", "0 .. 2^33"}, {"block", "1 .. 1024"}}, 256) ==
        Variables{{"count", 256}, {"block", 256}});
}

TEST_CASE("a variable that the block hangs on brings it to the size that is wanted") {
  CHECK(chosen({{"k", "0 .. 10"}, {"block", "2^k"}, {"count", "0 .. 2^20"}}, 66560) ==
        Variables{{"k", 8}, {"block", 256}, {"count", 65536}});
}

TEST_CASE("a variable that the count hangs on leaves no empty case") {
  CHECK(chosen({{"groups", "0 .. 2^31"}, {"count", "groups * 4"}, {"block", "1 .. 1024"}}, 256) ==
        Variables{{"groups", 64}, {"count", 256}, {"block", 256}});
  // Of large values some are tried: 65,536 is met within a part in 256.
  const std::int64_t count =
      chosen({{"groups", "0 .. 2^31"}, {"count", "groups * 4"}, {"block", "1 .. 1024"}}, 66560).at("count");
  CHECK(count >= 65536 - 256);
  CHECK(count <= 65536 + 256);
}

}  // namespace
}  // namespace foldproof
