#include "oracles/replay.h"

#include "oracles/dyadic.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

using Category = Number::Category;

constexpr Number not_a_number{Category::nan, false, 0, 0};

/// Exact arithmetic with IEEE 754's rules for non-finite values and for the signs of zeros.
class Exactly {
 public:
  explicit Exactly(const Node& node) : node_(node) {}

  std::uint64_t sum(const Number& a, const Number& b) const {
    if (a.is_nan() || b.is_nan()) return encoded(not_a_number);
    if (a.is_infinite() && b.is_infinite() && a.negative != b.negative) return encoded(not_a_number);
    if (a.is_infinite() || b.is_infinite()) return encoded(a.is_infinite() ? a : b);
    if (a.is_zero() && b.is_zero()) return encoded({Category::finite, a.negative && b.negative, 0, 0});
    return finite(Dyadic(a) + Dyadic(b), false);
  }
  std::uint64_t product(const Number& a, const Number& b) const {
    const bool negative = a.negative != b.negative;
    if (is_invalid(a, b)) return encoded(not_a_number);
    if (a.is_infinite() || b.is_infinite()) return encoded({Category::infinity, negative, 0, 0});
    return finite(Dyadic(a) * Dyadic(b), negative);
  }
  std::uint64_t fused(const Number& a, const Number& b, const Number& c) const {
    const bool negative = a.negative != b.negative;
    if (is_invalid(a, b) || c.is_nan()) return encoded(not_a_number);
    if (a.is_infinite() || b.is_infinite()) return sum({Category::infinity, negative, 0, 0}, c);
    if (c.is_infinite()) return encoded(c);
    const Dyadic exact = Dyadic(a) * Dyadic(b) + Dyadic(c);
    const bool zeros = (a.is_zero() || b.is_zero()) && c.is_zero();
    return finite(exact, zeros && negative && c.negative);
  }
  std::uint64_t finite(const Dyadic& exact, bool negative_zero) const {
    if (exact.is_zero()) return encoded({Category::finite, negative_zero, 0, 0});
    return rounded(node_.element, exact);
  }
  std::uint64_t encoded(const Number& number) const { return encode(node_.element, number); }

 private:
  static bool is_invalid(const Number& a, const Number& b) {
    return a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_zero()) || (a.is_zero() && b.is_infinite());
  }

  const Node& node_;
};

std::uint64_t integer(const Node& node, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  switch (node.operation) {
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::fused: return a * b + c;
    default: return std::uint64_t{0} - a;  // negate
  }
}

/// The smaller or larger of two values; −0 is smaller than +0.
std::uint64_t extremum(const Node& node, std::uint64_t a, std::uint64_t b) {
  const Element element = node.element;
  if (is_float(element)) {
    const Number x = decode(element, a), y = decode(element, b);
    if (x.is_nan() && y.is_nan()) return a;
    if (x.is_nan() || y.is_nan()) return x.is_nan() == node.propagates_nan ? a : b;
    if (x.is_zero() && y.is_zero()) return x.negative == (node.operation == Operation::minimum) ? a : b;
  }
  const bool first = order_key(element, a) <= order_key(element, b);
  return first == (node.operation == Operation::minimum) ? a : b;
}

/// The node's bits, computed from its operands' values; nothing if the node is not arithmetic.
std::optional<std::uint64_t> computed(const Expressions& expressions, const Node& node) {
  const auto bits = [&](std::size_t k) { return expressions[node.operand[k]].bits; };
  if (node.operation == Operation::minimum || node.operation == Operation::maximum)
    return extremum(node, bits(0), bits(1));
  if (!is_float(node.element)) {
    if (node.operation < Operation::add || node.operation > Operation::negate ||
        node.operation == Operation::divide)
      return std::nullopt;
    return integer(node, bits(0), node.operand[1] ? bits(1) : 0, node.operand[2] ? bits(2) : 0) &
           low_bits(8u * static_cast<unsigned>(size_of(node.element)));
  }
  const auto value = [&](std::size_t k) { return decode(node.element, bits(k)); };
  const Exactly exactly(node);
  switch (node.operation) {
    case Operation::add: return exactly.sum(value(0), value(1));
    case Operation::subtract: {
      Number b = value(1);
      b.negative = !b.negative;
      return exactly.sum(value(0), b);
    }
    case Operation::multiply: return exactly.product(value(0), value(1));
    case Operation::fused: return exactly.fused(value(0), value(1), value(2));
    case Operation::convert: return encode(node.element, decode(node.source, bits(0)));
    default: return std::nullopt;
  }
}

}  // namespace

Replay replay(const Expressions& expressions) {
  Replay result;
  for (NodeId id = expressions.inputs() + 1; id < expressions.size(); ++id) {
    const Node& node = expressions[id];
    if (node.direction != Direction::nearest || node.flushes || node.saturates) continue;
    const auto bits = computed(expressions, node);
    if (!bits) continue;
    ++result.operations;
    const bool both_nan = is_float(node.element) && decode(node.element, *bits).is_nan() &&
                          decode(node.element, node.bits).is_nan();
    if (*bits == (node.bits & low_bits(8u * static_cast<unsigned>(size_of(node.element)))) || both_nan)
      continue;
    result.differs = id;
    return result;
  }
  return result;
}

}  // namespace foldproof
