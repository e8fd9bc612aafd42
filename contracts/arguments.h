// Kernel arguments as a contract spells them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"

namespace foldproof {

/// "output", "partials + 4", "count", "f32:1.5", "i32:count" or "{input, i32:count}"; `buffers` are the names
/// that stand for addresses. Throws InputError.
ArgumentContract parse_argument(std::string_view text, const std::vector<std::string>& buffers,
                                const Position& where);

}  // namespace foldproof
