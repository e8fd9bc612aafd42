// The relations that kernels are tried against: what one input gives says something of what others give.
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

/// Those that may hold for the instance; whether one can be tried on a case hangs on its count and values.
std::vector<std::string> relations_of(const Instance& instance);

/// Throws InputError for a name that no relation has.
void check_relation(const std::string& name);

namespace relations {

/// Whose relations they are. The instance has a reduction.
struct RelationSubject {
  const Instance& instance;
  bool fixed_tree = false;  ///< the same launch means the same operations, whatever the elements are
  bool flushes = false;     ///< subnormal numbers may become zero
};

/// An input that a relation derives, and the variables of the case that has it.
struct Derived {
  Variables variables;
  std::vector<std::byte> input;
};

/// The further inputs that the case's relation needs; none where the case has no relation, or one that says
/// nothing of it. Throws InputError for a name that no relation has.
std::vector<Derived> derive(const RelationSubject& subject, const Case& c, std::span<const std::byte> input);

/// Whether the relation holds; `outputs`: the elements of the results as bits, those of the case first, then
/// those of the inputs that derive() gave; `forced`: the inputs force every bit of each of them.
bool holds(const RelationSubject& subject, const Case& c, std::span<const std::byte> input,
           const std::vector<std::vector<std::uint64_t>>& outputs, bool forced);

// What the functions of the relations are given; the rest of the program needs nothing below.

/// A case on which a relation is tried. Its input has at least one element.
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
  /// Integers that are reduced modulo one power of two from the input to the output.
  bool wraps() const;
  /// The results are one value (maybe several times), not partial ones.
  bool gives_value() const { return reduction().result == ResultShape::value; }
  bool has_fixed_tree() const { return subject_.fixed_tree; }
  bool is_deterministic() const { return subject_.instance.claims.deterministic; }
  bool flushes() const { return subject_.flushes; }

  std::size_t count() const { return input_.size() / size_of(in()); }
  std::uint64_t bits(std::size_t i) const { return load(in(), input_, i); }
  Number number(std::size_t i) const { return decode(in(), bits(i)); }
  std::vector<std::uint64_t> elements() const;
  std::span<const std::byte> bytes() const { return input_; }

  /// The same launch on other elements of the same number.
  std::vector<Derived> same_launch(const std::vector<std::uint64_t>& elements) const;
  /// What the domain makes of the case with so many elements; nothing where it cannot have them.
  std::vector<Derived> other_count(const std::vector<std::uint64_t>& elements) const;

  /// Draws that hang on the case alone.
  SplitMix random() const { return SplitMix(hash_of(case_.relation, case_.input.seed)); }

 private:
  const Reduction& reduction() const { return *subject_.instance.reduction; }

  const RelationSubject& subject_;
  const Case& case_;
  std::span<const std::byte> input_;
};

/// The outputs of the case and of the derived inputs, as bits, and what their checkers say of them.
struct Results {
  std::vector<std::vector<std::uint64_t>> outputs;  ///< that of the case first
  bool forced = false;                              ///< the inputs force each of these values
};

#define FOLDPROOF_RELATION(id, name, of, claim)            \
  std::vector<Derived> derive_##id(const RelationCase& c); \
  bool holds_##id(const RelationCase& c, const Results& results);
#include "properties/relations/relations.def"
#undef FOLDPROOF_RELATION

/// Whether two outputs are the same value: NaN like NaN, -0 like +0, and any subnormal number like zero where
/// those may be flushed.
bool same_value(const RelationCase& c, std::uint64_t a, std::uint64_t b);
/// Whether all outputs of two runs are.
bool same_values(const RelationCase& c, const std::vector<std::uint64_t>& a,
                 const std::vector<std::uint64_t>& b);

}  // namespace relations
}  // namespace foldproof
