// What the text may say and no reader needs to know, and what this reader does not know.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// `.pragma "nounroll", "…";` behind its word: advice to ptxas.
void skip_pragma(Cursor& cursor);

/// `.noreturn`, `.abi_preserve 16` behind a .callprototype: register allocation, and that no return follows.
void skip_prototype_attributes(Cursor& cursor);

/// Reads a directive whose grammar is unknown, from its word on: at module scope and in a body up to its
/// semicolon, or past its braces, or up to a directive on a later line; in a function's head up to the next
/// directive, the body or the semicolon. The item that it belongs to starts at byte `begin`.
UnknownDirective parse_unknown(Cursor& cursor, UnknownDirective::Where where, std::uint32_t begin,
                               const std::string& function);

}  // namespace foldproof::ptx
