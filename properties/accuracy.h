// How exact a kernel was over all of its cases, and what says so.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracles/checker.h"

namespace foldproof {

/// The order in which a kernel combined its input, in the largest case in which it was followed.
struct OrderShown {
  std::string order;           ///< in words (oracles/summation_tree.h), or why there is no tree
  std::uint64_t height = 0;    ///< most additions on one element's way
  std::uint64_t elements = 0;  ///< of the case
};

struct Accuracy {
  static constexpr std::size_t layers = 5;

  std::array<std::uint64_t, layers> judged_by{};  ///< cases, by Judgement::Layer
  std::string why_not;                            ///< of most cases that nothing judged
  std::optional<double> worst_ulps;               ///< absent: nothing finite was judged
  /// Of the case with the largest error/bound: what judged it, and whether that bound says nothing.
  std::optional<Judgement::Layer> worst_by;
  bool worst_is_vacuous = false;
  std::optional<OrderShown> order;  ///< absent: no case was followed
};

/// "nothing", "category", "exact", "bound", "tree".
std::string_view name(Judgement::Layer layer);

}  // namespace foldproof
