// What a .global or .const variable holds at first: = {1, 2, {3}}, = 0f3F800000, = {generic(x)+4, 0xFF00(f)}
// (PTX ISA 9.0, section 5.4.4).
#pragma once

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// Reads `= …` into `variable.initial`: flat, in memory order, short inner rows filled with zeros. Counts the
/// rows of an array whose first extent was left open.
void parse_initializer(Cursor& cursor, Variable& variable);

}  // namespace foldproof::ptx
