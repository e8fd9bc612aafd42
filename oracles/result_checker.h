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

class ResultChecker {
 public:
  /// `arithmetic` must be accepted by why_no_checker(), and its operator must support the layout and have all
  /// operands that it requires; `input` and the operands must outlive the checker. Offsets ascend from 0 to
  /// the number of elements.
  ResultChecker(const Arithmetic& arithmetic, const ResultLayout& layout, std::span<const std::byte> input,
                const Operands& operands = {});

  /// The result for the first wrong element or, if none is wrong, for the one with the largest error over
  /// bound. `outputs` must have as many elements as output_count() says.
  CheckResult check(std::span<const std::byte> outputs) const;

 private:
  CheckResult check_scans(std::span<const std::byte> outputs) const;
  /// The elements of a part, next to each other.
  std::span<const std::byte> elements_of(Element type, std::span<const std::byte> all, Part part);
  /// The operands of one part: its own values for roles with one value per element or per row.
  Operands operands_of_part(const Operands& operands, Part part, std::size_t index);

  Arithmetic a_;
  ResultLayout layout_;
  std::vector<std::byte> scaled_;                ///< elements times their scales, if there are any
  std::span<const std::byte> input_;             ///< `scaled_`, or the input itself
  std::deque<std::vector<std::byte>> gathered_;  ///< elements of parts that are not contiguous
  std::size_t count_;
  std::vector<std::unique_ptr<Checker>>
      checkers_;  ///< one per part, null if it is not checked; none for a scan or for partials
  std::unique_ptr<PartialsChecker> partials_;
};

}  // namespace foldproof
