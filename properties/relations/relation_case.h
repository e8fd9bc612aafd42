// What a relation is made of: inputs that are derived from a case's, and what the results must say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contracts/contract.h"
#include "oracles/number.h"
#include "properties/case.h"
#include "properties/random.h"
#include "properties/relations/relations.h"

namespace foldproof::relations {

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

}  // namespace foldproof::relations
