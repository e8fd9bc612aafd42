// Checks the result of a reduction: bit for bit where the inputs force it, under a rigorous bound otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "oracles/custom_operator.h"
#include "oracles/formula.h"
#include "oracles/operands.h"
#include "oracles/operator.h"

namespace foldproof {

/// The bin in which a histogram counts an element; nothing if it has none.
using BinOf = std::function<std::optional<std::uint64_t>(std::int64_t element)>;

/// Whether a reduction uses the element with those bits.
using ElementTest = std::function<bool(std::uint64_t bits)>;

/// How a reduction computes, as far as its rounding depends on it.
struct Arithmetic {
  Operator op = Operator::sum;
  Element input = Element::f32;
  Element accumulator = Element::f32;  ///< the narrowest type on any path from an input to the output
  Element output = Element::f32;
  NanPolicy nan = NanPolicy::unspecified;
  bool flush_to_zero = false;                 ///< subnormal inputs and results may become zero
  std::optional<std::uint64_t> height = {};   ///< maximum number of operations on one input's path, if known
  std::optional<std::uint64_t> threads = {};  ///< maximum number of threads that add elements, if known
  Ties ties = Ties::any;
  Masked masked = Masked::unspecified;
  MathFunctions functions = MathFunctions::fast;
  Maximum maximum = Maximum::first;
  AffineType affine = AffineType::accumulator;
  MomentMethod moment_method = MomentMethod::unspecified;
  SumMethod sum = SumMethod::plain;
  bool checks_empty = true;                           ///< also the results of empty segments
  double epsilon = 0;                                 ///< for operators that take it
  double delta = 1;                                   ///< for a Huber loss; positive
  std::uint64_t correction = 0;                       ///< variances have the divisor n - correction: 0 or 1
  double p = 0;                                       ///< for top-p
  std::shared_ptr<const CustomOperator> custom = {};  ///< for custom
  std::shared_ptr<const Formula> formula = {};        ///< for formulas
  BinOf bin_of = {};                                  ///< for histogram; empty: every element is its own bin
  bool approximates = false;      ///< divisions and roots may be approximate, as in FastMath
  ElementTest is_ambiguous = {};  ///< whether rounding decides about `where`; empty: never
  ElementTest where = {};         ///< for folds and tallies; empty: every element counts
};

/// A result that a bound checked, each number rounded to f64; the error and the bound upwards.
struct BoundedResult {
  double result = 0, exact = 0, error = 0, bound = 0;
  bool operator==(const BoundedResult&) const = default;
};

struct CheckResult {
  /// What the decision is based on: nothing (any value may be right); the category of the result (NaN,
  /// infinity, finite); the only value that these inputs permit; a bound on the rounding error in any order;
  /// or a bound for the order observed in a run.
  enum class Evidence : std::uint8_t { nothing, category, exact, bound, tree };

  bool ok = true;
  Evidence evidence = Evidence::exact;
  std::optional<double> error;             ///< |result - exact|; absent if either is not finite
  std::optional<double> ulps;              ///< the error in units of the output's last place
  std::optional<double> bound;             ///< absent if no operation rounds
  std::optional<double> error_over_bound;  ///< absent if no operation rounds
  std::optional<BoundedResult> bounded;    ///< absent if no bound checked the result
  bool vacuous = false;                    ///< the bound is not smaller than the exact result
  std::size_t index = 0;                   ///< of the wrong element of the output
  std::string sentence;                    ///< what is wrong; empty when ok
  std::string why_not;                     ///< why no decision was possible
};

/// The exact result for one input, and every other value that is acceptable.
class Checker {
 public:
  virtual ~Checker() = default;
  /// Checks one element of the result, given by its bits; `index` is its position if there are several.
  virtual CheckResult element(std::size_t index, std::uint64_t bits) const = 0;
  /// Checks a result of one element.
  CheckResult value(std::uint64_t bits) const { return element(0, bits); }
};

/// A checker for an operator whose partial results combine to the result of the whole.
class PartialsChecker : public Checker {
 public:
  /// Checks partial results, which are combined exactly: each is the reduction of a part, and the parts make
  /// up the input.
  virtual CheckResult partials(std::span<const std::byte> outputs) const = 0;
};

/// A checker for an operator that folds.
class FoldChecker : public PartialsChecker {
 public:
  /// Appends elements to the input.
  virtual void append(std::span<const std::byte> elements) = 0;
};

/// Why no checker exists for this arithmetic, as a sentence; nothing if one exists.
std::optional<std::string> why_no_checker(const Arithmetic& arithmetic);

/// Makes a checker for the operator's result on `input` (whole elements). The result of an empty input is the
/// identity if the operator folds. `operands`: those of these elements, including all that the operator
/// needs.
std::unique_ptr<Checker> make_checker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                      const Operands& operands = {});
/// The same for an operator with the result `partials`.
std::unique_ptr<PartialsChecker> make_partials_checker(const Arithmetic& arithmetic,
                                                       std::span<const std::byte> input,
                                                       const Operands& operands);
/// The same for an operator that folds.
std::unique_ptr<FoldChecker> make_fold_checker(const Arithmetic& arithmetic,
                                               std::span<const std::byte> input);

}  // namespace foldproof
