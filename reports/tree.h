// Renderings of summation trees.
#pragma once

#include <string>

#include "oracles/summation_tree.h"

namespace foldproof {

/// Lines of text, one per leaf, named x0, x1 …:
///   + ─┬─ + ─┬─ x0
///      │     └─ x2
///      └─ x1
std::string tree_text(const SummationTree& tree, std::string_view combination);

/// An SVG image: leaves at the bottom from left to right, each combination placed at its height.
std::string tree_svg(const SummationTree& tree, std::string_view title);

}  // namespace foldproof
