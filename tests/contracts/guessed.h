// Parts of a guessed contract.
#pragma once

#include <algorithm>
#include <string>

#include "contracts/contract.h"

namespace foldproof {

inline const Instance& only(const Contract& contract) { return contract.instances.at(0); }

inline const Range& domain(const Contract& contract, const std::string& variable) {
  const auto& all = only(contract).domain;
  return std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == variable; })
      ->second;
}

}  // namespace foldproof
