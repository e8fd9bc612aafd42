// The laws that kernels are tried against: what one input gives says something of what others give.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"

namespace foldproof {

/// A row of laws.def.
struct LawInfo {
  std::string_view name;
  std::string_view claim;
};

std::span<const LawInfo> law_rows();
/// "permuted, padded, …"
std::string law_names();

/// Those that may hold for the instance; whether one can be tried on a case hangs on its count and values.
std::vector<std::string> laws_of(const Instance& instance);

/// Throws InputError for a name that no law has.
void check_law(const std::string& name);

}  // namespace foldproof
