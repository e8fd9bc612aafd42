#include "properties/relations/relation_case.h"

#include <algorithm>
#include <cmath>

#include "properties/generation/domain.h"

namespace foldproof::relations {
namespace {

std::vector<std::byte> bytes_of(Element element, const std::vector<std::uint64_t>& elements) {
  std::vector<std::byte> bytes(elements.size() * size_of(element));
  for (std::size_t i = 0; i < elements.size(); ++i) store(element, bytes, i, elements[i]);
  return bytes;
}

/// Zero or subnormal.
bool is_tiny(Element element, const Number& x) {
  return is_float(element) && x.is_finite() &&
         (x.is_zero() || std::abs(to_double(x)) < std::ldexp(1.0, float_format(element).normal_exponent()));
}

}  // namespace

bool RelationCase::wraps() const {
  return !is_float(in()) && !is_float(accumulator()) && !is_float(out()) &&
         size_of(in()) == size_of(accumulator()) && size_of(in()) == size_of(out());
}

std::vector<std::uint64_t> RelationCase::elements() const {
  std::vector<std::uint64_t> all(count());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = bits(i);
  return all;
}

std::vector<Derived> RelationCase::same_launch(const std::vector<std::uint64_t>& elements) const {
  return {{case_.variables, bytes_of(in(), elements)}};
}

std::vector<Derived> RelationCase::other_count(const std::vector<std::uint64_t>& elements) const {
  Variables wanted = case_.variables;
  wanted["count"] = static_cast<std::int64_t>(elements.size());
  const Domain domain(subject_.instance, std::max(count(), elements.size()));
  try {
    const Variables nearest = domain.nearest(wanted);
    if (nearest.at("count") != wanted["count"]) return {};
    return {{nearest, bytes_of(in(), elements)}};
  } catch (const InputError&) {  // the domain begins beyond so many
    return {};
  }
}

bool same_value(const RelationCase& c, std::uint64_t a, std::uint64_t b) {
  const Number x = decode(c.out(), a), y = decode(c.out(), b);
  if (x.is_nan() || y.is_nan()) return x.is_nan() && y.is_nan();
  if (c.flushes() && is_tiny(c.out(), x) && is_tiny(c.out(), y)) return true;
  return order_key(c.out(), a) == order_key(c.out(), b);
}

bool same_values(const RelationCase& c, const std::vector<std::uint64_t>& a,
                 const std::vector<std::uint64_t>& b) {
  return std::ranges::equal(
      a, b, [&](std::uint64_t one, std::uint64_t other) { return same_value(c, one, other); });
}

}  // namespace foldproof::relations
