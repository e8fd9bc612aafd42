// What the text may say and the emulated device need not know.
#pragma once

#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

/// `.pragma "nounroll", "…";` behind its word: advice to ptxas.
void skip_pragma(Cursor& cursor);

/// `.noreturn`, `.abi_preserve 16` behind a .callprototype: register allocation, and that no return follows.
void skip_prototype_attributes(Cursor& cursor);

}  // namespace foldproof::ptx
