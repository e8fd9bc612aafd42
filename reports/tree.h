// Summation trees for people to look at.
#pragma once

#include <string>

#include "oracles/summation_tree.h"

namespace foldproof {

/// Lines of text, a leaf each, named x0, x1 …:
///   + ─┬─ + ─┬─ x0
///      │     └─ x2
///      └─ x1
std::string tree_text(const SummationTree& tree, std::string_view combination);

/// An SVG image: leaves at the bottom from left to right, each combination as high as its height.
std::string tree_svg(const SummationTree& tree, std::string_view title);

}  // namespace foldproof
