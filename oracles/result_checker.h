// Checks everything that a kernel writes to its output, however the input is divided into parts.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracles/checker.h"
#include "oracles/layout.h"

namespace foldproof {

/// Why the checker cannot check a kernel that combines its results with values that the output holds before;
/// empty if it can: for folds of the elements themselves and for dot products whose output type has every
/// element, and for sums and counts in integers.
std::string_view why_not_accumulated(Operator op, ResultShape shape, SumMethod method, Element input,
                                     Element output);

class ResultChecker {
 public:
  /// `arithmetic` must be accepted by why_no_checker(), and its operator must support the layout and have all
  /// operands that it requires; `input` and the operands must outlive the checker. Offsets ascend from 0 to
  /// the number of elements. `before`: what each output held, if the kernel combines its results with that;
  /// why_not_accumulated() must permit it.
  ResultChecker(const Arithmetic& arithmetic, const ResultLayout& layout, std::span<const std::byte> input,
                const Operands& operands = {}, std::span<const std::byte> before = {});

  /// The result for the first wrong element or, if none is wrong, for the one with the largest error over
  /// bound. `outputs` must have as many elements as output_count() says.
  CheckResult check(std::span<const std::byte> outputs) const;

 private:
  CheckResult check_scans(std::span<const std::byte> outputs) const;
  /// Values before that cannot be subtracted belong to one output each.
  bool has_checker_per_output() const;
  /// Sets `selected_`.
  void select(std::span<const std::byte> input);
  /// Whether the result of a part without elements, or without selected ones, is open.
  bool may_be_anything(const Part& part) const;
  /// One checker for each output, for its part and the value before.
  void add_checkers_with_values(const Operands& operands);
  /// The bits of an output without the value that was added to before.
  std::uint64_t result_of(std::span<const std::byte> outputs, std::size_t i) const;
  /// The elements of a part, next to each other.
  std::span<const std::byte> elements_of(Element type, std::span<const std::byte> all, Part part);
  /// The weights or biases of the elements of a part.
  std::span<const std::byte> values_for(const Operand& factors, Part part);
  /// What the formula reads of the operand for the elements of the part with that index.
  std::span<const std::byte> values_for_formula(const Operand& operand, ValueOf value, Part part,
                                                std::size_t index);
  /// The operands of one part: its own values for roles with one value per element or per row.
  Operands operands_of_part(const Operands& operands, Part part, std::size_t index);

  Arithmetic a_;
  ResultLayout layout_;
  std::vector<bool> is_selected_;     ///< by element; empty if all are
  bool is_ambiguous_ = false;         ///< rounding or flushing decides whether some element is selected
  std::vector<std::byte> selected_;   ///< with the identity in place of elements that do not count
  std::vector<std::byte> scaled_;     ///< elements times their scales, if there are any
  std::span<const std::byte> input_;  ///< `scaled_`, `selected_`, or the input itself
  std::vector<std::byte> before_;     ///< in the outputs; empty: the results alone are there
  std::deque<std::vector<std::byte>> gathered_;  ///< elements of parts that are not contiguous
  std::size_t count_;
  std::vector<std::unique_ptr<Checker>>
      checkers_;  ///< one per part, null if it is not checked; none for a scan or for partials
  std::unique_ptr<PartialsChecker> partials_;
};

}  // namespace foldproof
