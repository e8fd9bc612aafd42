// Variables, registers and parameters: .reg .b32 %r<5>; .shared .align 16 .b8 tile[64][32]; .param .u64 .ptr
// p (PTX ISA 9.0, sections 5.1 to 5.4 and 11.6).
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// Reads `.space attributes name, name…;` up to and with the semicolon. The declaration starts at byte
/// `begin`: a `.extern` in front of it belongs to it.
std::vector<Variable> parse_variables(Cursor& cursor, bool is_extern, std::uint32_t begin);

/// Reads `( .param .b32 a, .param .b32 b )`; nothing stands there when the next token is no parenthesis.
std::vector<Variable> parse_parameters(Cursor& cursor);

/// Skips `.attribute(.managed)`, `.attribute(.unified(1, 2))` behind the word `.attribute`.
void skip_attribute(Cursor& cursor);

}  // namespace foldproof::ptx
