#include "benchmarks/instruction_operands.h"

#include <algorithm>
#include <random>

namespace foldproof {
namespace {

using isa::Type;
using Random = std::mt19937_64;
using Values = std::vector<std::uint64_t>;

std::uint64_t ones(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

/// A value of a type: `count` elements of `bits` bits. Floats have exponent bits, all others none.
struct Layout {
  unsigned bits = 0, count = 1, exponent_bits = 0;
};

Layout layout_of(Type type) {
  switch (type) {
    case Type::f16: return {16, 1, 5};
    case Type::f16x2: return {16, 2, 5};
    case Type::bf16: return {16, 1, 8};
    case Type::bf16x2: return {16, 2, 8};
    case Type::f32:
    case Type::tf32: return {32, 1, 8};
    case Type::f32x2: return {32, 2, 8};
    case Type::f64: return {64, 1, 11};
    case Type::u16x2:
    case Type::s16x2: return {16, 2, 0};
    default: return {std::min(64u, isa::bits_of(type)), 1, 0};
  }
}

/// The most important ones first.
Values extreme_integers(unsigned bits) {
  const std::uint64_t top = 1ull << (bits - 1);
  Values values{0,  1,  ones(bits), top, top - 1, 2,  31, 32, top + 1, ones(bits) - 1,
                33, 63, 64,         3,   5,       7,  8,  15, 16,      24,
                47, 48, 127,        128, 255,     256};
  Values distinct;
  for (const std::uint64_t value : values)
    if (value <= ones(bits) && std::ranges::find(distinct, value) == distinct.end())
      distinct.push_back(value);
  return distinct;
}

Values extreme_floats(unsigned bits, unsigned exponent_bits) {
  const unsigned fraction_bits = bits - 1 - exponent_bits;
  const std::uint64_t hidden = 1ull << fraction_bits, sign = hidden << exponent_bits;
  const std::uint64_t one = ones(exponent_bits - 1) << fraction_bits, infinity = ones(exponent_bits)
                                                                                 << fraction_bits;
  Values values;
  for (const std::uint64_t magnitude :
       {std::uint64_t{0}, one, infinity, std::uint64_t{1}, infinity - 1, infinity | hidden / 2, hidden,
        hidden - 1, infinity + 1, one + 1, one - 1, one + hidden, one + hidden / 2, hidden + 1,
        infinity | (hidden - 1), std::uint64_t{2}})
    values.insert(values.end(), {magnitude, magnitude | sign});
  return values;
}

Values extremes_of(const Layout& layout) {
  return layout.exponent_bits == 0 ? extreme_integers(layout.bits)
                                   : extreme_floats(layout.bits, layout.exponent_bits);
}

/// Exponents near that of 1 in half of the cases, so that sums cancel; often few fraction bits, to cause
/// ties.
std::uint64_t random_float(const Layout& layout, Extremes extremes, Random& random) {
  const unsigned fraction_bits = layout.bits - 1 - layout.exponent_bits;
  const std::uint64_t bias = ones(layout.exponent_bits - 1);
  const std::uint64_t kind = extremes == Extremes::excluded ? 0 : random() % 8;
  const std::uint64_t exponent = kind < 4   ? bias - 3 + random() % 8
                                 : kind < 5 ? random() % (fraction_bits + 3)
                                            : random();
  std::uint64_t fraction = random() & ones(fraction_bits);
  if (random() % 2 != 0) fraction &= ~ones(fraction_bits / 2 + 1);
  const std::uint64_t sign = random() % 2;
  return sign << (layout.bits - 1) | (exponent & ones(layout.exponent_bits)) << fraction_bits | fraction;
}

std::uint64_t random_element(const Layout& layout, Extremes extremes, Random& random) {
  if (extremes == Extremes::included && random() % 4 == 0) {
    const Values values = extremes_of(layout);
    return values[random() % values.size()];
  }
  if (layout.exponent_bits != 0) return random_float(layout, extremes, random);
  const std::uint64_t bits = random() & ones(layout.bits);
  return extremes == Extremes::included ? bits >> random() % layout.bits : bits;
}

std::uint64_t random_word(const Layout& layout, Extremes extremes, Random& random) {
  std::uint64_t word = 0;
  for (unsigned k = 0; k < layout.count; ++k)
    word |= random_element(layout, extremes, random) << k * layout.bits;
  return word;
}

/// The elements of a packed type get different extreme values.
std::uint64_t extreme_word(const Layout& layout, const Values& values, std::size_t index) {
  std::uint64_t word = 0;
  for (unsigned k = 0; k < layout.count; ++k) word |= values[(index + k) % values.size()] << k * layout.bits;
  return word;
}

/// The number of ways to choose one of `each` values for every source.
std::size_t combinations_of(std::size_t each, std::size_t sources) {
  std::size_t product = 1;
  while (sources-- > 0 && product <= operand_sets) product *= each;
  return product;
}

/// How many extreme values each source has in the combinations, such that those fit into half of the sets.
std::size_t extremes_each(std::size_t sources) {
  std::size_t each = 1;
  while (each < operand_sets / 2 && combinations_of(each + 1, sources) <= operand_sets / 2) ++each;
  return each;
}

}  // namespace

std::vector<std::uint64_t> operands_for(std::span<const SourceType> sources, Extremes extremes) {
  Random random(20250101);
  const std::size_t each = extremes_each(sources.size());
  std::size_t combinations = extremes == Extremes::included && each > 1 ? 1 : 0;
  for (const SourceType& source : sources)
    combinations *= std::min(each, extremes_of(layout_of(source.type)).size());

  std::vector<std::uint64_t> words;
  std::size_t period = 1;  // every extreme value of a source is repeated so often before the next one
  for (const SourceType& source : sources) {
    const Layout layout = layout_of(source.type);
    const Values values = extremes_of(layout);
    const std::size_t used = std::min(each, values.size());
    for (unsigned word = 0; word < source.words; ++word)
      for (std::size_t set = 0; set < operand_sets; ++set) {
        const std::uint64_t drawn = random_word(layout, extremes, random);
        const bool is_extreme = set < combinations;
        words.push_back((is_extreme ? extreme_word(layout, values, set / period % used) : drawn) &
                        source.mask);
      }
    period *= used;
  }
  return words;
}

}  // namespace foldproof
