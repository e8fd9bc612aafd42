#include "properties/large_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "devices/runner_parts.h"
#include "oracles/formats.h"

namespace foldproof {
namespace {

/// Must match kernels/large_inputs.cu.
struct Fill {
  std::uint64_t seed = 0, significands = 0;
  std::uint32_t precision_bits = 0, sign_bit = 0, lowest_exponent = 0, exponents = 0, one_of = 0, dense = 0,
                signs = 0, magnitudes = 0;
};

/// Biased exponents, as stored.
struct Exponents {
  std::uint32_t lowest = 0, highest = 0;
};

std::uint32_t stored_exponent_of_one(Element element) {
  return static_cast<std::uint32_t>(1 - float_format(element).normal_exponent());
}

Exponents exponents_of(const LargeInput& how, Element element) {
  const std::uint32_t one = stored_exponent_of_one(element);
  return {one - std::min(how.below, one - 1), one + std::min(how.above, how.overflows ? one : one / 2)};
}

}  // namespace

std::span<const LargeInput> large_inputs() {
  static constexpr std::array<LargeInput, 4> inputs{{
      {.name = "sparse-ones", .ones = true, .one_of = 4096, .dense = 1024},
      {.name = "uniform"},
      {.name = "signs", .signs = Signs::random, .below = 8},
      {.name = "cancelling", .signs = Signs::in_pairs, .below = all_exponents, .above = all_exponents},
  }};
  return inputs;
}

void LargeInputMaker::make(const LargeInput& how, bool magnitudes, Element element, Address to,
                           std::uint64_t count, std::uint64_t seed) {
  const auto precision_bits = static_cast<std::uint32_t>(float_format(element).precision - 1);
  const Exponents exponents = exponents_of(how, element);
  const Fill fill{.seed = seed,
                  .significands = how.ones ? 0 : (std::uint64_t{1} << precision_bits) - 1,
                  .precision_bits = precision_bits,
                  .sign_bit = width_of(element) - 1,
                  .lowest_exponent = exponents.lowest,
                  .exponents = exponents.highest - exponents.lowest + 1,
                  .one_of = how.one_of,
                  .dense = how.dense,
                  .signs = static_cast<std::uint32_t>(how.signs),
                  .magnitudes = magnitudes ? 1U : 0U};
  LaunchShape shape{{1, 1, 1}, {512, 1, 1}};
  CUfunc_st* const function = module_.function(fmt::format("fill_{}", size_of(element)), shape);
  shape.grid.x = static_cast<std::uint32_t>(context_.resident_blocks(function, shape));
  context_.launch(function, shape, std::array{argument_of(to), argument_of(count), argument_of(fill)});
}

Tally tally_but_for_sums(const LargeInput& how, Element element, std::uint64_t count) {
  const FloatFormat& format = float_format(element);
  const Exponents exponents = exponents_of(how, element);
  Tally tally;
  tally.count = tally.finite = tally.nonzero = count;
  tally.widest = how.ones ? 1 : format.precision;
  tally.lowest_place = how.ones ? 0 : format.lowest_exponent + std::int64_t{exponents.lowest} - 1;
  tally.highest_place = std::int64_t{exponents.highest} - stored_exponent_of_one(element);
  return tally;
}

}  // namespace foldproof
