// The matrix of a contract: every combination of its types, operators and sizes, less the excluded ones.
#pragma once

#include <vector>

#include "contracts/document.h"
#include "contracts/placeholders.h"

namespace foldproof {

/// At least one combination, which is empty without a matrix. Throws InputError for an empty or huge matrix,
/// a value that is neither string nor integer, and an exclusion that excludes nothing.
std::vector<Bindings> combinations(const Table& top);

}  // namespace foldproof
