// Variables, registers and parameters: .reg .b32 %r<5>; .shared .align 16 .b8 tile[64][32]; .param .u64 .ptr
// p (PTX ISA 9.0, sections 5.1 to 5.4 and 11.6).
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// Parses `.space attributes name, name…;` through the semicolon. The declaration starts at byte `begin`,
/// since it includes a preceding `.extern`.
std::vector<Variable> parse_variables(Cursor& cursor, bool is_extern, std::uint32_t begin);

/// Parses `( .param .b32 a, .param .b32 b )`; the result is empty if the next token is not a parenthesis.
std::vector<Variable> parse_parameters(Cursor& cursor);

/// Skips `(.managed)` or `(.unified(1, 2))` after `.attribute`.
void skip_attribute(Cursor& cursor);

}  // namespace foldproof::ptx
