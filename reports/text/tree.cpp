#include <fmt/format.h>

#include "reports/tree.h"

namespace foldproof {
namespace {

std::string leaf_name(const SummationTree::Vertex& leaf) {
  if (leaf.element == SummationTree::none) return "…";
  return leaf.factor == 1 ? fmt::format("x{}", leaf.element)
                          : fmt::format("{:g}*x{}", leaf.factor, leaf.element);
}

struct Pending {
  std::uint32_t vertex;
  std::string rest;  ///< prefix of the lines after the first
  bool is_right;     ///< begins its own line
};

}  // namespace

std::string tree_text(const SummationTree& tree, std::string_view combination) {
  const std::string blank(combination.size() + 1, ' ');
  std::string text;
  std::vector<Pending> ahead{{static_cast<std::uint32_t>(tree.vertices().size() - 1), "", false}};
  while (!ahead.empty()) {
    const Pending here = ahead.back();
    ahead.pop_back();
    const SummationTree::Vertex& vertex = tree.vertices()[here.vertex];
    if (here.is_right) text += here.rest + "└─ ";
    const std::string before = here.is_right ? here.rest + "   " : here.rest;
    if (vertex.is_leaf()) {
      text += leaf_name(vertex) + "\n";
      continue;
    }
    text += fmt::format("{} ─┬─ ", combination);
    ahead.push_back({vertex.right, before + blank + " ", true});
    ahead.push_back({vertex.left, before + blank + " │  ", false});
  }
  return text;
}

}  // namespace foldproof
