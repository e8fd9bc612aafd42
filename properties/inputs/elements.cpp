#include "properties/inputs/elements.h"

#include <algorithm>
#include <iterator>

namespace foldproof::inputs {

Elements::Elements(const InputPlan& plan, std::uint64_t seed)
    : random(seed), seed_(seed), plan_(plan), bytes_(plan.count * size_of(plan.element)) {}

std::optional<std::int64_t> Elements::integer() const {
  const auto* number = std::get_if<std::int64_t>(&argument);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

int Elements::precision() const {
  const Element accumulator = plan_.accumulator;
  return is_float(accumulator) ? float_format(accumulator).precision
                               : static_cast<int>(size_of(accumulator)) * 8 - 1;
}

std::vector<Row> Elements::rows() const {
  const std::size_t length = plan_.row == 0 ? size() : plan_.row;
  std::vector<Row> rows;
  for (std::size_t begin = 0; begin < size(); begin += length)
    rows.push_back({begin, std::min(length, size() - begin)});
  return rows;
}

void Elements::set_power(std::size_t i, int exponent, bool negative) {
  set(i, Number{Number::Category::finite, negative, 1, exponent});
}

void Elements::set_finite(std::size_t i, const Number& number) {
  const std::uint64_t bits = encode(element(), number);
  if (decode(element(), bits).is_finite()) return set_bits(i, bits);
  set(i, Number{Number::Category::finite, number.negative, format().largest_significand,
                format().highest_exponent});
}

void Elements::swap(std::size_t i, std::size_t j) {
  const std::uint64_t held = bits(i);
  set_bits(i, bits(j));
  set_bits(j, held);
}

void Elements::shuffle() {
  for (std::size_t i = size(); i > 1; --i) swap(i - 1, random.below(i));
}

std::size_t Elements::informative_index(std::size_t count) {
  constexpr std::size_t edges[] = {0, 31, 32, 33, 127, 128, 255, 256, 1023, 1024};
  const std::uint64_t choice = random.below(8);
  if (choice < 2) return count - 1;
  if (choice < 6) return std::min(edges[random.below(std::size(edges))], count - 1);
  return random.below(count);
}

}  // namespace foldproof::inputs
