// Metamorphic relations: what the result for one input implies about the results for other inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "oracles/number.h"
#include "properties/case.h"
#include "properties/distributions.h"
#include "properties/random.h"

namespace foldproof {

/// A row of relations.def.
struct RelationInfo {
  std::string_view name;
  std::string_view claim;
};

std::span<const RelationInfo> relation_rows();
/// "permuted, padded, …"
std::string relation_names();

/// The relations that may hold for the instance. Whether one applies to a case depends on its count and
/// values.
std::vector<std::string> relations_of(const Instance& instance);

/// Throws InputError for an unknown relation.
void check_relation(const std::string& name);

namespace relations {

/// The kernel to which relations are applied. The instance must have a reduction.
struct RelationSubject {
  const Instance& instance;
  bool fixed_tree = false;  ///< the operations of a launch do not depend on the values of the elements
  bool flushes = false;     ///< subnormals may be flushed to zero
};

/// An input that a relation derives, and the variables of its case.
struct Derived {
  Variables variables;
  std::vector<std::byte> input;
};

/// The additional inputs that the case's relation requires; none if the case has no relation, or if the
/// relation does not apply to it. Throws InputError for an unknown relation.
std::vector<Derived> derive(const RelationSubject& subject, const Case& c, std::span<const std::byte> input);

/// Whether the relation holds. `outputs`: the elements of the results as bits, first those of the case, then
/// those of the inputs that derive() returned; if one has no elements, nothing is compared. `forced`: the
/// inputs determine every bit of all of them.
bool holds(const RelationSubject& subject, const Case& c, std::span<const std::byte> input,
           const std::vector<std::vector<std::uint64_t>>& outputs, bool forced);

// The interface of the functions of the relations; the rest of the program does not use anything below.

/// A case to which a relation is applied. Its input has at least one element.
class RelationCase {
 public:
  RelationCase(const RelationSubject& subject, const Case& c, std::span<const std::byte> input)
      : subject_(subject), case_(c), input_(input) {}

  Operator op() const { return reduction().op; }
  Element in() const { return reduction().input; }
  Element accumulator() const { return reduction().accumulator; }
  Element out() const { return reduction().output; }
  MathFunctions functions() const { return reduction().functions; }
  bool sums_exactly() const { return op() == Operator::sum && reduction().sum == SumMethod::exact; }
  bool is_extremum() const { return foldproof::is_extremum(op()); }
  /// Whether the elements are integers that are reduced modulo the same power of two from the input to the
  /// output.
  bool wraps() const;
  /// Whether the result is one value (possibly repeated), not partial results.
  bool gives_value() const { return reduction().result == ResultShape::value; }
  bool has_fixed_tree() const { return subject_.fixed_tree; }
  bool is_deterministic() const { return subject_.instance.claims.deterministic; }
  bool flushes() const { return subject_.flushes; }

  std::size_t count() const { return input_.size() / size_of(in()); }
  std::uint64_t bits(std::size_t i) const { return load(in(), input_, i); }
  Number number(std::size_t i) const { return decode(in(), bits(i)); }
  std::vector<std::uint64_t> elements() const { return elements_in(in(), input_); }
  std::span<const std::byte> bytes() const { return input_; }

  /// The same launch with other elements; their number must be the same.
  std::vector<Derived> same_launch(const std::vector<std::uint64_t>& elements) const;
  /// The case with this number of elements, adjusted to the domain; nothing if the domain does not permit
  /// that number.
  std::vector<Derived> other_count(const std::vector<std::uint64_t>& elements) const;

  /// Random numbers that depend only on the case.
  SplitMix random() const { return SplitMix(hash_of(case_.relation, case_.input.seed)); }

 private:
  const Reduction& reduction() const { return *subject_.instance.reduction; }

  const RelationSubject& subject_;
  const Case& case_;
  std::span<const std::byte> input_;
};

/// The outputs of the case and of the derived inputs, as bits, and whether their checkers leave a choice.
struct Results {
  std::vector<std::vector<std::uint64_t>> outputs;  ///< the output of the case first
  bool forced = false;                              ///< the inputs determine each of these values
};

#define FOLDPROOF_RELATION(id, name, of, holds, claim)     \
  std::vector<Derived> derive_##id(const RelationCase& c); \
  bool holds_##holds(const RelationCase& c, const Results& results);
#include "properties/relations/relations.def"
#undef FOLDPROOF_RELATION

/// Whether two elements of that type are the same value: NaN equals NaN, -0 equals +0, and every subnormal
/// equals zero if subnormals may be flushed.
bool same_value(const RelationCase& c, Element element, std::uint64_t a, std::uint64_t b);
/// Whether all outputs of two runs are the same values.
bool same_values(const RelationCase& c, const std::vector<std::uint64_t>& a,
                 const std::vector<std::uint64_t>& b);

}  // namespace relations
}  // namespace foldproof
