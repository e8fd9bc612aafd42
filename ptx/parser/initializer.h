// Initial values of .global and .const variables: = {1, 2, {3}}, = 0f3F800000, = {generic(x)+4, 0xFF00(f)}
// (PTX ISA 9.0, section 5.4.4).
#pragma once

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// Parses `= …` into `variable.initial`: flattened in memory order, with short inner rows padded with zeros.
/// Counts the rows of an array whose first extent was omitted.
void parse_initializer(Cursor& cursor, Variable& variable);

}  // namespace foldproof::ptx
