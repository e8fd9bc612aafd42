// Another launch for the same elements.
#pragma once

#include <optional>

#include "properties/case.h"

namespace foldproof {

struct Instance;

/// The case with other values of launch variables such as block and grid, and with the same numbers of
/// elements, rows, columns and outputs. Drawn from the case alone. Nothing if the domain leaves no choice.
std::optional<Case> relaunched(const Instance& instance, const Case& c);

}  // namespace foldproof
