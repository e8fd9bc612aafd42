// What the calls of a launch pass, next to a number of each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "contracts/guess.h"

namespace foldproof {

/// Of one call: what is passed for a parameter, and a number that may depend on it.
using Pair = std::pair<std::int64_t, std::int64_t>;

/// For each call. Nothing unless both are known in all calls.
template <typename Number>
std::vector<Pair> pairs(const SourceLaunch& launch, std::size_t parameter, const Number& number_of) {
  std::vector<Pair> found;
  for (const HostCall& call : launch.calls) {
    const std::optional<std::int64_t> number = number_of(call);
    if (parameter >= call.arguments.size() || !call.arguments[parameter] || !number) return {};
    found.emplace_back(*call.arguments[parameter], *number);
  }
  return found;
}

}  // namespace foldproof
