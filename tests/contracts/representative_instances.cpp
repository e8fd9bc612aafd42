// Which instances of kernel templates stand for the others.
#include "contracts/representative_instances.h"

#include <fmt/format.h>

#include "catch.h"

using foldproof::representative_instances;

TEST_CASE("few kernels are all representative") {
  CHECK(representative_instances({"sum", "sum<int>", "ns::max<int, 3>"}, 3) ==
        std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("every template has an instance, even if they are too many") {
  CHECK(representative_instances({"a<1>", "b<1>", "b<2>", "c"}, 1) == std::vector<std::size_t>{0, 1, 3});
}

TEST_CASE("instances are chosen that together have most values of each argument") {
  std::vector<std::string> kernels;
  for (const char* type : {"int", "float", "ns::Pair<int, int>"})
    for (const int block : {32, 64, 128}) kernels.push_back(fmt::format("sum<{}, {}u>", type, block));
  // int and 32, float and 64, the pair and 128.
  CHECK(representative_instances(kernels, 3) == std::vector<std::size_t>{0, 4, 8});
}

TEST_CASE("templates take turns") {
  CHECK(representative_instances({"a<1>", "a<2>", "a<3>", "b<1>", "b<2>", "b<3>"}, 4) ==
        std::vector<std::size_t>{0, 1, 3, 4});
}
