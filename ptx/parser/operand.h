// Operands: %r1, -4, table+8, [%rd1+-4], {%r1, %r2}, %r1|%p1, !%p1, %tid.x (PTX ISA 9.0, section 6).
#pragma once

#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// A name with its component, if any. `what` completes "Expected …".
Name parse_name(Cursor& cursor, std::string_view what);

Operand parse_operand(Cursor& cursor);

/// One or more operands separated by commas.
std::vector<Operand> parse_operands(Cursor& cursor);

}  // namespace foldproof::ptx
