// Skips directives that are irrelevant to all readers, and reads unknown ones.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// `.pragma "nounroll", "…";` after its keyword: hints for ptxas.
void skip_pragma(Cursor& cursor);

/// `.noreturn`, `.abi_preserve 16` after a .callprototype: register allocation, and that the call does not
/// return.
void skip_prototype_attributes(Cursor& cursor);

/// Reads a directive of unknown grammar, starting with its keyword. At module scope and in a body it extends
/// to its semicolon, past its braces, or up to a directive on a later line; in a function head it extends to
/// the next directive, the body or the semicolon. The item that contains it starts at byte `begin`.
UnknownDirective parse_unknown(Cursor& cursor, UnknownDirective::Where where, std::uint32_t begin,
                               const std::string& function);

}  // namespace foldproof::ptx
