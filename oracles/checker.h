// Checks what a reduction returned: bit for bit where the inputs force it, inside a rigorous bound otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "oracles/custom_operator.h"
#include "oracles/operands.h"
#include "oracles/operator.h"

namespace foldproof {

/// How a reduction computes, as far as its rounding depends on it.
struct Arithmetic {
  Operator op = Operator::sum;
  Element input = Element::f32;
  Element accumulator = Element::f32;  ///< the narrowest on any path from an input to the output
  Element output = Element::f32;
  NanPolicy nan = NanPolicy::unspecified;
  bool flush_to_zero = false;                ///< subnormal inputs and results may become zero
  std::optional<std::uint64_t> height = {};  ///< most operations on one input's path, where known
  Ties ties = Ties::any;
  Masked masked = Masked::unspecified;
  MathFunctions functions = MathFunctions::fast;
  Maximum maximum = Maximum::first;
  VarianceMethod variance = VarianceMethod::unspecified;
  SumMethod sum = SumMethod::plain;
  double epsilon = 0;                                 ///< of layer-norm and rms-norm
  double p = 0;                                       ///< of top-p
  std::shared_ptr<const CustomOperator> custom = {};  ///< of custom
};

struct CheckResult {
  /// What decided: nothing, where any value may be right; the category of the result (NaN, infinity, finite),
  /// the one value that these inputs force, a bound on the rounding error in any order, or one in the order
  /// that a run showed.
  enum class Evidence : std::uint8_t { nothing, category, exact, bound, tree };

  bool ok = true;
  Evidence evidence = Evidence::exact;
  std::optional<double> error;             ///< |result - exact|; absent where either is not finite
  std::optional<double> ulps;              ///< the error in units of the output's last place
  std::optional<double> bound;             ///< absent where nothing rounds
  std::optional<double> error_over_bound;  ///< absent where nothing rounds
  bool vacuous = false;                    ///< the bound is no smaller than the exact result
  std::string sentence;                    ///< what is wrong; empty when ok
  std::string why_not;                     ///< why nothing decided
};

/// The exact result of one input and all that may come instead of it.
class Checker {
 public:
  virtual ~Checker() = default;
  /// Checks one element of the result, given by its bits; `index` tells which where there are several.
  virtual CheckResult element(std::size_t index, std::uint64_t bits) const = 0;
  /// Checks a result of one element.
  CheckResult value(std::uint64_t bits) const { return element(0, bits); }
};

/// A checker of an operator that folds.
class FoldChecker : public Checker {
 public:
  /// More elements come after the others.
  virtual void append(std::span<const std::byte> elements) = 0;
  /// Checks outputs that are folded exactly: each is the reduction of a part, and the parts make the whole.
  virtual CheckResult partials(std::span<const std::byte> outputs) const = 0;
};

/// Why no checker can be made for this arithmetic, as a sentence; nothing where one can.
std::optional<std::string> why_no_checker(const Arithmetic& arithmetic);

/// A checker of what the operator makes of `input` (whole elements). Of an empty input that is the identity,
/// where the operator folds. `operands`: those that belong to these elements; all that the operator needs.
std::unique_ptr<Checker> make_checker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                      const Operands& operands = {});
/// The same of an operator that folds.
std::unique_ptr<FoldChecker> make_fold_checker(const Arithmetic& arithmetic,
                                               std::span<const std::byte> input);

}  // namespace foldproof
