// Relations of folds whose elements leave the result no choice: the order does not matter, nor do elements
// that add nothing new or cancel; parts make the whole; copies of one value give the result that it
// determines.
#include <algorithm>

#include "oracles/dyadic.h"
#include "oracles/operator.h"
#include "properties/relations/relations.h"

namespace foldproof::relations {
namespace {

/// An element that leaves every result unchanged; -0 for a floating-point sum, which also preserves the sign
/// of a zero.
std::uint64_t neutral(const RelationCase& c) {
  if (c.op() == Operator::sum && is_float(c.in()))
    return encode(c.in(), {Number::Category::finite, true, 0, 0});
  return identity(c.op(), c.in());
}

/// a^n modulo 2^64.
std::uint64_t power(std::uint64_t a, std::uint64_t n) {
  std::uint64_t result = 1;
  for (; n != 0; n >>= 1, a *= a)
    if ((n & 1) != 0) result *= a;
  return result;
}

/// Whether the output keeps every bit of the accumulated value. False for an exact sum, which is rounded when
/// it is written.
bool keeps_all_bits(const RelationCase& c) {
  if (!is_float(c.out())) return c.wraps();
  return includes(c.out(), c.accumulator()) && !c.sums_exactly();
}

/// Whether `whole` is the combination of the two parts.
bool is_made_of(const RelationCase& c, std::uint64_t whole, std::uint64_t a, std::uint64_t b) {
  if (c.is_extremum()) {
    const bool a_wins = (order_key(c.out(), a) < order_key(c.out(), b)) == (c.op() == Operator::min);
    return same_value(c, c.out(), whole, a_wins ? a : b);
  }
  if (!is_float(c.out())) return whole == (code_mask(c.out()) & (c.op() == Operator::sum ? a + b : a * b));
  const Number x = decode(c.out(), a), y = decode(c.out(), b), made = decode(c.out(), whole);
  if (!x.is_finite() || !y.is_finite() || !made.is_finite()) return true;
  const Dyadic parts = c.op() == Operator::sum ? Dyadic(x) + Dyadic(y) : Dyadic(x) * Dyadic(y);
  return Dyadic(made) == parts;
}

/// The result for copies of the first element, which force it.
std::uint64_t of_copies(const RelationCase& c) {
  const std::uint64_t n = c.count(), bits = c.bits(0);
  if (c.is_extremum()) return encode(c.out(), c.number(0));
  if (!is_float(c.out())) return code_mask(c.out()) & (c.op() == Operator::sum ? n * bits : power(bits, n));
  return rounded(c.out(), Dyadic(n, 0) * Dyadic(c.number(0)));
}

}  // namespace

/// Whether the result of the derived input equals that of the case, if the elements force both.
bool holds_unchanged(const RelationCase& c, const Results& results) {
  return !results.forced || !c.gives_value() || same_values(c, results.outputs[0], results.outputs[1]);
}

std::vector<Derived> derive_permuted(const RelationCase& c) {
  std::vector<std::uint64_t> elements = c.elements();
  SplitMix random = c.random();
  shuffle(elements, random);
  return c.same_launch(elements);
}

std::vector<Derived> derive_padded(const RelationCase& c) {
  std::vector<std::uint64_t> elements = c.elements();
  elements.resize(elements.size() + 1 + c.random().below(33), neutral(c));
  return c.other_count(elements);
}

std::vector<Derived> derive_duplicated(const RelationCase& c) {
  if (!c.is_extremum()) return {};
  std::vector<std::uint64_t> elements = c.elements();
  elements.push_back(elements[c.random().below(elements.size())]);
  return c.other_count(elements);
}

std::vector<Derived> derive_opposites(const RelationCase& c) {
  if (c.op() != Operator::sum || !(is_float(c.in()) || c.wraps())) return {};
  std::vector<std::uint64_t> elements = c.elements();
  const std::uint64_t drawn = elements[c.random().below(elements.size())];
  if (!is_float(c.in())) {
    elements.insert(elements.end(), {drawn, code_mask(c.in()) & (0 - drawn)});
    return c.other_count(elements);
  }
  Number x = decode(c.in(), drawn);
  if (!x.is_finite()) x = number_of(1);
  for (const bool negative : {false, true}) {
    x.negative = negative;
    elements.push_back(encode(c.in(), x));
  }
  return c.other_count(elements);
}

std::vector<Derived> derive_split(const RelationCase& c) {
  const std::vector<std::uint64_t> all = c.elements();
  if (all.size() < 2) return {};
  const auto cut = all.begin() + 1 + static_cast<std::ptrdiff_t>(c.random().below(all.size() - 1));
  std::vector<Derived> parts = c.other_count({all.begin(), cut});
  const std::vector<Derived> rest = c.other_count({cut, all.end()});
  parts.insert(parts.end(), rest.begin(), rest.end());
  return parts.size() == 2 ? parts : std::vector<Derived>{};
}

bool holds_split(const RelationCase& c, const Results& results) {
  if (!results.forced || !c.gives_value() || !(c.is_extremum() || keeps_all_bits(c))) return true;
  return is_made_of(c, results.outputs[0][0], results.outputs[1][0], results.outputs[2][0]);
}

std::vector<Derived> derive_copies(const RelationCase& c) {
  const bool is_known = c.is_extremum() ? is_float(c.in()) ? includes(c.out(), c.in()) : c.wraps()
                                        : c.wraps() || (is_float(c.in()) && c.op() == Operator::sum);
  if (!is_known || !c.number(0).is_finite()) return {};
  return c.same_launch(std::vector<std::uint64_t>(c.count(), c.bits(0)));
}

bool holds_copies(const RelationCase& c, const Results& results) {
  if (!results.forced || !c.gives_value()) return true;
  const std::vector<std::uint64_t>& outputs = results.outputs[1];
  return same_values(c, outputs, std::vector<std::uint64_t>(outputs.size(), of_copies(c)));
}

}  // namespace foldproof::relations
