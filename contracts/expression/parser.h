// From an expression's text to its tree.
#pragma once

#include <string_view>

#include "contracts/expression/node.h"

namespace foldproof {

/// Throws InputError that points inside `where` when `text` is no expression.
NodePtr parse_expression(std::string_view text, const Position& where);

}  // namespace foldproof
