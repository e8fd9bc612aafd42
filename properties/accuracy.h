// How accurate a kernel was over all of its cases, and the evidence for it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracles/checker.h"

namespace foldproof {

/// The order in which a kernel combined its input, from the largest traced case whose order can be named.
struct OrderShown {
  std::string order;           ///< in words (oracles/summation_tree.h), or why there is no tree
  std::uint64_t height = 0;    ///< most additions on one element's path
  std::uint64_t elements = 0;  ///< in that case
};

struct Accuracy {
  static constexpr std::size_t kinds_of_evidence = 5;

  std::array<std::uint64_t, kinds_of_evidence> checked_by{};  ///< cases, by CheckResult::Evidence
  std::string why_not;               ///< the most frequent reason why a value was not checked
  std::optional<double> worst_ulps;  ///< absent: no finite value was checked
  /// For the case with the largest error/bound: what checked it, and whether that bound is vacuous.
  std::optional<CheckResult::Evidence> worst_by;
  bool worst_is_vacuous = false;
  std::optional<OrderShown> order;  ///< absent: no case was traced
};

/// "nothing", "category", "exact", "bound", "tree".
std::string_view name(CheckResult::Evidence evidence);

}  // namespace foldproof
