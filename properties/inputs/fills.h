// The functions that generate inputs, one per row of distributions.def and of transforms.def;
// Elements::argument is the argument that followed the name.
#pragma once

#include "properties/inputs/elements.h"

namespace foldproof::inputs {

#define FOLDPROOF_DISTRIBUTION(id, name, takes, suits, synopsis) void fill_##id(Elements& x);
#include "properties/distributions.def"
#undef FOLDPROOF_DISTRIBUTION

#define FOLDPROOF_TRANSFORM(id, name, takes, suits, synopsis) void transform_##id(Elements& x);
#include "properties/transforms.def"
#undef FOLDPROOF_TRANSFORM

}  // namespace foldproof::inputs
