#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "reports/tree.h"

namespace foldproof {
namespace {

// Pixels.
constexpr double leaf_distance = 18, level_height = 26, margin = 24, title_height = 24;
constexpr double widest = 4000;
constexpr std::uint32_t max_named = 128;  ///< trees with more leaves have no labels

struct NodePosition {
  double x = 0, y = 0;
};

std::vector<NodePosition> places(const SummationTree& tree, double distance) {
  const auto& vertices = tree.vertices();
  std::vector<NodePosition> at(vertices.size());
  std::vector<std::uint32_t> ahead{static_cast<std::uint32_t>(vertices.size() - 1)};
  double x = margin;
  while (!ahead.empty()) {
    const std::uint32_t v = ahead.back();
    ahead.pop_back();
    if (vertices[v].is_leaf()) {
      at[v].x = x;
      x += distance;
    } else {
      ahead.push_back(vertices[v].right);
      ahead.push_back(vertices[v].left);
    }
  }
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    at[v].y = title_height + margin + level_height * (tree.root().height - vertices[v].height);
    if (!vertices[v].is_leaf()) at[v].x = (at[vertices[v].left].x + at[vertices[v].right].x) / 2;
  }
  return at;
}

}  // namespace

std::string tree_svg(const SummationTree& tree, std::string_view title) {
  const auto& vertices = tree.vertices();
  const std::uint32_t leaves = tree.root().leaves;
  const double distance = std::min(leaf_distance, widest / leaves);
  const std::vector<NodePosition> at = places(tree, distance);
  const double width = std::max(2 * margin + distance * (leaves - 1), 480.0);
  const double height = title_height + 2 * margin + level_height * tree.root().height + margin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n<text x=\"{2}\" y=\"{3}\" font-size=\"12\">{4}</text>\n<g fill=\"none\" "
      "stroke=\"#456\">\n",
      width, height, margin, title_height, xml_text(title));
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (vertices[v].is_leaf()) continue;
    const NodePosition &a = at[vertices[v].left], &b = at[vertices[v].right];
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}\"/>\n", a.x, a.y, at[v].y, b.x, b.y);
  }
  svg += "</g>\n<g text-anchor=\"middle\">\n";
  for (std::size_t v = 0; leaves <= max_named && v < vertices.size(); ++v)
    if (vertices[v].is_leaf() && vertices[v].element != SummationTree::none)
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at[v].x, at[v].y + 12,
                         vertices[v].element);
  return svg + "</g>\n</svg>\n";
}

}  // namespace foldproof
