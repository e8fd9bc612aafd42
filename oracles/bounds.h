// Rigorous bounds on the error of floating-point reductions; docs/numerics.md derives each.
//
//   p, u        precision of the format in which the operations round; unit roundoff 2^-p
//   u'          u / (1 + u): the largest relative error of one operation rounded to nearest
//   eta, lambda smallest subnormal and smallest normal value of that format
//   x_i, A      the terms and the sum of their magnitudes
//   d_i, h      how many additions the term x_i passes through on its way to the result; the largest d_i
//
// All bounds are absolute, in the unit of the result, and none is ever rounded down. All suppose that no
// operation overflows and, where they do not say otherwise, that every operation rounds to nearest (ties may
// go either way) and that subnormal results are kept. A term that is zero counts nowhere: adding it is exact.
#pragma once

#include "oracles/bounds/compensated.h"  // IWYU pragma: export
#include "oracles/bounds/dot.h"          // IWYU pragma: export
#include "oracles/bounds/exponential.h"  // IWYU pragma: export
#include "oracles/bounds/growth.h"       // IWYU pragma: export
#include "oracles/bounds/output.h"       // IWYU pragma: export
#include "oracles/bounds/product.h"      // IWYU pragma: export
#include "oracles/bounds/sum.h"          // IWYU pragma: export
#include "oracles/bounds/variance.h"     // IWYU pragma: export
