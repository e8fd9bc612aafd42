// The arguments of a launch as guesses count them: instead of a struct, its members.
#pragma once

#include <vector>

#include "contracts/contract.h"

namespace foldproof {

/// Pointers into `arguments`, in their order.
std::vector<ArgumentContract*> scalar_arguments(std::vector<ArgumentContract>& arguments);
std::vector<const ArgumentContract*> scalar_arguments(const std::vector<ArgumentContract>& arguments);

}  // namespace foldproof
