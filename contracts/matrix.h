// The matrix of a contract: every combination of its types, operators and sizes, less the excluded ones.
#pragma once

#include <string>
#include <vector>

#include "contracts/document.h"
#include "contracts/placeholders.h"

namespace foldproof {

struct Combination {
  std::string label;  ///< "T=f32,B=128", in the order of the file; empty without a matrix
  Bindings bindings;
};

/// At least one combination. Throws InputError for an empty or huge matrix, a value that is neither string
/// nor integer, and an exclusion that excludes nothing.
std::vector<Combination> combinations(const Table& top);

}  // namespace foldproof
