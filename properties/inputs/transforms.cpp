// Transforms of a generated input. Never called for an empty one.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "oracles/tally.h"
#include "properties/inputs/elements.h"

namespace foldproof::inputs {
namespace {

/// All elements by magnitude, smallest first and NaN last; ties by bits, so that the order is the same on
/// every host.
std::vector<std::uint64_t> by_magnitude(const Elements& x) {
  std::vector<std::tuple<bool, double, std::uint64_t>> keyed;
  keyed.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Number number = x.number(i);
    keyed.emplace_back(number.is_nan(), number.is_nan() ? 0 : std::fabs(to_double(number)), x.bits(i));
  }
  std::ranges::sort(keyed);
  std::vector<std::uint64_t> bits;
  bits.reserve(x.size());
  for (const auto& key : keyed) bits.push_back(std::get<2>(key));
  return bits;
}

/// The last element of a warp or a tile, or the first one after it.
std::size_t edge(Elements& x) {
  const std::size_t whole = x.random.flip() ? x.tile() : 32;
  const std::size_t edges = (x.size() - 1) / whole;
  return edges == 0 ? x.size() - 1 : whole * (1 + x.random.below(edges)) - x.random.below(2);
}

/// The range of the place: its first element, and one past its last.
std::pair<std::size_t, std::size_t> range_of(Elements& x) {
  const auto one = [](std::size_t i) { return std::pair(i, i + 1); };
  switch (std::get<PlantedAt>(x.argument)) {
    case PlantedAt::first: return one(0);
    case PlantedAt::last: return one(x.size() - 1);
    case PlantedAt::edge: return one(edge(x));
    case PlantedAt::all: return {0, x.size()};
    case PlantedAt::row: {
      const std::vector<Row> rows = x.rows();
      const Row row = rows[x.random.below(rows.size())];
      return {row.begin, row.begin + row.length};
    }
    case PlantedAt::tile: break;
  }
  const std::size_t begin = x.tile() * x.random.below((x.size() - 1) / x.tile() + 1);
  return {begin, std::min(begin + x.tile(), x.size())};
}

void plant(Elements& x, const Number& number) {
  const auto [begin, end] = range_of(x);
  for (std::size_t i = begin; i < end; ++i) x.set(i, number);
}

/// 2^k, where k is the argument of the step; infinity if this exceeds the range of double.
double power(const Elements& x) { return std::ldexp(1.0, static_cast<int>(*x.integer())); }

/// Adds a number to each finite element.
void add(Elements& x, double addend) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const Number number = x.number(i); number.is_finite())
      x.set_finite(i, number_of(to_double(number) + addend));
}

}  // namespace

void transform_shuffled(Elements& x) { x.shuffle(); }

void transform_ascending(Elements& x) {
  const std::vector<std::uint64_t> sorted = by_magnitude(x);
  for (std::size_t i = 0; i < sorted.size(); ++i) x.set_bits(i, sorted[i]);
}

void transform_descending(Elements& x) {
  const std::vector<std::uint64_t> sorted = by_magnitude(x);
  for (std::size_t i = 0; i < sorted.size(); ++i) x.set_bits(i, sorted[sorted.size() - 1 - i]);
}

void transform_large_small(Elements& x) {
  const std::vector<std::uint64_t> sorted = by_magnitude(x);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    x.set_bits(i, sorted[i % 2 == 0 ? sorted.size() - 1 - i / 2 : i / 2]);
}

void transform_scale(Elements& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    Number number = x.number(i);
    if (!number.is_finite() || number.is_zero()) continue;
    number.exponent += static_cast<int>(*x.integer());
    x.set_finite(i, number);
  }
}

void transform_shift(Elements& x) { add(x, power(x)); }

void transform_centred(Elements& x) {
  const Tally all = tally(x.element(), x.bytes());
  const double sum = nearest_double(all.sum());
  if (all.finite != 0 && std::isfinite(sum)) add(x, -(sum / static_cast<double>(all.finite)));
}

void transform_paired(Elements& x) {
  const std::size_t half = (x.size() - 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    Number number = x.number(i);
    number.negative = !number.negative;
    x.set(half + i, number);
  }
  for (std::size_t i = 2 * half; i < x.size(); ++i) x.set(i, 0.0);
  const std::int64_t least = x.floating() ? x.format().lowest_exponent : 0;
  const auto exponent = static_cast<int>(std::max(*x.integer(), least));
  x.set_finite(x.size() - 1, Number{Number::Category::finite, false, 1, exponent});
}

void transform_peaks(Elements& x) {
  for (const auto& [begin, length] : x.rows()) {
    const std::size_t tile = std::min(length, x.tile()), warp = std::min<std::size_t>(tile, 32);
    // The last warp of a tile is the first to be lost by a fold over warps.
    const std::size_t i = x.random.flip() ? x.informative_index(length) : tile - 1 - x.random.below(warp);
    x.set_finite(begin + i, number_of(500.0));
  }
}

void transform_far_below(Elements& x) {
  const double zero_beyond = x.accumulator() == Element::f64 ? 1000 : 500;
  // An extremum of f64 may begin at the highest f32.
  const double farthest = is_extremum(x.op()) && x.element() == Element::f64 ? 1e300 : 1e31;
  const double distance = std::array{zero_beyond, 1e5, farthest}[x.random.below(3)];
  const double largest = std::ldexp(1.0, x.format().highest_exponent + x.format().precision - 4);
  const double side = x.op() == Operator::min ? 1 : -1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Number number = x.number(i);
    if (!number.is_finite()) continue;
    const double magnitude = std::fabs(to_double(number));
    // The elements of an extremum must remain different.
    x.set_finite(i, number_of(side * (is_extremum(x.op()) ? (1 + magnitude) * std::min(distance, largest)
                                                          : magnitude + distance)));
  }
}

namespace {

/// The next third of a row, from `begin`.
Row third_from(std::size_t begin, const Row& row) { return {begin, row.length / 3}; }

/// Makes the last third of the row less extreme than the first one, so that it shows whether a running
/// extremum kept that.
void lower_last_third(Elements& x, const Row& row) {
  if (!is_extremum(underlying(x.op()))) return;
  const double side = underlying(x.op()) == Operator::min ? -1 : 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = row.begin; i < row.begin + row.length / 3; ++i)
    if (const Number number = x.number(i); number.is_finite())
      least = std::min(least, side * to_double(number));
  if (!std::isfinite(least)) return;
  for (std::size_t i = row.begin + 2 * (row.length / 3); i < row.begin + row.length; ++i)
    x.set_finite(i, number_of(side * (least - std::fabs(least) - 1)));
}

}  // namespace

void transform_nan_between(Elements& x) {
  for (const Row& row : x.rows()) {
    lower_last_third(x, row);
    const auto [begin, length] = third_from(row.begin + row.length / 3, row);
    for (std::size_t i = begin; i < begin + length; ++i) x.set(i, {Number::Category::nan, false, 0, 0});
  }
}

namespace {

void set_first_third(Elements& x, const Number& number) {
  for (const Row& row : x.rows())
    for (std::size_t i = row.begin; i < row.begin + row.length / 3; ++i) x.set(i, number);
}

}  // namespace

void transform_nan_ahead(Elements& x) { set_first_third(x, {Number::Category::nan, false, 0, 0}); }
void transform_minus_inf_ahead(Elements& x) { set_first_third(x, {Number::Category::infinity, true, 0, 0}); }

void transform_zeros_between(Elements& x) {
  for (const Row& row : x.rows()) {
    const bool is_negative = x.random.flip(), is_negative_zero = x.random.flip();
    for (std::size_t i = row.begin; i < row.begin + row.length / 3; ++i) {
      Number number = x.number(i);
      number.negative = is_negative;
      x.set(i, number);
    }
    lower_last_third(x, row);
    const auto [begin, length] = third_from(row.begin + row.length / 3, row);
    for (std::size_t i = begin; i < begin + length; ++i)
      x.set(i, {Number::Category::finite, is_negative_zero, 0, 0});
  }
}

void transform_minus_zero(Elements& x) { plant(x, {Number::Category::finite, true, 0, 0}); }
void transform_nan(Elements& x) { plant(x, {Number::Category::nan, false, 0, 0}); }
void transform_inf(Elements& x) { plant(x, {Number::Category::infinity, false, 0, 0}); }
void transform_minus_inf(Elements& x) { plant(x, {Number::Category::infinity, true, 0, 0}); }

}  // namespace foldproof::inputs
