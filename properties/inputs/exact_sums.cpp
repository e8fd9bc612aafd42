// Inputs whose sums are exact, so that a lost or repeated element shows.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "properties/inputs/elements.h"

namespace foldproof::inputs {

void fill_equal(Elements& x) {
  constexpr double values[] = {1, 1, -1, 3, 0.1, -7};
  const double value = values[x.random.below(std::size(values))];
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x.has_sign() ? value : std::fabs(value));
}

void fill_integers(Elements& x) {
  if (x.op() == Operator::prod) {  // ±1 and a few twos
    for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x.has_sign() && x.random.flip() ? -1.0 : 1.0);
    for (int twos = 0; twos < 5 && x.size() != 0; ++twos) x.set(x.random.below(x.size()), 2.0);
    return;
  }
  const std::uint64_t room = std::uint64_t{1} << std::min(x.precision(), 30);
  const std::uint64_t limit = std::min<std::uint64_t>(room / std::max<std::size_t>(x.size(), 1), 100);
  const auto largest = static_cast<std::int64_t>(std::max<std::uint64_t>(limit, 1));
  std::uint64_t left = room;  // if even ones are too many, the rest are zeros
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t value = x.random.between(x.has_sign() ? -largest : 0, largest);
    const auto magnitude = static_cast<std::uint64_t>(std::abs(value));
    x.set(i, magnitude > left ? 0.0 : static_cast<double>(value));
    left -= std::min(left, magnitude);
  }
  if (limit == 0) x.shuffle();
}

void fill_one_hot(Elements& x) {
  double rest = 0, hot = x.has_sign() && x.random.flip() ? -3 : 3;
  if (x.op() == Operator::prod) rest = 1;
  if (x.op() == Operator::max) rest = x.has_sign() ? -5 : 1, hot = x.has_sign() ? -3 : 3;
  if (x.op() == Operator::min) rest = 5, hot = 3;
  if (x.op() == Operator::bit_and) rest = 1, hot = 0;
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, rest);
  const auto wanted = x.integer();
  for (const auto& [begin, length] : x.rows())
    x.set(begin + (wanted ? static_cast<std::size_t>(*wanted) % length : x.informative_index(length)), hot);
}

void fill_tags(Elements& x) {
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x.op() == Operator::prod ? 1.0 : 0.0);
  const int most = x.floating() ? std::min(x.precision(), x.format().highest_exponent + x.format().precision)
                                : static_cast<int>(size_of(x.element())) * 8 - 1;
  const int tags = x.op() == Operator::prod ? std::min(most, 5) : most;
  for (int tag = 0; tag < tags && x.size() != 0; ++tag) {
    const std::size_t at = tag == 0 ? x.size() - 1 : x.informative_index(x.size());
    if (decode(x.element(), x.bits(at)).is_zero() || x.op() == Operator::prod) x.set_power(at, tag);
  }
}

void fill_threshold(Elements& x) {
  for (const auto& [begin, length] : x.rows()) {
    const std::size_t last = begin + x.random.below(length), first = begin + x.random.below(last - begin + 1);
    x.set(last, first == last ? x.p() : x.p() / 2);
    if (first != last) x.set(first, x.p() / 2);
  }
}

void fill_zero_sum(Elements& x) {
  if (x.size() == 0) return;
  // A thread often reads elements that are as far apart as a block or a warp has threads.
  std::size_t distance = std::lcm(x.tile(), std::size_t{32});
  if (distance >= x.size()) distance = x.random.flip() ? x.tile() : 32;
  const std::size_t first = x.random.below(x.size() > distance ? x.size() - distance : x.size()),
                    second = first + distance;
  x.set(first, x.has_sign() ? -1.0 : 1.0);
  if (second >= x.size()) return;
  // Equal elements cancel in an exclusive or, too.
  const std::uint64_t highest = std::uint64_t{1} << (8 * size_of(x.element()) - 1);
  if (!x.floating() && x.random.flip())
    x.set_bits(first, highest), x.set_bits(second, highest);
  else if (x.has_sign())
    x.set(second, 1.0);
  else
    x.set_bits(second, ~std::uint64_t{0});
}

void fill_zeros(Elements& x) {
  const std::uint64_t minus_zero = encode(x.element(), {Number::Category::finite, true, 0, 0});
  const Operator op = underlying(x.op());
  // Only +0, the background of planted elements; only -0; both.
  const std::uint64_t mix = is_extremum(op) && x.seed() != 0 ? 2 : x.seed() % 3;
  for (std::size_t i = 0; i < x.size(); ++i)
    x.set_bits(i, mix == 1 || (mix == 2 && x.random.flip()) ? minus_zero : 0);
  // A comparison of bit patterns would prefer the other zero.
  if (mix == 2 && is_extremum(op))
    for (const auto& [begin, length] : x.rows()) x.set_bits(begin, op == Operator::max ? minus_zero : 0);
}

}  // namespace foldproof::inputs
