// Relations of changes that must not matter: the order, and elements that add nothing new.
#include "oracles/operator.h"
#include "properties/relations/relation_case.h"

namespace foldproof::relations {
namespace {

/// Whether the result of the derived input equals that of the case, if the elements force both.
bool stays(const RelationCase& c, const Results& results) {
  return !results.forced || !c.gives_value() || same_values(c, results.outputs[0], results.outputs[1]);
}

/// An element that leaves every result unchanged; -0 for a floating-point sum, which also preserves the sign
/// of a zero.
std::uint64_t neutral(const RelationCase& c) {
  if (c.op() == Operator::sum && is_float(c.in()))
    return encode(c.in(), {Number::Category::finite, true, 0, 0});
  return identity(c.op(), c.in());
}

}  // namespace

std::vector<Derived> derive_permuted(const RelationCase& c) {
  std::vector<std::uint64_t> elements = c.elements();
  SplitMix random = c.random();
  for (std::size_t i = elements.size(); i > 1; --i) std::swap(elements[i - 1], elements[random.below(i)]);
  return c.same_launch(elements);
}

bool holds_permuted(const RelationCase& c, const Results& results) { return stays(c, results); }

std::vector<Derived> derive_padded(const RelationCase& c) {
  std::vector<std::uint64_t> elements = c.elements();
  elements.resize(elements.size() + 1 + c.random().below(33), neutral(c));
  return c.other_count(elements);
}

bool holds_padded(const RelationCase& c, const Results& results) { return stays(c, results); }

std::vector<Derived> derive_duplicated(const RelationCase& c) {
  if (!c.is_extremum()) return {};
  std::vector<std::uint64_t> elements = c.elements();
  elements.push_back(elements[c.random().below(elements.size())]);
  return c.other_count(elements);
}

bool holds_duplicated(const RelationCase& c, const Results& results) { return stays(c, results); }

}  // namespace foldproof::relations
