// From PTX text to its syntax tree.
#pragma once

#include <string>
#include <string_view>

#include "ptx/ast.h"

namespace foldproof::ptx {

/// Parses PTX text. `name` is what errors call the text. Throws InputError with line and column: never
/// crashes, never runs long, whatever the text is (ptx/parser/limits.h bounds nesting, registers and sizes).
/// Promises: extents times element size fit limits::variable_bytes; alignments are powers of two; an
/// initialiser holds all values of its array's first rows, in order, and never more than the array; WARP_SZ
/// and constant expressions are folded into literals; a name is never defined twice at module scope; a
/// directive that is not known is kept in Module::unknown.
Module parse(std::string_view text, const std::string& name);

/// The architecture that the text is for, "sm_90a": reads no further than its .target. Throws like parse().
std::string parse_target(std::string_view text, const std::string& name);

}  // namespace foldproof::ptx
