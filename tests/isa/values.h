// Test operands: the edge values of each type, and random values of similar magnitudes.
#pragma once

#include <cstdint>

#include "run.h"

namespace foldproof::tests {

/// As many low bits as given, all one.
inline Value ones(unsigned bits) { return bits >= 64 ? ~Value{0} : (Value{1} << bits) - 1; }

/// Integers of the given width: edge values first, then random ones of every magnitude.
Column integers(unsigned bits, unsigned seed);

/// Floats of a format by its field widths: zeros, subnormals, neighbours of 1, extremes, infinities, NaNs,
/// then random ones with similar exponents (so that sums cancel and ties occur) and with any exponent.
Column floats(unsigned exponent_bits, unsigned fraction_bits, unsigned seed);
inline Column f32s(unsigned seed) { return floats(8, 23, seed); }
inline Column f64s(unsigned seed) { return floats(11, 52, seed); }
inline Column f16s(unsigned seed) { return floats(5, 10, seed); }
inline Column bf16s(unsigned seed) { return floats(8, 7, seed); }

/// All 16-bit values.
Column all_16_bits();

/// Every pair (triple) of the first `edges` values of the columns, then the columns row by row.
Columns crossed(const Columns& columns, std::size_t edges);

/// Combines two columns of 16-bit values into one column of pairs.
Column paired(const Column& low, const Column& high);

}  // namespace foldproof::tests
