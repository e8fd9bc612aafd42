// Checks all that a kernel leaves in its output, however the input is divided for it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracles/checker.h"
#include "oracles/layout.h"

namespace foldproof {

class ResultChecker {
 public:
  /// The arithmetic has passed why_no_checker(), its operator has such results and all operands that it
  /// needs; `input` and they outlive the checker. Offsets ascend from 0 to the number of elements.
  ResultChecker(const Arithmetic& arithmetic, const ResultLayout& layout, std::span<const std::byte> input,
                const Operands& operands = {});

  /// Of the first element that is wrong, or else of the one with the largest error over bound. Where
  /// `outputs` are not as many as output_count() says, that is wrong.
  CheckResult check(std::span<const std::byte> outputs) const;

 private:
  CheckResult check_scan(std::span<const std::byte> outputs) const;

  Arithmetic a_;
  ResultLayout layout_;
  std::vector<std::byte> scaled_;     ///< elements times their scales, where there are any
  std::span<const std::byte> input_;  ///< these, or the input itself
  std::size_t count_;
  std::vector<std::unique_ptr<Checker>> checkers_;  ///< one a row, or of all; none for a scan
  std::unique_ptr<FoldChecker> fold_;               ///< of partials
};

}  // namespace foldproof
