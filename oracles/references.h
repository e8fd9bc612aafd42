// What reductions should return: exactly, or enclosed as narrowly as is asked for.
//
// Inputs are whole elements of any type; integers count as the reals that they are. A reference rounds once,
// to any output type. NaN in the input gives NaN unless a function says otherwise, -0 and +0 are equal, and
// an exact zero is +0 unless a function says otherwise.
#pragma once

#include "oracles/references/counting.h"       // IWYU pragma: export
#include "oracles/references/exponential.h"    // IWYU pragma: export
#include "oracles/references/extremes.h"       // IWYU pragma: export
#include "oracles/references/moments.h"        // IWYU pragma: export
#include "oracles/references/normalisation.h"  // IWYU pragma: export
#include "oracles/references/product.h"        // IWYU pragma: export
#include "oracles/references/reference.h"      // IWYU pragma: export
#include "oracles/references/segments.h"       // IWYU pragma: export
