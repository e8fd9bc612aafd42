#include "oracles/checkers/flushing.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/bounds.h"
#include "oracles/formats.h"

namespace foldproof {
namespace {

/// bf16 values are f32 values with a shorter significand.
bool converts_with_flushing(Element element) { return element == Element::f32 || element == Element::bf16; }

}  // namespace

std::optional<std::int64_t> flush_exponent(const Arithmetic& a) {
  if (!a.flush_to_zero || !is_float(a.accumulator)) return std::nullopt;
  std::int64_t exponent = float_format(a.accumulator).normal_exponent();
  for (const Element element : {a.input, a.output})
    if (converts_with_flushing(element))
      exponent = std::max<std::int64_t>(exponent, float_format(element).normal_exponent());
  return exponent;
}

Dyadic flush_threshold(const Arithmetic& arithmetic) {
  const auto exponent = flush_exponent(arithmetic);
  return exponent ? Dyadic::power_of_two(*exponent) : Dyadic{};
}

FastMath fast_math_of(const Arithmetic& arithmetic) {
  const bool flushes = arithmetic.flush_to_zero && is_float(arithmetic.accumulator);
  return {flushes ? smallest_normal(float_format(arithmetic.accumulator)) : Dyadic{},
          flush_threshold(arithmetic), arithmetic.approximates};
}

bool keeps_all(const Arithmetic& arithmetic, const Tally& elements) {
  const auto exponent = flush_exponent(arithmetic);
  return !exponent || elements.nonzero == 0 || elements.lowest_place >= *exponent;
}

Dyadic flush_loss(const Arithmetic& arithmetic, const Tally& elements, const Dyadic& magnitude) {
  if (!arithmetic.flush_to_zero) return {};
  return flush_to_zero_loss(elements.nonzero, float_format(arithmetic.accumulator),
                            std::min(magnitude, elements.nonzero * flush_threshold(arithmetic)));
}

Bound no_bound_if_flushed(std::string_view results) {
  return Bound::none(fmt::format(
      "no bound is known for {} if subnormal numbers are flushed to zero; compile without "
      "--use_fast_math and -ftz=true, and avoid operations that always flush, such as __half division and "
      "f32 atomics on global memory",
      results));
}

Dyadic output_flush_loss(const Arithmetic& arithmetic, std::uint64_t outputs) {
  return arithmetic.output == arithmetic.accumulator ? Dyadic{} : outputs * flush_threshold(arithmetic);
}

}  // namespace foldproof
