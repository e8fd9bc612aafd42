// Relations of results that are not folded: indices, scans, histograms, and sums of exponentials.
#include <algorithm>
#include <tuple>

#include "oracles/formats.h"
#include "properties/relations/relations.h"

namespace foldproof::relations {
namespace {

/// `size` elements starting at `first`; nothing if the domain has no such count.
std::vector<Derived> piece(const RelationCase& c, std::size_t first, std::size_t size) {
  const std::vector<std::uint64_t> all = c.elements();
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return c.other_count({begin, begin + static_cast<std::ptrdiff_t>(size)});
}

/// x as a multiple of 2^(4-p) within [-4, 4], so that x + 2 is representable in the format; infinities are
/// kept.
Number on_grid(const Number& x, const FloatFormat& format) {
  if (!x.is_finite()) return x;
  const double step = 0x1p4 / static_cast<double>(std::uint64_t{1} << format.precision);
  const double near = std::clamp(to_double(x), -4.0, 4.0);
  return number_of(static_cast<double>(static_cast<std::int64_t>(near / step)) * step);
}

}  // namespace

std::vector<Derived> derive_moved(const RelationCase& c) {
  std::vector<std::uint64_t> elements = c.elements();
  std::ranges::reverse(elements);
  return c.same_launch(elements);
}

bool holds_moved(const RelationCase& c, const Results& results) {
  const std::vector<std::uint64_t> elements = c.elements();
  for (std::size_t i = 0; i < results.outputs[0].size(); ++i) {
    const std::uint64_t here = results.outputs[0][i], there = results.outputs[1][i];
    if (here >= elements.size() || there >= elements.size()) return false;
    const auto equals = [&](std::uint64_t bits) { return same_value(c, c.in(), bits, elements[here]); };
    if (std::ranges::count_if(elements, equals) == 1 && there != elements.size() - 1 - here &&
        !std::ranges::any_of(elements, [&](std::uint64_t bits) { return decode(c.in(), bits).is_nan(); }))
      return false;
  }
  return true;
}

std::vector<Derived> derive_prefix(const RelationCase& c) { return piece(c, 0, (c.count() + 1) / 2); }

bool holds_prefix(const RelationCase& c, const Results& results) {
  if (!results.forced) return true;
  std::vector<std::uint64_t> beginning = results.outputs[0];
  beginning.resize(std::min(beginning.size(), results.outputs[1].size()));
  return same_values(c, beginning, results.outputs[1]);
}

std::vector<Derived> derive_joined(const RelationCase& c) {
  const std::size_t first = (c.count() + 1) / 2;
  std::vector<Derived> parts = piece(c, 0, first);
  const std::vector<Derived> rest = piece(c, first, c.count() - first);
  if (parts.empty() || rest.empty()) return {};
  parts.push_back(rest[0]);
  return parts;
}

bool holds_joined(const RelationCase& c, const Results& results) {
  const auto& [whole, first, rest] = std::tie(results.outputs[0], results.outputs[1], results.outputs[2]);
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (i < first.size() && i < rest.size() && ((first[i] + rest[i] - whole[i]) & code_mask(c.out())) != 0)
      return false;
  return true;
}

std::vector<Derived> derive_shifted(const RelationCase& c) {
  std::vector<std::uint64_t> near = c.elements(), moved = near;
  const FloatFormat& format = float_format(c.in());
  for (std::size_t i = 0; i < near.size(); ++i) {
    const Number x = on_grid(c.number(i), format);
    near[i] = encode(c.in(), x);
    moved[i] = x.is_finite() ? encode(c.in(), number_of(to_double(x) + 2)) : near[i];
  }
  std::vector<Derived> both = c.same_launch(near);
  both.push_back(c.same_launch(moved)[0]);
  return both;
}

bool holds_shifted(const RelationCase& c, const Results& results) {
  const bool of_distances = c.functions() == MathFunctions::library && c.is_deterministic();
  return c.op() != Operator::softmax || !of_distances ||
         same_values(c, results.outputs[1], results.outputs[2]);
}

}  // namespace foldproof::relations
