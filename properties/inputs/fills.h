// The functions that make inputs, one for each row of recipes.def; Elements::argument is what followed its
// name.
#pragma once

#include "properties/inputs/elements.h"

namespace foldproof::inputs {

#define FOLDPROOF_RECIPE(id, name, takes, suits, synopsis) void fill_##id(Elements& x);
#include "properties/recipes.def"
#undef FOLDPROOF_RECIPE

#define FOLDPROOF_MODIFIER(id, name, takes, suits, synopsis) void modify_##id(Elements& x);
#include "properties/modifiers.def"
#undef FOLDPROOF_MODIFIER

}  // namespace foldproof::inputs
