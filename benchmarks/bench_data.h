// The data on which `foldproof-lab bench oracles` measures sums.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string_view>

#include "oracles/formats.h"

namespace foldproof {

struct BenchData {
  std::string_view name;
  bool (*suits)(Element element);
  std::uint64_t (*code)(Element element, std::mt19937_64& random);  ///< the bits of one element
};

std::span<const BenchData> bench_data();

}  // namespace foldproof
