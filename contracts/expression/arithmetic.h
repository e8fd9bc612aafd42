// What the operations of expressions compute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "contracts/expression/node.h"

namespace foldproof {

/// Nothing means: no such result inside 63 bits, or a division by zero.
using Result = std::optional<std::int64_t>;

/// Operations on one operand take `a`.
Result apply(Operation operation, std::int64_t a, std::int64_t b);

/// Why apply() gave nothing, as the beginning of a sentence.
std::string why_no_result(Operation operation, std::int64_t a, std::int64_t b);

}  // namespace foldproof
