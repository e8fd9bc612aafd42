// Another launch for the same elements.
#pragma once

#include <optional>

#include "properties/case.h"

namespace foldproof {

struct Instance;

/// The case with other values of the variables of the domain, such as block and grid, and as many elements,
/// rows, columns and outputs as before. Drawn from the case alone. Nothing where the domain leaves no choice.
std::optional<Case> relaunched(const Instance& instance, const Case& c);

}  // namespace foldproof
