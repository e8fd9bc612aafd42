// Relations of sums whose operations do not depend on the elements, each rounded to nearest: such an
// operation commutes with powers of two and with negation, and never falls when an operand is raised.
// Integers modulo 2^w and extrema need no such tree.
#include <algorithm>
#include <array>

#include "oracles/bounds.h"
#include "oracles/tally.h"
#include "properties/relations/relations.h"

namespace foldproof::relations {
namespace {

/// All formats that a floating-point value passes through.
std::array<Element, 3> formats_of(const RelationCase& c) { return {c.in(), c.accumulator(), c.out()}; }

bool all_finite(const Tally& t) { return t.finite == t.count; }

bool is_finite_everywhere(const RelationCase& c, const Dyadic& x) {
  return std::ranges::all_of(formats_of(c), [&](Element e) { return x <= largest_finite(e); });
}

/// Whether no sum of some of 2^k times the elements, in any order, can leave a format's range.
bool stays_finite(const RelationCase& c, const Tally& t, std::int64_t k) {
  const Dyadic magnitude = t.magnitude() * Dyadic::power_of_two(k);
  const int precision = float_format(c.accumulator()).precision;
  const Bound bound = sum_bound_any_order(t.nonzero + 1, precision, magnitude);
  return bound && is_finite_everywhere(c, magnitude + *bound);
}

/// Whether the rounding of 2^k times the elements is independent of the smallest values: all elements are
/// multiples of each format's smallest subnormal number, and of the smallest normal one if subnormals are
/// flushed.
bool stays_normal(const RelationCase& c, const Tally& t, std::int64_t k) {
  return t.nonzero == 0 || std::ranges::all_of(formats_of(c), [&](Element e) {
           const FloatFormat& format = float_format(e);
           return t.lowest_place + k >= (c.flushes() ? format.normal_exponent() : format.lowest_exponent);
         });
}

/// Whether an output of one launch may be compared with the same output of another: each is the whole result,
/// which does not depend on the order, or comes from the same operations.
bool is_comparable(const RelationCase& c) {
  if (c.is_extremum()) return c.gives_value() && (!is_float(c.in()) || includes(c.out(), c.in()));
  if (c.op() != Operator::sum) return false;
  return is_float(c.in()) ? c.has_fixed_tree() : c.wraps() && c.gives_value();
}

/// The power of two that the case's elements are multiplied by.
int exponent_of(const RelationCase& c) {
  constexpr int exponents[] = {1, 2, 5, -1, -3};
  return exponents[c.random().below(is_float(c.in()) ? 5 : 3)];
}

bool can_be_scaled(const RelationCase& c, int k) {
  if (!is_comparable(c)) return false;
  if (!is_float(c.in())) return c.op() == Operator::sum;
  const Tally t = tally(c.in(), c.bytes());
  if (!all_finite(t)) return false;
  return stays_finite(c, t, 0) && stays_finite(c, t, k) && stays_normal(c, t, 0) && stays_normal(c, t, k);
}

std::uint64_t times_power(Element element, std::uint64_t bits, int k) {
  if (!is_float(element)) return bits << k & code_mask(element);
  Number number = decode(element, bits);
  if (!number.is_zero()) number.exponent += k;
  return encode(element, number);
}

std::uint64_t negative_of(Element element, std::uint64_t bits) {
  if (!is_float(element)) return times_power(element, 0 - bits, 0);
  Number number = decode(element, bits);
  number.negative = !number.negative;
  return encode(element, number);
}

/// A larger finite value; the same value if there is none.
std::uint64_t raised(Element element, std::uint64_t bits) {
  const Number number = decode(element, bits);
  std::uint64_t above = bits + 1;
  if (is_float(element)) {
    if (!number.is_finite()) return bits;
    const double x = to_double(number);
    above = encode(element, number_of(x == 0 ? 1 : x + (x < 0 ? -x : x) / 2));
    if (!decode(element, above).is_finite()) return bits;
  } else {
    above = times_power(element, above, 0);
  }
  return order_key(element, above) > order_key(element, bits) ? above : bits;
}

template <typename Change>
std::vector<std::uint64_t> changed(const std::vector<std::uint64_t>& elements, const Change& change) {
  std::vector<std::uint64_t> result = elements;
  for (std::uint64_t& bits : result) bits = change(bits);
  return result;
}

}  // namespace

std::vector<Derived> derive_scaled(const RelationCase& c) {
  const int k = exponent_of(c);
  if (!can_be_scaled(c, k)) return {};
  return c.same_launch(
      changed(c.elements(), [&](std::uint64_t bits) { return times_power(c.in(), bits, k); }));
}

bool holds_scaled(const RelationCase& c, const Results& results) {
  const int k = exponent_of(c);
  return same_values(c, results.outputs[1], changed(results.outputs[0], [&](std::uint64_t b) {
                       return times_power(c.out(), b, k);
                     }));
}

std::vector<Derived> derive_negated(const RelationCase& c) {
  if (c.op() != Operator::sum || !is_comparable(c)) return {};
  return c.same_launch(changed(c.elements(), [&](std::uint64_t bits) { return negative_of(c.in(), bits); }));
}

bool holds_negated(const RelationCase& c, const Results& results) {
  return same_values(c, results.outputs[1],
                     changed(results.outputs[0], [&](std::uint64_t b) { return negative_of(c.out(), b); }));
}

std::vector<Derived> derive_raised(const RelationCase& c) {
  const bool may_wrap = !is_float(c.in()) && !c.is_extremum();
  if (!is_comparable(c) || may_wrap) return {};
  std::vector<std::uint64_t> elements = c.elements();
  std::uint64_t& one = elements[c.random().below(elements.size())];
  const std::uint64_t before = one;
  one = raised(c.in(), before);
  if (one == before) return {};
  if (!is_float(c.in())) return c.same_launch(elements);
  std::vector<Derived> higher = c.same_launch(elements);
  for (const std::span<const std::byte> input : {c.bytes(), std::span<const std::byte>(higher[0].input)})
    if (const Tally t = tally(c.in(), input);
        !all_finite(t) || !stays_finite(c, t, 0) || (c.flushes() && !stays_normal(c, t, 0)))
      return {};
  return higher;
}

bool holds_raised(const RelationCase& c, const Results& results) {
  return std::ranges::equal(results.outputs[0], results.outputs[1],
                            [&](std::uint64_t low, std::uint64_t high) {
                              return order_key(c.out(), low) <= order_key(c.out(), high);
                            });
}

}  // namespace foldproof::relations
