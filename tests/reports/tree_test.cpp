// Trees as text and as images.
#include "reports/tree.h"

#include "catch.h"
#include "oracles/expressions.h"

namespace foldproof {
namespace {

/// (x0 + x2) + x1
SummationTree small_tree() {
  Expressions all;
  all.add_input(Element::f32, std::vector<std::byte>(12));
  const auto sum = [&](NodeId a, NodeId b) {
    return all.add({.operation = Operation::add, .element = Element::f32, .operand = {a, b, 0}});
  };
  return std::get<SummationTree>(SummationTree::of(all, sum(sum(1, 3), 2), Operator::sum));
}

TEST_CASE("A tree in text has one leaf per line") {
  CHECK(tree_text(small_tree(), "+") ==
        "+ ─┬─ + ─┬─ x0\n"
        "   │     └─ x2\n"
        "   └─ x1\n");
}

TEST_CASE("A leaf that is a constant times an element shows the factor") {
  Expressions all;
  all.add_input(Element::f32, std::vector<std::byte>(8));
  const NodeId half = all.constant(0x3f000000, 4);
  const NodeId scaled =
      all.add({.operation = Operation::multiply, .element = Element::f32, .operand = {2, half, 0}});
  const NodeId sum =
      all.add({.operation = Operation::add, .element = Element::f32, .operand = {1, scaled, 0}});
  CHECK(tree_text(std::get<SummationTree>(SummationTree::of(all, sum, Operator::sum)), "+") ==
        "+ ─┬─ x0\n"
        "   └─ 0.5*x1\n");
}

TEST_CASE("Longer operator names keep the branches aligned") {
  CHECK(tree_text(small_tree(), "max") ==
        "max ─┬─ max ─┬─ x0\n"
        "     │       └─ x2\n"
        "     └─ x1\n");
}

TEST_CASE("The title of an image has neither markup nor characters that XML forbids") {
  const std::string svg = tree_svg(small_tree(), "\x1b[31m</svg><script>\x07\"&\uffff\xff");
  CHECK(svg.find(">\\x1b[31m&lt;/svg&gt;&lt;script&gt;\\x07&quot;&amp;\\uffff\\xff</text>") !=
        std::string::npos);
}

TEST_CASE("An image of a tree has one branch per addition and a label for each leaf") {
  const std::string svg = tree_svg(small_tree(), "a < b");
  const auto count = [&](std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
    return found;
  };
  CHECK(count("<path ") == 2);
  CHECK(count("<text ") == 4);
  CHECK(count("a &lt; b") == 1);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace foldproof
