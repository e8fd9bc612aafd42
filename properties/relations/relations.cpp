#include "properties/relations/relations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "properties/execution/reduction.h"
#include "properties/generation/domain.h"

namespace foldproof {
namespace {

using relations::Derived;
using relations::RelationCase;
using relations::RelationSubject;
using relations::Results;

/// The third column of relations.def.
enum class Of : std::uint8_t { folds, indices, scans, counts, shifts };

struct Functions {
  Of of;
  std::vector<Derived> (*derive)(const RelationCase& c);
  bool (*holds)(const RelationCase& c, const Results& results);
};

constexpr Functions functions[] = {
#define FOLDPROOF_RELATION(id, name, of, holds, claim) \
  {Of::of, relations::derive_##id, relations::holds_##holds},
#include "properties/relations/relations.def"
#undef FOLDPROOF_RELATION
};

constexpr RelationInfo infos[] = {
#define FOLDPROOF_RELATION(id, name, of, holds, claim) {name, claim},
#include "properties/relations/relations.def"
#undef FOLDPROOF_RELATION
};

const Functions& functions_of(const std::string& name) {
  check_relation(name);
  return functions[std::ranges::find(infos, name, &RelationInfo::name) - std::begin(infos)];
}

/// Folds of the elements themselves, as numbers: the relations are about their values.
bool is_plain_fold(Operator op) {
  return folds(op) && !transforms_elements(op) && !is_bitwise(op) && op != Operator::custom;
}

bool is_of(Of of, const Reduction& reduction) {
  const ResultShape shape = reduction.result;
  const bool whole = shape == ResultShape::value;
  switch (of) {
    case Of::folds: return is_plain_fold(reduction.op) && (whole || shape == ResultShape::partials);
    case Of::indices: return whole && info(reduction.op).gives == OperatorInfo::Gives::index;
    case Of::scans:
      return shape == ResultShape::scan && !is_reverse(reduction.scan) && is_plain_fold(reduction.op);
    case Of::counts: return shape == ResultShape::bins;
    case Of::shifts: break;
  }
  return reduction.op == Operator::softmax || reduction.op == Operator::log_sum_exp ||
         reduction.op == Operator::variance;
}

/// Whether the relation can apply to this instance: every applicable relation applies to an input of two
/// ones.
bool can_apply(const Functions& relation, const Instance& instance) {
  const Element element = instance.reduction->input;
  std::vector<std::byte> ones(2 * size_of(element));
  for (const std::size_t i : {0, 1}) store(element, ones, i, encode(element, number_of(1)));
  Instance any_count = instance;
  any_count.domain = {{"count", Range::parse("1 .. 2^20", {})}};
  Case c;
  c.variables = {{"count", 2}};
  const RelationSubject subject{any_count, instance.claims.deterministic, false};
  return !relation.derive(RelationCase(subject, c, ones)).empty();
}

/// Whether the results depend on nothing but the elements, and on every one of them.
bool depends_on_elements_alone(const Instance& instance) {
  return instance.operands.empty() && !instance.reduction->where &&
         instance.output_initial != BufferContract::Initial::any;
}

/// Whether callers may pass these elements.
bool is_permitted(const Derived& derived, const Instance& instance) {
  const auto values = values_of(instance, derived.variables);
  const Element element = instance.reduction->input;
  return !values || std::ranges::all_of(elements_in(element, derived.input), [&](std::uint64_t bits) {
    return is_within(*values, element, bits);
  });
}

std::vector<std::byte> bytes_of(Element element, const std::vector<std::uint64_t>& elements) {
  std::vector<std::byte> bytes(elements.size() * size_of(element));
  for (std::size_t i = 0; i < elements.size(); ++i) store(element, bytes, i, elements[i]);
  return bytes;
}

}  // namespace

std::span<const RelationInfo> relation_rows() { return infos; }

std::string relation_names() {
  return fmt::format("{}", fmt::join(infos | std::views::transform(&RelationInfo::name), ", "));
}

std::vector<std::string> relations_of(const Instance& instance) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::size(infos) && instance.reduction; ++i)
    if (depends_on_elements_alone(instance) && is_of(functions[i].of, *instance.reduction) &&
        can_apply(functions[i], instance))
      names.emplace_back(infos[i].name);
  return names;
}

void check_relation(const std::string& name) {
  if (std::ranges::find(infos, name, &RelationInfo::name) == std::end(infos))
    throw InputError(fmt::format("unknown relation \"{}\"; choose one of {}", name, relation_names()));
}

namespace relations {

std::vector<Derived> derive(const RelationSubject& subject, const Case& c, std::span<const std::byte> input) {
  if (c.relation.empty()) return {};
  const Functions& relation = functions_of(c.relation);
  if (input.empty() || !depends_on_elements_alone(subject.instance) ||
      !is_of(relation.of, *subject.instance.reduction))
    return {};
  std::vector<Derived> derived = relation.derive(RelationCase(subject, c, input));
  // The result of an input without elements is known only if the contract claims the identity.
  const bool has_empty = std::ranges::any_of(derived, [](const Derived& one) { return one.input.empty(); });
  if (has_empty && subject.instance.claims.empty != EmptyPolicy::identity) return {};
  return std::ranges::all_of(derived, [&](const Derived& one) { return is_permitted(one, subject.instance); })
             ? derived
             : std::vector<Derived>{};
}

bool holds(const RelationSubject& subject, const Case& c, std::span<const std::byte> input,
           const std::vector<std::vector<std::uint64_t>>& outputs, bool forced) {
  if (std::ranges::any_of(outputs, &std::vector<std::uint64_t>::empty)) return true;
  return functions_of(c.relation).holds(RelationCase(subject, c, input), {outputs, forced});
}

bool RelationCase::wraps() const {
  return !is_float(in()) && !is_float(accumulator()) && !is_float(out()) &&
         size_of(in()) == size_of(accumulator()) && size_of(in()) == size_of(out());
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
  } catch (const InputError&) {  // the smallest count of the domain is larger
    return {};
  }
}

bool same_value(const RelationCase& c, Element element, std::uint64_t a, std::uint64_t b) {
  const Number x = decode(element, a), y = decode(element, b);
  if (x.is_nan() || y.is_nan()) return x.is_nan() && y.is_nan();
  if (c.flushes() && is_zero_or_subnormal(element, a) && is_zero_or_subnormal(element, b)) return true;
  return order_key(element, a) == order_key(element, b);
}

bool same_values(const RelationCase& c, const std::vector<std::uint64_t>& a,
                 const std::vector<std::uint64_t>& b) {
  return std::ranges::equal(
      a, b, [&](std::uint64_t one, std::uint64_t other) { return same_value(c, c.out(), one, other); });
}

}  // namespace relations
}  // namespace foldproof
