// The parsers of the parts of a module, each in a file named after what it parses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"
#include "ptx/parser/line_table.h"

namespace foldproof::ptx {

// Numbers and constant expressions (PTX ISA 9.0, sections 4.5 and 4.6): 5, 0x1F, -1, (1 << 4) + 3, 1.5,
// 0f3F800000.

/// Whether the next token starts a constant expression rather than a name.
bool at_constant(const Cursor& cursor);
/// Parses one constant expression. Integers wrap to 64 bits; 0f… cannot be combined with operators.
Literal parse_constant(Cursor& cursor);
/// The `+4`, `-4` or `+-4` after a name; 0 if none follows.
std::int64_t parse_offset(Cursor& cursor);
/// A plain unsigned number of a directive, at most `most`. `what` names it in errors: "the alignment".
std::uint64_t parse_count(Cursor& cursor, std::uint64_t most, std::string_view what);
std::uint32_t parse_count32(Cursor& cursor, std::string_view what);

// Operands: %r1, -4, table+8, [%rd1+-4], {%r1, %r2}, %r1|%p1, !%p1, %tid.x (PTX ISA 9.0, section 6).

/// A name with its component, if any. `what` completes "expected …".
Name parse_name(Cursor& cursor, std::string_view what);
Operand parse_operand(Cursor& cursor);
/// One or more operands separated by commas.
std::vector<Operand> parse_operands(Cursor& cursor);

// Variables, registers and parameters: .reg .b32 %r<5>; .shared .align 16 .b8 tile[64][32]; .param .u64 .ptr
// p; = {1, 2, {3}}, = 0f3F800000, = {generic(x)+4, 0xFF00(f)} (PTX ISA 9.0, sections 5.1 to 5.4 and 11.6).

/// Parses `.space attributes name, name…;` through the semicolon. The declaration starts at byte `begin`,
/// since it includes a preceding `.extern`.
std::vector<Variable> parse_variables(Cursor& cursor, bool is_extern, std::uint32_t begin);
/// Parses `( .param .b32 a, .param .b32 b )`; the result is empty if the next token is not a parenthesis.
std::vector<Variable> parse_parameters(Cursor& cursor);
/// Skips `(.managed)` or `(.unified(1, 2))` after `.attribute`.
void skip_attribute(Cursor& cursor);

// Directives that are irrelevant to all readers, and unknown ones.

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

/// Parses the body `{ … }` of a function. Prototypes and target lists found in it are added to `function`,
/// unknown directives to `unknown`.
std::unique_ptr<Scope> parse_body(Cursor& cursor, LineTable& lines, Function& function,
                                  std::vector<UnknownDirective>& unknown);

}  // namespace foldproof::ptx
