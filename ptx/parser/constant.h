// Numbers and constant expressions (PTX ISA 9.0, sections 4.5 and 4.6): 5, 0x1F, -1, (1 << 4) + 3, 1.5,
// 0f3F800000.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// Whether the next token starts a constant expression rather than a name.
bool at_constant(const Cursor& cursor);

/// Parses one constant expression. Integers wrap to 64 bits; 0f… cannot be combined with operators.
Literal parse_constant(Cursor& cursor);

/// The `+4`, `-4` or `+-4` after a name; 0 if none follows.
std::int64_t parse_offset(Cursor& cursor);

/// A plain unsigned number of a directive, at most `most`. `what` names it in errors: "The alignment".
std::uint64_t parse_count(Cursor& cursor, std::uint64_t most, std::string_view what);
std::uint32_t parse_count32(Cursor& cursor, std::string_view what);

}  // namespace foldproof::ptx
