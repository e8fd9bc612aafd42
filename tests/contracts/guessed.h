// Guessed contracts and their parts.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "contracts/guess.h"

namespace foldproof {

inline std::vector<Contract> likeliest_contracts(const std::filesystem::path& source,
                                                 const std::string& entry, const CompileOptions& options,
                                                 const std::optional<Reference>& reference = {}) {
  std::vector<Contract> contracts;
  for (GuessedKernel& guess : guess_kernels(source, entry, options, reference))
    contracts.push_back(std::move(guess.contract));
  return contracts;
}

inline const Instance& only(const Contract& contract) { return contract.instances.at(0); }

inline const Range& domain(const Contract& contract, const std::string& variable) {
  const auto& all = only(contract).domain;
  return std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == variable; })
      ->second;
}

}  // namespace foldproof
