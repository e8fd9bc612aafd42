// What a kernel with .ftz may flush to zero between its input and its output.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "oracles/bounds.h"
#include "oracles/checker.h"
#include "oracles/dyadic.h"
#include "oracles/tally.h"

namespace foldproof {

/// The exponent e such that every magnitude below 2^e may become zero; nothing if subnormal numbers are kept.
/// Operations flush in the accumulator's format. A conversion to or from f32 flushes as well (PTX ISA, cvt):
/// `double s; s += x` with an f32 element x executes cvt.ftz.f64.f32.
std::optional<std::int64_t> flush_exponent(const Arithmetic& arithmetic);

/// 2^flush_exponent(), or zero if subnormal numbers are kept.
Dyadic flush_threshold(const Arithmetic& arithmetic);

/// What subnormal numbers and divisions lose in a kernel with that arithmetic.
FastMath fast_math_of(const Arithmetic& arithmetic);

/// Whether none of the elements can be flushed: all are multiples of the threshold.
bool keeps_all(const Arithmetic& arithmetic, const Tally& elements);

/// Error of a sum of the elements from flushing them and the intermediate results. `magnitude`: the sum of
/// the magnitudes of what is added. The tally does not exclude that any element is flushed.
Dyadic flush_loss(const Arithmetic& arithmetic, const Tally& elements, const Dyadic& magnitude);

/// No bound is known for a result of this kind if subnormal numbers are flushed. `results`: in the plural.
Bound no_bound_if_flushed(std::string_view results);

/// Error from flushing that number of results when they are converted to the output's format.
Dyadic output_flush_loss(const Arithmetic& arithmetic, std::uint64_t outputs);

}  // namespace foldproof
