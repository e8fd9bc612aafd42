// Parses PTX text into a syntax tree.
#pragma once

#include <string>
#include <string_view>

#include "ptx/ast.h"

namespace foldproof::ptx {

/// Parses PTX text. `name` identifies the text in errors. Throws InputError with line and column; never
/// crashes or runs long on any input (ptx/parser/limits.h bounds nesting, registers and sizes).
/// Guarantees: array extents times element size fit limits::variable_bytes; alignments are powers of two; an
/// initializer holds all values of its array's first rows, in order, and never more than the array holds;
/// WARP_SZ and constant expressions are folded into literals; a name is defined at most once at module scope;
/// an unknown directive is kept in Module::unknown.
Module parse(std::string_view text, const std::string& name);

/// The target architecture of the text, such as "sm_90a": reads only up to its .target. Throws like parse().
std::string parse_target(std::string_view text, const std::string& name);

}  // namespace foldproof::ptx
